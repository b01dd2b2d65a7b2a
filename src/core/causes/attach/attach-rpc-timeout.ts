import type { Fix } from '../../report/report.ts';
import { fix, shellWord } from '../../facts/evidence.ts';
import { answerOf, driverLogs } from './attach-rpc.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { saysTimeout } from '../lib/driver-error/senses/time.ts';

/** Until then a slow call is a wait, not a fault. */
const patienceSeconds = 135;

/** external-attacher csiAttach gives a call 15 seconds (`--timeout`) and tries again. */
export const attachRpcTimeout = attachRules('attach-rpc-timeout', 'info', (trouble) => {
  const error = answerOf(trouble);
  if (!error || !saysTimeout(error)) return undefined;
  const { lead, driver, waitedSeconds } = trouble;
  const isLong = waitedSeconds > patienceSeconds;
  return {
    severity: isLong ? 'blocking' : 'info',
    confidence: confidenceOf(trouble),
    ...(driver !== undefined && { about: driver }),
    summary: `${lead}${isLong ? '' : ' yet'}: ${driver ?? 'the driver'} does not finish the call in time, and it is tried again`,
    evidence: [error.evidence],
    fix: fixesFor(trouble),
  };
});

function fixesFor(trouble: AttachTrouble): Fix[] {
  const { driver } = trouble;
  return [
    ...driverLogs(trouble),
    fix('see whether the storage is slow or out of reach', undefined),
    fix(
      'if it only needs longer, give the attacher a larger --timeout',
      driver === undefined ? undefined : `kubectl get deploy,sts -A | grep -i -e csi -e ${shellWord(driver)}`,
    ),
  ];
}
