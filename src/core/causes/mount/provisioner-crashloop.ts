import { podRule } from '../lib/rule.ts';
import { explainOwnPod } from './driver-own-pod.ts';

/** For the pod of the controller itself, which waits for no volume. */
export const crashingProvisionerPod = podRule({
  cause: 'provisioner-crashloop',
  stage: 'mount',
  severity: 'blocking',
  explain: explainOwnPod('provisioner-crashloop'),
});
