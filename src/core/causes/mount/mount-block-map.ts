import { podRule } from '../lib/rule.ts';
import { explainDriverError } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';

/** The same calls for a raw device (operation_generator.go MapVolume.SetUpDevice, MapPodDevice). */
export const mountBlockMap = podRule({
  cause: 'mount-block-map',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'block');
    return failure && explainDriverError(p, failure, 'map');
  },
});
