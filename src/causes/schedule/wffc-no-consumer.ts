import { eventSaid, field } from '../../journey/evidence.ts';
import { hasReason } from '../../graph/events.ts';
import { claimRule } from '../../journey/rule.ts';

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
    const over = c.ask.graph.podsUsing(c);
    return {
      confidence: storageClass ? unused : 'likely',
      summary: `class ${c.class.name} waits for the first pod that uses the claim, and ${unused === 'certain' ? 'there is none yet' : 'no pod was found'}${over.length > 0 ? ` (pod/${over[0]?.metadata.name ?? ''} is over)` : ''}: nothing is wrong`,
      evidence: [storageClass ? field(storageClass, 'volumeBindingMode') : eventSaid(c.claim, said as NonNullable<typeof said>)],
      fix: [],
    };
  },
});
