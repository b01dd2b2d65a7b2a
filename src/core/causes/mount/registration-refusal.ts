import { eventSaid, inNamespace, shellWord } from '../../facts/evidence.ts';

import { crashEvidence } from '../../facts/pod/pod-health.ts';
import type { ContainerStatus, KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import {
  nodeIdEmptyText,
  nodeInfoTexts,
  nodeUpdateTexts,
  registrarTail,
  topologyCollisionText,
  versionConflictTexts,
} from '../lib/driver-error/sentences/registration.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { refusedRegistrar } from '../../facts/driver/plugin-health.ts';
import { registrationRule } from './registration-rule.ts';
import type { RegistrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/**
 * The kubelet has sent the registrar the reason why it does not accept the driver (NotifyRegistrationStatus), and the
 * registrar has written it to its log and ended. With FallbackToLogsOnError the end of that log is in the status of the
 * container.
 */
export interface Refusal {
  readonly pod: Pod;
  /** The status of the registrar. */
  readonly status: ContainerStatus;
  readonly text: string;
  /** The line of its log, where the status does not hold its last words. */
  readonly logged?: KubeEvent;
}

/** The reason of an event that represents the last words in the log of a registrar. */
export const registrationRefused = 'RegistrationRefused';

export function findRefusal(r: Registration): Refusal | undefined {
  const { pod } = r;
  const status = r.trouble === 'refused' && pod ? refusedRegistrar(pod, r.ask.now) : undefined;
  if (!pod || !status) return undefined;
  const words = lastWordsOf(status);
  if (words !== undefined) return { pod, status, text: words };
  const logged = r.ask.loggedAbout(pod).findLast(({ reason }) => reason === registrationRefused);
  return { pod, status, text: logged?.message ?? '', ...(logged && { logged }) };
}

/** What a container has said at its end, as far as its status holds it. */
export function lastWordsOf({ state, lastState }: ContainerStatus): string | undefined {
  return (state?.terminated ?? lastState?.terminated)?.message;
}

type RefusalReason = 'nodeId' | 'collision' | 'version' | 'update' | 'nodeInfo';

/** What the kubelet says, the particular before the general: the first that fits is the reason. */
const reasons: readonly (readonly [RefusalReason, RegExp])[] = [
  ['nodeId', nodeIdEmptyText],
  ['collision', topologyCollisionText],
  ['version', versionConflictTexts],
  ['update', nodeUpdateTexts],
  ['nodeInfo', nodeInfoTexts],
];

export function reasonOf({ text }: Refusal): RefusalReason | undefined {
  return reasons.find(([, pattern]) => pattern.test(text))?.[0];
}

interface RefusalAdvice {
  readonly what: string;
  readonly fixes: readonly Fix[];
  readonly evidence?: readonly Evidence[];
  /** What a quotation may not lose. */
  readonly decisive?: RegExp;
}

export function explainRefusal(r: Registration, refusal: Refusal, advice: RefusalAdvice): Explanation {
  const { pod, status, text, logged } = refusal;
  const words = parseDriverError(text).words.replace(registrarTail, '');
  const said = words === '' ? '' : ` It said: ${quoteWords(words, advice.decisive?.exec(words)?.[0])}.`;

  return {
    about: r.about,
    summary: `The kubelet of ${r.node} does not accept driver ${r.driver}: ${advice.what}.${said}`,
    evidence: [
      ...crashEvidence(pod, status),
      ...(logged ? [eventSaid(pod, logged)] : []),
      ...(advice.evidence ?? []),
      ...r.errorEvidence,
    ],
    fix: advice.fixes.length > 0 ? advice.fixes : [readLogFix(pod, status)],
  };
}

/** Only where the status of the container does not hold its last words. */
function readLogFix(pod: Pod, status: ContainerStatus): Fix {
  return steps(
    'Read why the kubelet refuses the driver: the last line of the registrar says it. ' +
      'Correct that, then delete the pod, so that it registers again.',
    [
      `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ` +
        `${shellWord(status.name ?? '')} --previous --tail=20`,
      kubectl('delete', pod),
    ],
    'disruptive',
  );
}

/** The rule for one reason that the kubelet gives. `what` completes "the kubelet does not take the driver: …". */
export function refusalRule(
  cause: string,
  reason: RefusalReason,
  what: string,
  adviceFor: (r: Registration, refusal: Refusal) => readonly Fix[],
): RegistrationRule {
  return registrationRule(cause, 'blocking', (r) => {
    const refusal = findRefusal(r);
    if (!refusal || reasonOf(refusal) !== reason) return undefined;
    const decisive = reasons.find(([known]) => known === reason)?.[1];
    return {
      ...explainRefusal(r, refusal, { what, fixes: adviceFor(r, refusal), ...(decisive && { decisive }) }),
      confidence: 'likely',
    };
  });
}

/**
 * The kubelet counts a plugin as handled before it registers it, so it waits for a new socket (pluginmanager
 * GenerateRegisterPluginFunc).
 */
export function restartCommand({ pod }: Registration): string {
  return `kubectl ${inNamespace(pod?.metadata.namespace)}delete pod ${shellWord(pod?.metadata.name ?? '')}`;
}
