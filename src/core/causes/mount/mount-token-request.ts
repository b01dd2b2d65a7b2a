import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import { accountMissingText } from '../lib/driver-error/sentences/kubelet.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { quoted } from './driver-answer.ts';
import { retryWords } from './failed-mount.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The driver asks for tokens of the pod's service account (CSIDriver.spec.tokenRequests), and the kubelet gets none.
 */
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
      summary:
        `${use?.driver ?? 'The driver'} needs a token of ServiceAccount "${account}" to mount ` +
        `${volumeWords(use, failure)} for ${podWords(p)}, and the kubelet gets none: ` +
        `${quoted(ownWords(failure.text))}.`,
      evidence: evidenceOf(p, failure, account),
      fix: [adviceFor(p, failure, account, use?.driver)],
    };
  },
});

function adviceFor({ ask, pod }: PodCase, { text }: MountFailure, account: string, driver: string | undefined): Fix {
  if (accountMissingText.test(text))
    return steps(
      `Create ServiceAccount "${account}", or correct serviceAccountName where the pod is defined. ${retryWords}`,
      [`kubectl ${inNamespace(pod.metadata.namespace)}create serviceaccount ${shellWord(account)}`],
    );
  const object = driver === undefined ? undefined : ask.graph.find('CSIDriver', undefined, driver);
  if (!object)
    return steps(
      `Correct what the quoted text names: the account, or the audience that the driver asks for. ${retryWords}`,
      [],
    );
  return steps(
    'Set tokenRequests of the CSIDriver to audiences that this API server issues; ' +
      `PLACEHOLDER_AUDIENCE is one of its --api-audiences. ${retryWords}`,
    [patchCommand(object, { spec: { tokenRequests: [{ audience: 'PLACEHOLDER_AUDIENCE' }] } })],
    'disruptive',
  );
}

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
