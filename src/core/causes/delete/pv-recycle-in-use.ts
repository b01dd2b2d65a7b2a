import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, note } from '../../facts/evidence.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { objectRule } from '../lib/rule.ts';
import { nameSome } from './claim-holders.ts';
import { stateEvidence } from './failed-volume.ts';
import { retainFix } from './data-first.ts';
import { policyOf } from './reclaim-policy.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';
import { recycledInUseText } from '../lib/driver-error/sentences/volume-controller.ts';

interface RecycleUse {
  readonly namespace: string;
  readonly claim: string;
  /** Empty: the pods could not be read, and only the event names them. */
  readonly pods: readonly Pod[];
  readonly said: EventMatch | undefined;
}

/** pv_controller isVolumeUsed: a volume that a running pod has mounted is not wiped. */
export const pvRecycleInUse = objectRule('PersistentVolume', {
  cause: 'pv-recycle-in-use',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const use = findUse(v);
    if (!use) return undefined;
    const { namespace, claim, pods, said } = use;
    const names = pods.length > 0 ? nameSome(pods.map((pod) => `pod/${pod.metadata.name}`)) : (said?.match[1] ?? '');
    return {
      confidence: pods.length > 0 ? 'certain' : 'likely',
      summary: `${releasedWords(v)} and is to be wiped (policy Recycle), but ${names} in namespace ${namespace} still uses it.`,
      evidence: [
        ...stateEvidence(v),
        ...pods.slice(0, 5).map((pod) => note(pod, `uses pvc/${claim}, phase ${pod.status?.phase ?? 'unknown'}`)),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: fixesFor(v, use),
    };
  },
});

function findUse(v: VolumeSubject): RecycleUse | undefined {
  const { spec, status } = v.object;
  const { namespace, name } = spec?.claimRef ?? {};
  if (policyOf(v.object) !== 'Recycle' || status?.phase !== 'Released' || namespace === undefined || !name)
    return undefined;
  const said = newestMatch(v.events.items, 'VolumeFailedRecycle', recycledInUseText);
  const { items, complete } = v.ask.podsUsing({ namespace, name });
  const pods = items.filter((pod) => !isTerminated(pod));
  if (pods.length === 0 && (complete || !said)) return undefined;
  return { namespace, claim: name, pods, said };
}

function fixesFor(v: VolumeSubject, { pods }: RecycleUse): Fix[] {
  const keep = retainFix(
    v.name,
    'Set the policy to Retain, which keeps the data and lets the pod run on. Recycle is deprecated.',
  );
  const [pod] = pods;
  if (!pod) return [keep];
  const stop = stopPodFix(pod, (what) => `If the data is not needed, ${what}. The volume is then wiped.`);
  return [keep, { ...stop, risk: 'data-loss' }];
}
