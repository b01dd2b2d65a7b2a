import {
  bindCompletedAnnotation,
  selectedNodeAnnotations,
  storageProvisionerAnnotations,
} from '../../facts/claim/claim-case.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { Claim } from '../../kube/kinds.ts';
import { isExpanding } from '../../journey/claim-growth.ts';
import { kubeletOn, nobodyKnows, resizer, scheduler } from './components.ts';
import type { Fact } from './fact.ts';
import { creatorOf, isCreation, owns, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites, writeFact } from './object-facts.ts';

export function claimFacts(c: ClaimCase): (Fact | undefined)[] {
  const { claim } = c;
  if (!claim) return [];
  const name = labelOf(claim);
  // What was asked for at first is not kept: a claim that grows or has grown has another request by now.
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
  const name = labelOf(claim);
  const facts: Fact[] = [];
  const hasAnnotation = (annotations: readonly string[]): boolean =>
    annotations.some((annotation) => owns(write, 'metadata', 'annotations', annotation));
  if (hasAnnotation(selectedNodeAnnotations) && c.selectedNode) {
    facts.push(
      writeFact(claim, write, {
        key: `node-selected/${c.name}`,
        component: scheduler,
        what: `chose ${c.selectedNode} for ${name}`,
        certainty: write.fields.length > 1 ? 'latest' : 'exact',
      }),
    );
  }
  const binds = owns(write, 'spec', 'volumeName') || hasAnnotation([bindCompletedAnnotation]);
  const isMaker = creatorOf(claim)?.manager === write.manager;
  const isFirst = isMaker && isCreation(claim, write);
  if (write.subresource === '' && binds && c.volumeName && !isFirst)
    facts.push(writeFact(claim, write, { key: `bound/${c.name}`, what: `bound ${name} to pv/${c.volumeName}` }));
  // The same controller writes the binding later into the same record: then the time is not that of the question.
  if (hasAnnotation(storageProvisionerAnnotations) && !binds && c.askedProvisioner)
    facts.push(
      writeFact(claim, write, {
        key: `asked-provisioner/${c.name}`,
        what: `asked ${c.askedProvisioner} for a volume for ${name}`,
      }),
    );
  if (owns(write, 'status', 'phase')) {
    facts.push(
      writeFact(claim, write, {
        key: `claim-status/${c.name}`,
        what: `set ${name} to ${claim.status?.phase ?? 'its phase'}`,
        certainty: 'latest',
      }),
    );
  }
  if (write.subresource === '' && owns(write, 'spec', 'resources') && !isFirst) {
    // Of the maker's own record nobody can tell which field was the last; a claim that grows was asked to.
    const what =
      isMaker && !isExpanding(c) ? `changed ${name}` : `asked for ${c.request ?? 'another size'} for ${name}`;
    facts.push(
      writeFact(claim, write, {
        key: `grown/${c.name}/${write.manager}`,
        what,
        certainty: isMaker && isExpanding(c) ? 'latest' : 'exact',
      }),
    );
  }
  return facts;
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
      const [component, what] = conditionWords[type] ?? [nobodyKnows, `condition ${type} became true on`];
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
