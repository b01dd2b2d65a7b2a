import { isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords } from './told-volume.ts';

/** The kubelet compares the uid in the claimRef of the volume with the uid of the claim (getPVSpec). */
export const mountPvClaimrefMismatch = podRule({
  cause: 'mount-pv-claimref-mismatch',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimReference');
    const mismatch = findMismatch(p);
    if (!mismatch) return failure && explainReported(p, failure);
    const { claim, volume } = mismatch;
    return {
      summary:
        `pvc/${claim.name} is bound to pv/${volume.metadata.name}, but that volume ${describeOwner(mismatch)}. ` +
        `The kubelet refuses to mount it for ${podWords(p)}.`,
      evidence: [
        field(volume, 'spec.claimRef.uid', volume.spec?.claimRef?.uid ?? 'not set'),
        field(claim.claim, 'metadata.uid'),
        ...failureEvidence(p, failure),
      ],
      fix: adviceFor(mismatch),
    };
  },
});

interface Mismatch {
  readonly claim: PresentClaim;
  readonly volume: Volume;
  /** Which claim the volume belongs to: none, an earlier one of the same name, or one of another name. */
  readonly owner: 'none' | 'namesake' | 'other';
}

function findMismatch(p: PodCase): Mismatch | undefined {
  for (const { claim, volumeObject: volume } of volumeUsesOf(p)) {
    if (!claim || !isPresent(claim) || !volume) continue;
    const { uid } = claim.claim.metadata;
    if (uid !== undefined && volume.spec?.claimRef?.uid !== uid)
      return { claim, volume, owner: ownerOf(volume, claim) };
  }
  return undefined;
}

function ownerOf({ spec }: Volume, claim: PresentClaim): Mismatch['owner'] {
  const reference = spec?.claimRef;
  if (!reference?.name) return 'none';
  const isNamesake = reference.name === claim.name && (reference.namespace ?? '') === claim.namespace;
  return isNamesake ? 'namesake' : 'other';
}

function describeOwner({ owner, volume }: Mismatch): string {
  switch (owner) {
    case 'none':
      return 'names no claim';
    case 'namesake':
      return 'belongs to an earlier claim of the same name';
    case 'other':
      return `belongs to pvc/${volume.spec?.claimRef?.name ?? ''} in namespace ${volume.spec?.claimRef?.namespace ?? ''}`;
  }
}

function adviceFor({ claim, volume, owner }: Mismatch): Fix[] {
  const ownVolume = steps(
    `${owner === 'other' ? 'Recreate' : 'Otherwise recreate'} pvc/${claim.name} without volumeName, so that ` +
      `it gets a volume of its own. That volume is empty; pv/${volume.metadata.name} is set to Retain and ` +
      'keeps its data. Stop the pods of the claim first.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      ...recreateCommands(claim.claim, { spec: { volumeName: null } }),
    ],
    'disruptive',
  );
  return owner === 'other' ? [ownVolume] : [writeUidFix(claim, volume.metadata.name), ownVolume];
}

function writeUidFix({ namespace, name, claim }: PresentClaim, volumeName: string): Fix {
  const { uid } = claim.metadata;
  const volume = { kind: 'PersistentVolume', metadata: { name: volumeName } } as const;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
  return steps(
    `If pvc/${name} may have the data of this volume, write its uid into the claimRef. The kubelet retries within about 2 minutes.`,
    [saveCommand(volume), patchCommand(volume, { spec: { claimRef } })],
    'disruptive',
  );
}

/** Without the right to read volumes or claims, the kubelet's event is all there is. */
function explainReported(p: PodCase, failure: MountFailure): Explanation | undefined {
  const hidden = volumeUsesOf(p).find(
    (use) => use.volume?.state === 'unknown' || use.claim?.lookup.state === 'unknown',
  );
  if (!hidden) return undefined;
  return {
    confidence: 'likely',
    summary: `A volume of ${podWords(p)} does not belong to the claim that names it, so the kubelet refuses to mount it.`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [correctClaimRef(hidden)],
  };
}

function correctClaimRef({ claim }: VolumeUse): Fix {
  if (claim && isPresent(claim) && claim.volumeName !== '') return writeUidFix(claim, claim.volumeName);
  return steps(
    'Compare the claimRef of the volume with the uid of the claim: ' +
      'if the volume is of this claim, write the uid into spec.claimRef.uid of the volume; ' +
      'otherwise recreate the claim.',
    [
      `kubectl ${inNamespace(claim?.namespace)}get pvc ${shellWord(claim?.name ?? '')} -o ` +
        `jsonpath='{.metadata.uid} {.spec.volumeName}{"\\n"}'`,
    ],
  );
}
