import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { driverWords, volumeEvidence } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix, toldVolume, volumeWords } from './told-volume.ts';

/** The kubelet waits two minutes for a driver (kcsi csiTimeout), and then calls again. */
export const mountRpcTimeout = podRule({
  cause: 'mount-rpc-timeout',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'timeout');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    return {
      confidence: 'likely',
      about: `${driver ?? ''}@${nodeOf(p)}`,
      summary: `${driverWords(driver)} on ${nodeOf(p)} did not answer within two minutes when asked to mount ${volumeWords(use, failure)} for ${podWords(p)}: a hung storage system, a long file system check, or a very large volume`,
      evidence: evidenceOf(p, failure),
      fix: [
        fix('check that the node reaches the storage, and that the storage answers'),
        nodeLogsFix(p, driver),
        ...restartPluginFix(p, driver),
      ],
    };
  },
});

/** A driver that changes the owner of every file itself may run out of time, so fsGroup is evidence too. */
function evidenceOf(p: PodCase, failure: MountFailure): Explanation['evidence'] {
  const hasGroup = p.pod.spec?.securityContext?.fsGroup !== undefined;
  return [
    eventSaid(p.pod, failure.event),
    ...volumeEvidence(p, failure),
    ...(hasGroup ? [field(p.pod, 'spec.securityContext.fsGroup')] : []),
  ];
}
