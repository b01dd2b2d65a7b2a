import { field, fix } from '../../facts/evidence.ts';
import { sentence } from '../lib/sentence.ts';
import { driverWordsOf, quoteOf } from './driver-words.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** updateSnapshotStatus clears the error when a snapshot becomes ready, but not one that is written later. */
export const snapErrorStale = ruleForBoth({
  cause: 'snap-error-stale',
  severity: 'warning',
  explain(s) {
    const { status } = s.subject;
    if (status?.readyToUse !== true || !status.error?.message) return undefined;
    const { message, time } = status.error;
    return {
      summary: sentence(
        `${nameOf(s)} is ready to use, but its status still holds an old error: ${quoteOf(driverWordsOf(message))}`,
      ),
      evidence: [field(s.subject, 'status.readyToUse'), field(s.subject, 'status.error.message', message, time)],
      fix: [
        fix(
          'Leave it: restores work. If the error names a class or a Secret that is gone, create that before the ' +
            'snapshot is deleted: the deletion needs it.',
        ),
      ],
    };
  },
});
