import { isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, sentenceStart, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The scheduler checks it too, but a pod with spec.nodeName bypasses the scheduler (operation_generator.go
 * GenerateMountVolumeFunc).
 */
export const mountRwopInUse = podRule({
  cause: 'mount-rwop-in-use',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const held = findHeldClaim(p);
    if (!held) return explainReported(p);
    const { use, claim, holder } = held;
    const isLeaving = holder.metadata.deletionTimestamp !== undefined;
    return {
      summary:
        `pvc/${claim.name} allows one pod at a time (ReadWriteOncePod), and pod/${holder.metadata.name} on the ` +
        `same node ${nodeOf(p)} ${isLeaving ? 'still uses it while it is being deleted' : 'is using it'}. ` +
        `${podWords(p)} waits until that pod is gone.`,
      evidence: [
        field(use.volumeObject ?? claim.claim, 'spec.accessModes'),
        field(holder, 'spec.nodeName'),
        ...failureEvidence(p, failureOf(p, 'oncePod')),
      ],
      fix: adviceFor(p, held),
    };
  },
});

interface HeldClaim {
  readonly use: VolumeUse;
  readonly claim: PresentClaim;
  readonly holder: Pod;
}

function findHeldClaim(p: PodCase): HeldClaim | undefined {
  for (const use of volumeUsesOf(p)) {
    const { claim } = use;
    if (!claim || !isPresent(claim) || !isForOnePod(use)) continue;
    const holder = p.ask.podsUsing(claim).items.find((pod) => isHolding(p, pod));
    if (holder) return { use, claim, holder };
  }
  return undefined;
}

function isForOnePod({ volumeObject, claim }: VolumeUse): boolean {
  const modes = volumeObject?.spec?.accessModes ?? claim?.claim?.spec?.accessModes ?? [];
  return modes.length === 1 && modes[0] === 'ReadWriteOncePod';
}

function isHolding(p: PodCase, other: Pod): boolean {
  return other.metadata.uid !== p.pod.metadata.uid && other.spec?.nodeName === nodeOf(p) && !isTerminated(other);
}

function adviceFor(p: PodCase, { holder }: HeldClaim): Fix[] {
  const { name } = holder.metadata;
  if (holder.metadata.deletionTimestamp !== undefined)
    return [
      steps(`Wait until pod/${name} is gone; if it does not go, its own answer says why.`, [
        `kubectl csi why ${holder.metadata.namespace ? `-n ${shellWord(holder.metadata.namespace)} ` : ''}pod/${shellWord(name)}`,
      ]),
    ];
  return [
    stopPodFix(
      holder,
      (what) => `If ${podWords(p)} replaces it, ${what}. The kubelet then mounts the volume within about 2 minutes.`,
    ),
    steps(`If ${podWords(p)} is the duplicate, delete it.`, [
      ...((p.pod.metadata.ownerReferences ?? []).length > 0 ? [] : [saveCommand(p.pod)]),
      kubectl('delete', p.pod),
    ]),
  ];
}

/** The other pod cannot be seen: only the kubelet's event proves that there is one. */
function explainReported(p: PodCase): Explanation | undefined {
  const failure = failureOf(p, 'oncePod');
  if (!failure) return undefined;
  return {
    confidence: 'likely',
    summary:
      `${sentenceStart(volumeWords(toldVolume(p, failure), failure))} allows one pod at a time ` +
      `(ReadWriteOncePod), and another pod on ${nodeOf(p)} is using it. ` +
      `${podWords(p)} waits until that pod is gone.`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [
      steps(`Stop the other pod of the claim: it is one of the pods on ${nodeOf(p)} in this namespace.`, [
        `kubectl -n ${shellWord(p.pod.metadata.namespace ?? 'default')} get pods -o wide --field-selector ` +
          `spec.nodeName=${shellWord(nodeOf(p))}`,
      ]),
    ],
  };
}
