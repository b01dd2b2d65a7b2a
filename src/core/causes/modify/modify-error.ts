import { fix } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { quote } from '../lib/driver-error/quote.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';
import { driverLogs, keptRefusal, otherClassFix, refusalOf } from './refused-modification.ts';
import type { ModifyRefusal } from './refused-modification.ts';

/** How long an error that may pass is left to the resizer's retries. */
const patienceSeconds = 600;

/** external-resizer markControllerModifyVolumeStatus. */
export const modifyError = claimRule({
  cause: 'modify-error',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const refusal = findLastingRefusal(c);
    if (!refusal) return undefined;
    const { target } = modificationOf(c);
    const driver = volumeOf(c)?.spec?.csi?.driver;
    return {
      confidence: keptRefusal(c) === undefined ? 'likely' : 'certain',
      summary: `${driver ?? 'the driver'} could not give the volume the attributes of class ${target}: ${quote(refusal.words || refusal.code)}`,
      evidence: [...modifyEvidence(c), refusal.evidence],
      fix: [
        fix('act on what the driver says: the resizer tries again by itself'),
        ...driverLogs(c, driver),
        otherClassFix(c),
      ],
    };
  },
});

function findLastingRefusal(c: PresentClaim): ModifyRefusal | undefined {
  const { state } = modificationOf(c);
  const refusal = state === 'Infeasible' ? undefined : refusalOf(c);
  if (!refusal) return undefined;
  // An event alone may be about a change that has ended since.
  if (keptRefusal(c) === undefined && state !== 'InProgress') return undefined;
  const since = modifySince(c);
  const isRecent = since !== undefined && (c.now - since) / 1000 < patienceSeconds;
  return mayPass(refusal.code) && isRecent ? undefined : refusal;
}
