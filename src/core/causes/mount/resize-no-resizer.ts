import { podRule } from '../lib/rule.ts';
import { explainOwnPod } from './driver-own-pod.ts';

/** For the pod of the controller itself, which waits for no volume. */
export const brokenResizerPod = podRule({
  cause: 'resize-no-resizer',
  stage: 'mount',
  severity: 'blocking',
  explain: explainOwnPod('resize-no-resizer'),
});
