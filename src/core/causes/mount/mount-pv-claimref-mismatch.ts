import { isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
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
      summary: `pvc/${claim.name} is bound to pv/${volume.metadata.name}, but that volume ${describeOwner(mismatch)}: the kubelet refuses to mount it`,
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
      return `belongs to pvc ${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}`;
  }
}

function adviceFor({ claim, volume, owner }: Mismatch): Fix[] {
  return [
    fix(
      'look at both sides first: who should have the volume?',
      `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.claimRef}'`,
    ),
    ...(owner === 'other' ? [] : [writeUidFix(claim, volume)]),
    fix(
      'or make the claim again, so that it gets a volume of its own',
      `kubectl ${inNamespace(claim.namespace)}get pvc ${shellWord(claim.name)} -o yaml`,
      'disruptive',
    ),
  ];
}

function writeUidFix({ namespace, name, claim }: PresentClaim, volume: Volume): Fix {
  const { uid } = claim.metadata;
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid };
  return fix(
    "if the volume is this claim's, write the claim's uid into the claimRef",
    `kubectl patch pv ${shellWord(volume.metadata.name)} --type merge -p ${shellWord(JSON.stringify({ spec: { claimRef } }))}`,
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
    summary: `a volume of ${podWords(p)} does not belong to the claim that names it: the kubelet refuses to mount it`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [
      fix(
        'compare the claimRef of the volume with the uid of the claim',
        `kubectl ${inNamespace(p.pod.metadata.namespace)}get pvc ${shellWord(hidden.claim?.name ?? '')} -o jsonpath='{.metadata.uid} {.spec.volumeName}'`,
      ),
    ],
  };
}
