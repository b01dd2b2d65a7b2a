import { eventSaid, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import { accountMissingText, notCachedText, notRegisteredWords } from '../lib/driver-error/sentences/kubelet.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { retryWords } from './failed-mount.ts';
import { podWords, sentenceStart, toldVolume, volumeWords } from './told-volume.ts';

/**
 * Tokens, certificates and objects that the kubelet has not seen yet: several sources end in one error
 * (pkg/volume/projected).
 */
export const mountProjectedFailed = podRule({
  cause: 'mount-projected-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'projected');
    if (!failure) return undefined;
    const account = missingAccount(failure);
    return {
      confidence: 'likely',
      ...(account !== undefined && { about: `${p.pod.metadata.namespace ?? ''}/${account}` }),
      summary:
        `${sentenceStart(volumeWords(toldVolume(p, failure), failure))} of ${podWords(p)} cannot be filled: ` +
        `${describeReason(failure)} Persistent storage is not involved.`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [adviceFor(p, failure)],
    };
  },
});

function missingAccount({ text }: MountFailure): string | undefined {
  return accountMissingText.exec(text)?.[1];
}

function describeReason(failure: MountFailure): string {
  const account = missingAccount(failure);
  if (account !== undefined)
    return `ServiceAccount "${account}" does not exist, so the API server issues no token for it.`;
  const unseen = notCachedText.exec(failure.text);
  if (unseen)
    return `the kubelet does not have ${unseen[2] ?? ''} of namespace ${unseen[1] ?? ''} in its cache ("not registered").`;
  return `${quoted(ownWords(failure.text))}.`;
}

function adviceFor({ pod }: PodCase, failure: MountFailure): Fix {
  const account = missingAccount(failure);
  if (account !== undefined)
    return steps(
      `Create ServiceAccount "${account}", or correct serviceAccountName where the pod is defined. ${retryWords}`,
      [`kubectl ${inNamespace(pod.metadata.namespace)}create serviceaccount ${shellWord(account)}`],
    );
  if (notRegisteredWords.test(failure.text))
    return steps(
      'If it lasts longer than a few minutes, recreate the pod: the kubelet then reads its sources anew.',
      restartPodCommands(pod),
    );
  return steps(`Create or correct the source that the quoted text names. ${retryWords}`, []);
}
