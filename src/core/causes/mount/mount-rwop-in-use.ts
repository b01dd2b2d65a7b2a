import { isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The scheduler checks it too, but a pod with spec.nodeName bypasses the scheduler (operation_generator.go GenerateMountVolumeFunc). */
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
      summary: `pvc/${claim.name} may be used by one pod at a time (ReadWriteOncePod), and pod/${holder.metadata.name} on the same node ${nodeOf(p)} ${isLeaving ? 'still uses it while it is being deleted' : 'uses it'}`,
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

function adviceFor(p: PodCase, { claim, holder }: HeldClaim): Fix[] {
  const { name } = holder.metadata;
  return [
    fix(
      `stop pod/${name} if ${podWords(p)} shall take over`,
      `kubectl ${inNamespace(claim.namespace)}delete pod ${shellWord(name)}`,
      'disruptive',
    ),
    fix('or use a claim with ReadWriteOnce, which several pods of one node may share'),
  ];
}

/** The other pod cannot be seen: only the kubelet's event proves that there is one. */
function explainReported(p: PodCase): Explanation | undefined {
  const failure = failureOf(p, 'oncePod');
  if (!failure) return undefined;
  return {
    confidence: 'likely',
    summary: `${volumeWords(toldVolume(p, failure), failure)} may be used by one pod at a time (ReadWriteOncePod), and another pod on ${nodeOf(p)} uses it`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [
      fix('find the other pod', `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(nodeOf(p))}`),
    ],
  };
}
