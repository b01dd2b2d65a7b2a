import { podRule } from '../lib/rule.ts';
import { explainDriverError } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';

/**
 * NodeStageVolume formats the device and mounts it once for the node (operation_generator.go MountVolume.MountDevice).
 */
export const mountStageRpc = podRule({
  cause: 'mount-stage-rpc',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'stage');
    return failure && explainDriverError(p, failure, 'stage');
  },
});
