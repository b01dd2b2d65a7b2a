import { podRule } from '../lib/rule.ts';
import { explainDriverError } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';

/** NodePublishVolume mounts the volume into the pod (operation_generator.go MountVolume.SetUp). */
export const mountPublishRpc = podRule({
  cause: 'mount-publish-rpc',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'publish');
    return failure && explainDriverError(p, failure, 'mount');
  },
});
