import type { KubeEvent, StatefulSet } from '../../model/kinds.ts';
import { hasReason, messageOf, newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../journey/claim-case.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../journey/evidence.ts';
import { saysUnmade, setsExpecting } from '../../journey/expectation.ts';
import { isTerminated } from '../../journey/pod-state.ts';
import { claimRule } from '../../journey/rule.ts';
import { serverWords } from '../claim/refusal.ts';

/** By design: pv_controller emitEventForUnboundDelayBindingClaim waits until a pod that uses the claim is scheduled. */
export const wffcNoConsumer = claimRule({
  cause: 'wffc-no-consumer',
  stage: 'schedule',
  severity: 'info',
  explain(c) {
    const unused = c.isUnused;
    if (!c.isDelayed || c.selectedNode !== undefined || !unused) return undefined;
    const storageClass = c.storageClassObject;
    // Without the right to read the class, what the controller says to such claims alone is proof enough.
    const said = storageClass ? undefined : c.events.items.findLast((event) => hasReason([event], 'WaitForFirstConsumer'));
    if (!storageClass && !said) return undefined;
    const over = c.ask.graph.podsUsing(c).filter(isTerminated);
    const none = `${unused === 'certain' ? 'there is none yet' : 'no pod was found'}${over.length > 0 ? ` (pod/${over[0]?.metadata.name ?? ''} is over)` : ''}`;
    const refused = refusedPodOf(c);
    return {
      confidence: storageClass ? unused : 'likely',
      summary: `class ${c.class.name} waits for the first pod that uses the claim, and ${refused ? `statefulset/${refused.set.metadata.name} could not make it: ${serverWords(messageOf(refused.event))}` : `${none}: nothing is wrong`}`,
      evidence: [storageClass ? field(storageClass, 'volumeBindingMode') : eventSaid(c.claim, said as NonNullable<typeof said>), ...(refused ? [eventSaid(refused.set, refused.event)] : [])],
      fix: refused ? [fix('see what the StatefulSet says: the claim goes on when its pod is made', `kubectl ${inNamespace(c.namespace)}describe statefulset ${shellWord(refused.set.metadata.name)}`)] : [],
    };
  },
});

/** The claim is in order, but a StatefulSet that made it was not allowed to make the pod (a quota for CPU, a webhook). */
function refusedPodOf(c: PresentClaim): { readonly set: StatefulSet; readonly event: KubeEvent } | undefined {
  if (!/-\d+$/.test(c.name)) return undefined;
  const [expected] = setsExpecting(c.ask, c.namespace, c.name);
  if (!expected || !saysUnmade(expected)) return undefined;
  const said = newestMatch(c.ask.eventsOf(expected.set).items, 'FailedCreate', /create Pod (\S+) in StatefulSet/i);
  return said?.match[1] === expected.podName ? { set: expected.set, event: said.event } : undefined;
}
