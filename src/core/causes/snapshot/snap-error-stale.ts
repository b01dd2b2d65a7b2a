import { field, fix } from '../../facts/evidence.ts';
import { quote } from './driver-words.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** updateSnapshotStatus clears the error when a snapshot becomes ready, but not one that is written later. */
export const snapErrorStale = ruleForBoth({
  cause: 'snap-error-stale',
  severity: 'warning',
  explain(s) {
    const { status } = s.subject;
    if (status?.readyToUse !== true || !status.error?.message) return undefined;
    return {
      summary: `${nameOf(s)} is ready to use, though its status still holds an error: ${quote(status.error.message)}`,
      evidence: [
        field(s.subject, 'status.readyToUse'),
        field(s.subject, 'status.error.message', status.error.message, status.error.time),
      ],
      fix: [
        fix(
          'nothing has to be done to restore from it; if the error is about a class or a secret that is gone, bring that back before the snapshot is deleted',
        ),
      ],
    };
  },
});
