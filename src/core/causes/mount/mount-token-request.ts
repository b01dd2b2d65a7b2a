import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The driver asks for tokens of the pod's service account (CSIDriver.spec.tokenRequests), and the kubelet gets none. */
export const mountTokenRequest = podRule({
  cause: 'mount-token-request',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'token');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const account = p.pod.spec?.serviceAccountName ?? 'default';
    return {
      confidence: 'likely',
      summary: `${use?.driver ?? 'the driver'} wants a token of service account ${account}, and the kubelet gets none for ${volumeWords(use, failure)} of ${podWords(p)}`,
      evidence: evidenceOf(p, failure, account),
      fix: [
        fix(
          'check that the service account exists, and that the API server issues tokens for the audiences that the driver asks for',
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get serviceaccount ${shellWord(account)}`,
        ),
      ],
    };
  },
});

function evidenceOf(p: PodCase, failure: MountFailure, account: string): Explanation['evidence'] {
  const driver = toldVolume(p, failure)?.driver;
  const object =
    driver === undefined ? undefined : p.ask.get('CSIDriver', undefined, driver, `which tokens ${driver} asks for`);
  return [
    eventSaid(p.pod, failure.event),
    field(p.pod, 'spec.serviceAccountName', account),
    ...(object?.state === 'found' ? [field(object.object, 'spec.tokenRequests')] : []),
  ];
}
