import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, shellWord } from '../../facts/evidence.ts';
import { requestsOf } from '../../facts/node/node-fit.ts';
import { karpenterRefusal, scaleUpLimit, storageRefusalOfScaleUp } from '../../facts/pod/autoscaler.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, tellReasons } from '../../facts/pod/pod-placement.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { steps } from '../lib/steps.ts';
import { newPoolCommand } from './new-pool.ts';

/** A node where the volume can be used: `place` are the labels it needs, as text. */
export function addNodeThere(p: PodCase, volume: Volume, place: string, isAlternative: boolean): Fix {
  const driver = servingDriver(volume);
  const scheduled = `pod/${p.pod.metadata.name} is scheduled once the node is Ready${driver === undefined ? '' : ` and ${driver} is registered on it`}.`;
  const karpenter = karpenterRefusal(p);
  if (karpenter) {
    const { pool, key, wanted, allowed } = karpenter;
    return steps(
      `${isAlternative ? 'Or let' : 'Let'} Karpenter add a node with ${place}: NodePool "${pool}" ` +
        `allows ${key} only in (${allowed.join(', ')}). Add ${wanted.join(', ')} to its requirements, ` +
        `and a subnet there if its node class has none. ${scheduled}`,
      [`kubectl edit nodepool ${shellWord(pool)}`],
    );
  }
  const added = newPoolCommand(p, volume);
  const note = autoscalerNote(p);
  const how = added
    ? `. If there is none, create one, on ${added.service} with this line (${added.placeholders})`
    : ', or with a new pool if there is none';
  return steps(
    `${isAlternative ? 'Or add' : 'Add'} a node with ${place}${roomText(p)}, for example by raising ` +
      `the minimum size of a node pool there${note || how}. ${scheduled}`,
    note === '' && added ? [added.command] : [],
  );
}

function autoscalerNote(p: PodCase): string {
  const limit = scaleUpLimit(p);
  if (limit) return `. The cluster-autoscaler adds none ("${limit.words}"): raise that limit for the node pool there`;
  const refusal = storageRefusalOfScaleUp(p);
  return refusal
    ? `. The cluster-autoscaler adds none ("${tellReasons(refusal.reasons)}"): it knows an empty node ` +
        'pool only by its template, so give the template this label too'
    : '';
}

export function karpenterText(p: PodCase): string {
  const refusal = karpenterRefusal(p);
  return refusal
    ? ` Karpenter adds no node there: NodePool "${refusal.pool}" allows ${refusal.key} only in ` +
        `(${refusal.allowed.join(', ')}).`
    : '';
}

/** What keeps an autoscaler from adding the node that the volume needs. */
export function autoscalerSaid(p: PodCase): Evidence[] {
  const said = (karpenterRefusal(p) ?? scaleUpLimit(p) ?? storageRefusalOfScaleUp(p))?.event;
  return said ? [eventSaid(p.pod, said)] : [];
}

/** What the pod requests of the resources that the scheduler misses: `memory 12Gi`. */
export function lackingRequests({ pod, schedulingMessage }: PodCase): string[] {
  const asked = requestsOf(pod);
  const names = (schedulingMessage?.reasons ?? []).flatMap(({ text }) => /Insufficient (\S+)/.exec(text)?.[1] ?? []);
  return [...new Set(names)].map((name) => {
    const amount = asked.get(name);
    return amount === undefined ? name : `${name} (${amount})`;
  });
}

function roomText(p: PodCase): string {
  const lacking = lackingRequests(p);
  return lacking.length === 0 ? '' : ` and enough free ${nameAll(lacking)}`;
}
