import {
  bindCompletedAnnotation,
  selectedNodeAnnotations,
  storageProvisionerAnnotations,
} from '../../facts/claim/claim-annotations.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { Claim } from '../../kube/kinds.ts';
import { isExpanding } from '../../journey/claim-growth.ts';
import { kubeletOn, unknownComponent, resizer, scheduler } from './components.ts';
import type { Fact } from './fact.ts';
import { creatorOf, isCreation, owns, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites, writeFact } from './object-facts.ts';

export function claimFacts(c: ClaimCase): (Fact | undefined)[] {
  const { claim } = c;
  if (!claim) return [];
  const name = labelOf(claim);
  // The first request is not kept: a claim that was expanded has another one by now.
  const isGrown =
    (claim.status?.capacity?.['storage'] ?? c.request) !== c.request ||
    writesOf(claim).some((write) => owns(write, 'spec', 'resources') && !isCreation(claim, write));
  const wants = [isGrown ? undefined : c.request, c.class.name && `class ${c.class.name}`].filter(Boolean).join(', ');
  const owner = claim.metadata.ownerReferences?.find(({ kind }) => kind === 'Pod')
    ? 'ephemeral volume controller'
    : undefined;
  const told: Write[] = [];
  const writes = writesOf(claim).map((write) => {
    const facts = factsOfWrite(c, claim, write);
    if (facts.length > 0) told.push(write);
    return facts;
  });
  return [
    createdFact(claim, { what: `${name} was created${wants ? ` (${wants})` : ''}`, ...(owner && { by: owner }) }),
    ...writes.flat(),
    ...conditionFacts(claim),
    deletionFact(claim),
    ...otherWrites(claim, told),
  ];
}

function factsOfWrite(c: ClaimCase, claim: Claim, write: Write): Fact[] {
  return [
    nodeSelectedFact(c, claim, write),
    boundFact(c, claim, write),
    provisionerFact(c, claim, write),
    phaseFact(c, claim, write),
    requestFact(c, claim, write),
  ].filter((fact) => fact !== undefined);
}

function hasAnnotation(write: Write, annotations: readonly string[]): boolean {
  return annotations.some((annotation) => owns(write, 'metadata', 'annotations', annotation));
}

function bindsClaim(write: Write): boolean {
  return owns(write, 'spec', 'volumeName') || hasAnnotation(write, [bindCompletedAnnotation]);
}

function isCreators(claim: Claim, { manager }: Write): boolean {
  return creatorOf(claim)?.manager === manager;
}

/** The write that created the claim. */
function isFirst(claim: Claim, write: Write): boolean {
  return isCreators(claim, write) && isCreation(claim, write);
}

function nodeSelectedFact(c: ClaimCase, claim: Claim, write: Write): Fact | undefined {
  if (!hasAnnotation(write, selectedNodeAnnotations) || !c.selectedNode) return undefined;
  return writeFact(claim, write, {
    key: `node-selected/${c.name}`,
    component: scheduler,
    what: `chose ${c.selectedNode} for ${labelOf(claim)}`,
    certainty: write.fields.length > 1 ? 'latest' : 'exact',
  });
}

function boundFact(c: ClaimCase, claim: Claim, write: Write): Fact | undefined {
  if (write.subresource !== '' || !bindsClaim(write) || !c.volumeName || isFirst(claim, write)) return undefined;
  return writeFact(claim, write, { key: `bound/${c.name}`, what: `bound ${labelOf(claim)} to pv/${c.volumeName}` });
}

/** The same controller writes the binding later, and then only that time is kept. */
function provisionerFact(c: ClaimCase, claim: Claim, write: Write): Fact | undefined {
  if (!hasAnnotation(write, storageProvisionerAnnotations) || bindsClaim(write) || !c.askedProvisioner)
    return undefined;
  return writeFact(claim, write, {
    key: `asked-provisioner/${c.name}`,
    what: `asked ${c.askedProvisioner} for a volume for ${labelOf(claim)}`,
  });
}

function phaseFact(c: ClaimCase, claim: Claim, write: Write): Fact | undefined {
  if (!owns(write, 'status', 'phase')) return undefined;
  return writeFact(claim, write, {
    key: `claim-status/${c.name}`,
    what: `set ${labelOf(claim)} to ${claim.status?.phase ?? 'its phase'}`,
    certainty: 'latest',
  });
}

/** The creator's record does not show which of its fields it wrote last, unless the claim is being expanded. */
function requestFact(c: ClaimCase, claim: Claim, write: Write): Fact | undefined {
  if (write.subresource !== '' || !owns(write, 'spec', 'resources') || isFirst(claim, write)) return undefined;
  const isByCreator = isCreators(claim, write);
  const name = labelOf(claim);
  return writeFact(claim, write, {
    key: `grown/${c.name}/${write.manager}`,
    what: isByCreator && !isExpanding(c) ? `changed ${name}` : `requested ${c.request ?? 'another size'} for ${name}`,
    certainty: isByCreator && isExpanding(c) ? 'latest' : 'exact',
  });
}

const conditionWords: Readonly<Record<string, readonly [component: string, what: string]>> = {
  Resizing: [resizer, 'began to grow'],
  FileSystemResizePending: [resizer, 'grew the volume behind; its file system has yet to grow:'],
  ControllerResizeError: [resizer, 'failed to grow'],
  NodeResizeError: [kubeletOn(undefined), 'failed to grow the file system of'],
  ModifyingVolume: [resizer, 'began to change the attributes of'],
  ModifyVolumeError: [resizer, 'failed to change the attributes of'],
  Unused: ['pvc protection controller', 'no pod uses'],
};

function conditionFacts(claim: Claim): (Fact | undefined)[] {
  return (claim.status?.conditions ?? [])
    .filter(({ status }) => status === 'True')
    .map(({ type = '', message, lastTransitionTime }) => {
      const [component, what] = conditionWords[type] ?? [unknownComponent, `condition ${type} became true on`];
      return factAt(claim, lastTransitionTime, {
        key: `condition/${type}/${claim.metadata.name}`,
        component,
        what: `${what} ${labelOf(claim)}`,
        source: `status.conditions[${type}].lastTransitionTime`,
        ...(message && { said: message }),
        ...(/Error$/.test(type) && { isTrouble: true }),
        ...(type === 'Unused' && { isMinor: true }),
      });
    });
}
