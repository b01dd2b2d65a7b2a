import type { Claim, Volume } from '../../../kube/kinds.ts';
import { bytesOf, isQuantity } from '../../../kube/quantity.ts';
import { nearestName } from '../../../kube/names.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import { ClaimCase } from '../../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { provisionerOf } from '../provisioner.ts';
import { cloneTexts, refusedClone } from './clone-refused.ts';
import { dataSourceOf, lastRefusal, rulesOf, saidBy, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';

const freshSeconds = 60;

/** external-provisioner getPVCSource, check by check. */
function judgeClone(c: PresentClaim): Outcome | undefined {
  const source = dataSourceOf(c);
  if (source?.kind !== 'PersistentVolumeClaim') return undefined;
  const original = new ClaimCase(c.ask, source.namespace, source.name);
  if (original.lookup.state === 'unknown') return refusedClone(c, source);
  const claim = original.claim;
  if (!claim) return missing(c, source);
  if (claim.status?.phase !== 'Bound') return notBound(c, source, original, claim);
  if (claim.metadata.deletionTimestamp !== undefined) return deleting(c, source, claim);
  return withoutClass(c, source, claim) ?? tooSmall(c, source, claim) ?? judgeVolume(c, source, original, claim);
}

function missing(c: PresentClaim, source: DataSource): Outcome {
  const near = nearestName(
    source.name,
    c.ask
      .list('PersistentVolumeClaim', source.namespace)
      .items.map(({ metadata }) => metadata.name)
      .filter((name) => name !== c.name),
  );
  const elsewhere = c.ask
    .seen('PersistentVolumeClaim')
    .find(({ metadata }) => metadata.name === source.name && metadata.namespace !== source.namespace)
    ?.metadata.namespace;
  const hint = elsewhere
    ? `; there is one of that name in namespace ${elsewhere}, where it does not count`
    : near
      ? `; did you mean ${near}?`
      : '';
  return {
    cause: 'clone-source-missing',
    summary: `pvc/${source.name}, which is to be cloned, does not exist in namespace ${source.namespace}${hint}`,
    evidence: [
      sourceEvidence(c, source),
      absent('PersistentVolumeClaim', source.name, source.namespace),
      ...saidBy(c, lastRefusal(c, cloneTexts.missing)),
    ],
    fix: [
      fix('look which claims there are', `kubectl ${inNamespace(source.namespace)}get pvc`),
      remakeFix(c, 'from a claim that exists in the same namespace'),
    ],
  };
}

function notBound(c: PresentClaim, source: DataSource, original: ClaimCase, claim: Claim): Outcome {
  const phase = claim.status?.phase ?? 'not set';
  const isSelf = source.name === c.name && source.namespace === c.namespace;
  const waitsForPod =
    original.isDelayed === true &&
    original.selectedNode === undefined &&
    original.consumers.complete &&
    original.consumers.items.length === 0;
  return {
    cause: 'clone-source-not-bound',
    ...(original.ageSeconds < freshSeconds && !isSelf && { severity: 'info' as const }),
    summary: isSelf
      ? 'the claim names itself as the claim to be cloned'
      : `pvc/${source.name}, which is to be cloned, is not bound (${phase})${waitsForPod ? ': it waits for the first pod that uses it' : ''}`,
    evidence: [
      sourceEvidence(c, source),
      field(claim, 'status.phase'),
      ...saidBy(c, lastRefusal(c, cloneTexts.notBound)),
    ],
    fix: isSelf
      ? [remakeFix(c, 'from another claim')]
      : [
          fix(
            `mend pvc/${source.name} first: the clone then goes on by itself`,
            `kubectl csi why-pending pvc/${shellWord(source.name)} ${inNamespace(source.namespace)}`.trim(),
          ),
        ],
  };
}

function deleting(c: PresentClaim, source: DataSource, claim: Claim): Outcome {
  return {
    cause: 'clone-source-deleting',
    summary: `pvc/${source.name}, which is to be cloned, is being deleted`,
    evidence: [
      sourceEvidence(c, source),
      field(claim, 'metadata.deletionTimestamp'),
      ...saidBy(c, lastRefusal(c, cloneTexts.deleting)),
    ],
    fix: [remakeFix(c, 'from a claim that stays')],
  };
}

/** Only here does Kubernetes look at the field alone: the old annotation is not enough. */
function withoutClass(c: PresentClaim, source: DataSource, claim: Claim): Outcome | undefined {
  const culprit =
    claim.spec?.storageClassName === undefined
      ? claim
      : c.claim.spec?.storageClassName === undefined
        ? c.claim
        : undefined;
  if (!culprit) return undefined;
  const which = culprit === claim ? `pvc/${source.name}, which is to be cloned,` : 'the claim';
  return {
    cause: 'clone-class-nil',
    summary: `${which} has no spec.storageClassName, and cloning does not look at the old annotation`,
    evidence: [
      field(culprit, 'spec.storageClassName'),
      sourceEvidence(c, source),
      ...saidBy(c, lastRefusal(c, cloneTexts.classNil)),
    ],
    fix:
      culprit === claim
        ? [
            fix(
              'look at the source, take a snapshot of it and restore from that: the class of a bound claim cannot be set afterwards',
              `kubectl ${inNamespace(source.namespace)}get pvc ${shellWord(source.name)} -o yaml`,
            ),
          ]
        : [remakeFix(c, 'with spec.storageClassName')],
  };
}

function tooSmall(c: PresentClaim, source: DataSource, claim: Claim): Outcome | undefined {
  const size = claim.spec?.resources?.requests?.['storage'];
  const { request } = c;
  if (
    size === undefined ||
    request === undefined ||
    !isQuantity(size) ||
    !isQuantity(request) ||
    bytesOf(request) >= bytesOf(size)
  )
    return undefined;
  return {
    cause: 'clone-size-too-small',
    summary: `the claim asks for ${request}, and pvc/${source.name}, which is to be cloned, has ${size}`,
    evidence: [
      field(c.claim, 'spec.resources.requests.storage'),
      field(claim, 'spec.resources.requests.storage'),
      ...saidBy(c, lastRefusal(c, cloneTexts.size)),
    ],
    fix: [remakeFix(c, `with a request of ${size} or more`)],
  };
}

function judgeVolume(c: PresentClaim, source: DataSource, original: ClaimCase, claim: Claim): Outcome | undefined {
  const lookup = original.volume;
  // Whoever may not read volumes sees the mode of a bound claim all the same.
  if (lookup?.state === 'unknown') return refusedClone(c, source) ?? otherMode(c, claim, 'likely');
  const wrong =
    lookup?.state === 'found'
      ? whatIsWrong(c, source, claim, lookup.object)
      : {
          words: `pv/${original.volumeName} of pvc/${source.name} does not exist`,
          evidence: absent('PersistentVolume', original.volumeName),
        };
  if (!wrong) return lookup?.state === 'found' ? otherMode(c, lookup.object, 'certain') : undefined;
  return {
    cause: 'clone-source-invalid',
    summary: `pvc/${source.name} cannot be cloned: ${wrong.words}`,
    evidence: [wrong.evidence, sourceEvidence(c, source), ...saidBy(c, lastRefusal(c, cloneTexts.invalid))],
    fix: [
      wrong.isDriver
        ? remakeFix(c, 'with a class of the driver that made the source')
        : fix('look at the volume of the source', `kubectl get pv ${shellWord(original.volumeName)} -o yaml`),
    ],
  };
}

/** Six faults share one message; the objects tell them apart. */
function whatIsWrong(
  c: PresentClaim,
  source: DataSource,
  claim: Claim,
  volume: Volume,
): { readonly words: string; readonly evidence: ReturnType<typeof field>; readonly isDriver?: boolean } | undefined {
  const name = `pv/${volume.metadata.name}`;
  const driver = volume.spec?.csi?.driver;
  const provisioner = provisionerOf(c)?.name;
  const ref = volume.spec?.claimRef;
  if (driver === undefined)
    return { words: `its volume ${name} is not a CSI volume`, evidence: field(volume, 'spec.csi') };
  if (provisioner !== undefined && driver !== provisioner)
    return {
      words: `its volume ${name} belongs to ${driver}, and class ${c.class.name} provisions with ${provisioner}`,
      evidence: field(volume, 'spec.csi.driver'),
      isDriver: true,
    };
  if (!ref) return { words: `its volume ${name} is bound to no claim`, evidence: field(volume, 'spec.claimRef') };
  if (ref.uid !== claim.metadata.uid || ref.name !== source.name || ref.namespace !== source.namespace)
    return { words: `its volume ${name} is bound to another claim`, evidence: field(volume, 'spec.claimRef') };
  if (volume.status?.phase !== 'Bound')
    return {
      words: `its volume ${name} is ${volume.status?.phase ?? 'in no phase'}, not Bound`,
      evidence: field(volume, 'status.phase'),
    };
  return undefined;
}

function otherMode(c: PresentClaim, original: Claim | Volume, confidence: 'certain' | 'likely'): Outcome | undefined {
  const wanted = c.claim.spec?.volumeMode ?? 'Filesystem';
  const had = original.spec?.volumeMode ?? 'Filesystem';
  if (wanted === had) return undefined;
  return {
    cause: 'clone-volumemode-mismatch',
    confidence,
    summary: `the claim asks for volume mode ${wanted}, and the volume to be cloned has ${had}`,
    evidence: [
      field(c.claim, 'spec.volumeMode'),
      field(original, 'spec.volumeMode'),
      ...saidBy(c, lastRefusal(c, cloneTexts.mode)),
    ],
    fix: [remakeFix(c, `with volumeMode ${had}`)],
  };
}

export const cloneRules = rulesOf(
  [
    'clone-source-missing',
    'clone-source-not-bound',
    'clone-source-deleting',
    'clone-class-nil',
    'clone-size-too-small',
    'clone-source-invalid',
    'clone-volumemode-mismatch',
  ],
  judgeClone,
);
