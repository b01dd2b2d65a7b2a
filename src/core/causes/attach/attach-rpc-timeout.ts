import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { note } from '../../facts/evidence.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { addFlag } from '../provision/sidecar-flag.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import type { AttachError } from './attach-error.ts';
import { probeFix } from './attacher-fixes.ts';
import { explainOver, isHistory, retryText } from './attach-retry.ts';
import { answerOf, driverLogs, quoteOf } from './attach-rpc.ts';
import { repairFix } from './attach-rpc-error.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import { handleText } from './holding-node.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { deadlineText, saysTimeout } from '../lib/driver-error/senses/time.ts';

/** Until then a slow call is a wait, not a fault. */
const patienceSeconds = 135;

/** external-attacher csiAttach gives a call 15 seconds (`--timeout`) and tries again. */
export const attachRpcTimeout = attachRules('attach-rpc-timeout', 'info', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysTimeout(error)) return undefined;
  const over = explainRestarted(trouble, error);
  if (over) return over;
  const { driver, waitedSeconds, earlier } = trouble;
  const isLong = waitedSeconds > patienceSeconds;
  return {
    severity: isLong ? 'blocking' : 'info',
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${summaryOf(trouble, error)}${earlier ? ` Before that it reported ${sentence(quoteOf(earlier))}` : ''}`,
    evidence: [error.evidence, ...(earlier ? [earlier.evidence] : [])],
    fix: isLong ? fixesFor(trouble, error) : [steps(`Wait for the next try. ${retryText(trouble)}`, [])],
  };
});

function summaryOf({ driver, node, volumeText }: AttachTrouble, error: AttachError): string {
  const who = driver ?? 'The driver';
  const limit = isOwnTimeout(error) ? 'in time' : 'in the time that the attacher allows';
  return sentence(`${who} did not attach ${volumeText} to ${node} ${limit}: ${quoteOf(error)}`);
}

/** The driver itself gave up, and reports it in its own words. */
function isOwnTimeout({ words, speaker }: AttachError): boolean {
  return speaker === 'driver' && words !== '' && !deadlineText.test(words);
}

/** The driver next to the attacher was started after the error. */
function explainRestarted(trouble: AttachTrouble, error: AttachError): Explanation | undefined {
  const { ask, driver } = trouble;
  if (driver === undefined) return undefined;
  const { leader, driverContainer } = findController(ask, driver, 'attacher');
  const started = leader && parseTime(statusOf(leader, driverContainer)?.state?.running?.startedAt);
  if (!leader || !isHistory(trouble, error, started)) return undefined;
  return explainOver(trouble, `The driver ${driver} was restarted ${ageText(started, ask.now)} ago and runs.`, [
    note(leader, `its driver container has run for ${ageText(started, ask.now)}`),
    error.evidence,
  ]);
}

function fixesFor(trouble: AttachTrouble, error: AttachError): Fix[] {
  const { ask, driver } = trouble;
  // It answered, so its process runs: what it waited for is in the storage.
  if (driver !== undefined && isOwnTimeout(error))
    return [
      repairFix(trouble, handleText(volumeObjectOf(trouble)) ?? trouble.volumeText),
      probeFix(ask, driver),
      ...driverLogs(trouble),
    ];
  if (driver === undefined)
    return [steps(`Ask your storage team whether the storage is healthy and reachable. ${retryText(trouble)}`, [])];
  return [probeFix(ask, driver), ...longerTimeout(trouble, driver), ...driverLogs(trouble)];
}

/** A storage that is only slow needs a longer limit; 15 seconds are the default. */
function longerTimeout({ ask }: AttachTrouble, driver: string): Fix[] {
  const controller = findController(ask, driver, 'attacher');
  const command = addFlag(controller, 'attacher', 'timeout', '60s');
  if (command === undefined) return [];
  const name = sidecarOf(controller.workload?.object?.spec?.template?.spec, 'attacher')?.name ?? 'csi-attacher';
  return [
    steps(
      `If the storage only needs longer, give container ${name} more time than its 15 seconds. Its pod is recreated.`,
      [command],
      'disruptive',
    ),
  ];
}
