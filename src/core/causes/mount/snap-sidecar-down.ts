import { podRule } from '../lib/rule.ts';
import { explainOwnPod } from './driver-own-pod.ts';

/** For the pod of the controller itself, which waits for no volume. */
export const brokenSnapshotterPod = podRule({
  cause: 'snap-sidecar-down',
  stage: 'mount',
  severity: 'blocking',
  explain: explainOwnPod('snap-sidecar-down'),
});
