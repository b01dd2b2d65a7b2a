import { podRule } from '../lib/rule.ts';
import { explainOwnPod } from './driver-own-pod.ts';

/** For the pod of the controller itself, which waits for no volume. */
export const brokenAttacherPod = podRule({
  cause: 'attach-attacher-not-running',
  stage: 'mount',
  severity: 'blocking',
  explain: explainOwnPod('attach-attacher-not-running'),
});
