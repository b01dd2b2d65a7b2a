import type { Fix } from '../../report/report.ts';
import { grantFix } from '../lib/grant.ts';
import { saysCredentials } from '../lib/driver-error/senses/credentials.ts';
import { saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { accountForbiddenText, attacherOwnTexts, attacherTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { operationPendingTexts, saysTimeout, transitionTexts } from '../lib/driver-error/senses/time.ts';
import { steps } from '../lib/steps.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { answerOf, driverAnswerOf, driverLogs, refusalText } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleText } from './holding-node.ts';

/** Until then a volume that the storage is still working on is a wait. */
const transitionSeconds = 600;

/** Any other answer: the attacher repeats the call without end, and only the words of the answer show what to do. */
export const attachRpcError = attachRules('attach-rpc-error', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || saysTimeout(error) || isExplained(error)) return undefined;
  // The same words have a cause of their own.
  if (driverAnswerOf(trouble) && saysAttachedElsewhere(error) && !saysCredentials(error)) return undefined;
  const isPassing = operationPendingTexts.test(error.raw) || transitionTexts.test(error.raw);
  const isWait = isPassing && trouble.waitedSeconds < transitionSeconds;
  return {
    confidence: confidenceOf(trouble),
    ...(isWait && { severity: 'info' as const }),
    summary: `${refusalText(trouble, error, 'could not attach')}${isPassing ? ' An earlier operation on the volume has not finished.' : meaningText(error)}`,
    evidence: [error.evidence],
    fix: isWait ? [waitFix(trouble)] : fixesFor(trouble, error, isPassing),
  };
});

/** Words of the attacher that have causes of their own; a secret that exists by now is left to this one. */
function isExplained({ raw }: AttachError): boolean {
  return attacherOwnTexts.test(raw) && !(attacherTexts.secret.test(raw) && !/forbidden|not found/.test(raw));
}

function meaningText({ raw }: AttachError): string {
  const sense = senseOf(raw);
  if (!sense || sense.about === 'slow') return '';
  return ` ${sense.meaning.charAt(0).toUpperCase()}${sense.meaning.slice(1)}.`;
}

function waitFix(trouble: AttachTrouble): Fix {
  return steps(`Wait until the operation has finished. ${retryText(trouble)}`, []);
}

function fixesFor(trouble: AttachTrouble, error: AttachError, isPassing: boolean): Fix[] {
  const { driver } = trouble;
  if (accountForbiddenText.test(error.raw)) return [grantFix(error.raw, driver, retryText(trouble))];
  const volume = volumeObjectOf(trouble);
  const name = handleText(volume) ?? trouble.volumeText;
  if (isPassing)
    return [
      steps(
        `Ask your storage team which operation holds ${name}, and to finish or cancel it. ${retryText(trouble)}`,
        [],
      ),
      ...driverLogs(trouble),
    ];
  const advice = senseOf(error.raw)?.advice;
  return [
    advice === undefined
      ? steps(
          `Ask your storage team, with the quoted words, why ${name} cannot be attached to ${trouble.node}, and correct what they name. ${retryText(trouble)}`,
          [],
        )
      : steps(
          `${advice.replace(/ The (?:claim is then provisioned|call is repeated) automatically\.$/, '')} ${retryText(trouble)}`,
          [],
        ),
    ...driverLogs(trouble),
  ];
}
