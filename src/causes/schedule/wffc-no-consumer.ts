import { field } from '../../journey/evidence.ts';
import { claimRule } from '../../journey/rule.ts';

/** By design: pv_controller emitEventForUnboundDelayBindingClaim waits until a pod that uses the claim is scheduled. */
export const wffcNoConsumer = claimRule({
  cause: 'wffc-no-consumer',
  stage: 'schedule',
  severity: 'info',
  explain(c) {
    const storageClass = c.storageClassObject;
    if (!storageClass || !c.isDelayed || c.selectedNode !== undefined || !c.consumers.complete || c.consumers.items.length > 0) return undefined;
    return {
      summary: `class ${storageClass.metadata.name} waits for the first pod that uses the claim, and there is none yet: nothing is wrong`,
      evidence: [field(storageClass, 'volumeBindingMode')],
      fix: [],
    };
  },
});
