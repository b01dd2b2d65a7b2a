import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/** Tokens, certificates and objects that the kubelet has not seen yet: several sources end in one error (pkg/volume/projected). */
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
      summary: `${volumeWords(toldVolume(p, failure), failure)} of ${podWords(p)} cannot be filled: ${describeReason(failure)}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [adviceFor(p, account)],
    };
  },
});

function missingAccount({ text }: MountFailure): string | undefined {
  return /serviceaccounts? "([^"]+)" not found/i.exec(text)?.[1];
}

function describeReason(failure: MountFailure): string {
  const account = missingAccount(failure);
  if (account !== undefined) return `service account ${account} does not exist, so no token can be made for it`;
  const unseen = /object "([^"]*)"\/"([^"]*)" not registered/.exec(failure.text);
  if (unseen)
    return `the kubelet does not know ${unseen[2] ?? ''} of namespace ${unseen[1] ?? ''} yet, which ends by itself unless the pod is on its way out`;
  if (/token/i.test(failure.text)) return 'the API server gives the kubelet no token for the service account';
  return 'one of its sources cannot be had';
}

function adviceFor({ pod: { metadata } }: PodCase, account: string | undefined): Fix {
  const target = `kubectl ${inNamespace(metadata.namespace)}`;
  return account === undefined
    ? fix('make each source that the message names', `${target}describe pod ${shellWord(metadata.name)}`)
    : fix(`create service account ${account}`, `${target}create serviceaccount ${shellWord(account)}`);
}
