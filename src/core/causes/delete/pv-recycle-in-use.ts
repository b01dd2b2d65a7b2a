import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import { nameSome } from './claim-holders.ts';
import { stateEvidence } from './failed-volume.ts';
import { policyOf, retainFix } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

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
      summary: `pv/${v.name} is to be recycled and is still used by ${names} in namespace ${namespace}`,
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
  const said = newestMatch(v.events.items, 'VolumeFailedRecycle', /Volume is used by pods: (.*)/);
  const { items, complete } = v.ask.podsUsing({ namespace, name });
  const pods = items.filter((pod) => !isTerminated(pod));
  if (pods.length === 0 && (complete || !said)) return undefined;
  return { namespace, claim: name, pods, said };
}

function fixesFor(v: VolumeSubject, { namespace, pods }: RecycleUse): Fix[] {
  const keep = retainFix(v.name, 'keep the data instead of wiping it: Recycle is deprecated, set Retain');
  if (pods.length === 0) return [keep];
  const names = pods.slice(0, 20).map((pod) => shellWord(pod.metadata.name));
  return [
    keep,
    fix(
      'data-loss: delete the pods; the volume is wiped then',
      `kubectl ${inNamespace(namespace)}delete pod ${names.join(' ')}`,
      'data-loss',
    ),
  ];
}
