import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { fix } from '../../facts/evidence.ts';
import { shortWords } from '../lib/driver-error/quote.ts';
import type { AttachError } from './attach-error.ts';
import { detachErrorOf, detachEvidence, detachRules, isLeaving, releaseFix } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

/** external-attacher saveDetachError: the call is repeated for ever, and no event is written. */
export const detachRpcError = detachRules('detach-rpc-error', 'blocking', (detach) => {
  const error = detachErrorOf(detach);
  if (!isLeaving(detach) || !error) return undefined;
  const { driver, lead } = detach;
  return {
    summary: `${lead}: ${driver ?? 'the driver'} cannot detach it${error.code ? ` (${error.code})` : ''}: ${shortWords(error)}`,
    evidence: [error.evidence, ...detachEvidence(detach)],
    fix: fixesFor(detach, error),
  };
});

function fixesFor({ driver, ask, attachment }: DetachCase, error: AttachError): Fix[] {
  const isGone = error.code === 'NotFound' || /\b404\b|not found|does not exist|not attached/i.test(error.words);
  return [
    ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'), 'driver')]),
    fix(
      isGone
        ? 'the storage says that it is gone already: a driver should call that success, so look for a newer version of it'
        : 'act on the words of the driver: the attacher tries again by itself',
      undefined,
    ),
    releaseFix(attachment.metadata.name),
  ];
}
