import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { toldClaim } from './told-claim.ts';
import { podWords } from './told-volume.ts';

const protection = 'kubernetes.io/pvc-protection';

/** The kubelet does not mount a claim that is being deleted and has lost its protection finalizer (getPVCExtractPV). */
export const mountPvcDeleting = podRule({
  cause: 'mount-pvc-deleting',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimDeleting');
    const claim = findDeletedClaim(p, toldClaim(failure));
    if (!claim) return undefined;
    const [first, ...rest] = [...deletionEvidence(claim.claim), ...failureEvidence(p, failure)];
    if (!first) return undefined;
    return {
      confidence: claim.claim ? 'certain' : 'likely',
      summary:
        `pvc/${claim.name} is being deleted and has lost its protection finalizer, so the kubelet does not mount ` +
        `it for ${podWords(p)}.`,
      evidence: [first, ...rest],
      fix: adviceFor(p, claim),
    };
  },
});

/** A claim that cannot be read counts only if the kubelet names it. */
function findDeletedClaim({ claims }: PodCase, told: string | undefined): ClaimCase | undefined {
  return (
    claims.find(({ claim }) => claim !== undefined && isUnprotected(claim)) ??
    claims.find(({ name, lookup }) => name === told && lookup.state === 'unknown')
  );
}

function isUnprotected({ metadata }: Claim): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(protection);
}

function deletionEvidence(claim: Claim | undefined): Evidence[] {
  if (!claim) return [];
  return [
    field(claim, 'metadata.deletionTimestamp'),
    field(claim, 'metadata.finalizers', (claim.metadata.finalizers ?? []).join(', ') || 'none'),
  ];
}

/** Other finalizers keep the claim until their controllers remove them. */
function holdWords(claim: Claim | undefined): string {
  const [held] = claim?.metadata.finalizers ?? [];
  return held === undefined ? '' : ` The claim goes when the controller of finalizer ${held} removes it.`;
}

/** A deletion cannot be taken back: the data is kept, and the claim is recreated on the same volume. */
function adviceFor({ pod }: PodCase, { name, namespace, claim, volumeName }: ClaimCase): Fix[] {
  const object = claim ?? ({ kind: 'PersistentVolumeClaim', metadata: { name, namespace } } as const);
  const volume = { kind: 'PersistentVolume', metadata: { name: volumeName } } as const;
  const waitUntilGone = kubectl('wait', object, '--for=delete --timeout=2m');
  if (!volumeName)
    return [
      steps(
        `Save pvc/${name}, wait until it is gone, and create it again. A deletion cannot be taken back.`,
        [saveCommand(object), waitUntilGone, recreateCommands(object, {})[2]],
        'disruptive',
      ),
    ];
  return [
    steps(
      `Set pv/${volumeName} to Retain now, so that the data stays when the claim goes, and save the claim. ` +
        'A deletion cannot be taken back.',
      [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }), saveCommand(object)],
    ),
    steps(
      `Then recreate the claim on the same volume, and the pod.${holdWords(claim)}`,
      [
        waitUntilGone,
        patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
        recreateCommands(object, {})[2],
        ...restartPodCommands(pod),
      ],
      'disruptive',
    ),
  ];
}
