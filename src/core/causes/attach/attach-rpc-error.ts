import { fix } from '../../facts/evidence.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import { answerOf, driverLogs } from './attach-rpc.ts';
import { attachRules, confidenceOf } from './attach-trouble.ts';
import { saysTimeout } from '../lib/driver-error/senses/time.ts';

/** Any other answer of the driver: the attacher retries it for ever, so only its words tell what to do. */
export const attachRpcError = attachRules('attach-rpc-error', 'blocking', (trouble) => {
  const error = answerOf(trouble);
  if (!error || saysTimeout(error)) return undefined;
  const { lead, driver } = trouble;
  const sense = senseOf(error.raw);
  return {
    confidence: confidenceOf(trouble),
    summary: `${lead}: ${driver ?? 'the storage'} answers${error.code ? ` ${error.code}` : ''}: ${shortWords(error)}`,
    evidence: [error.evidence],
    fix: [
      ...(sense?.advice ? [fix(sense.advice, undefined)] : []),
      ...driverLogs(trouble),
      fix('act on the words of the driver: the attacher tries again by itself, at most five minutes apart', undefined),
    ],
  };
});
