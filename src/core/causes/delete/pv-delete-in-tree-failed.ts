import { deletionSenseOf } from '../lib/driver-error/deletion-sense.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { objectRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { dataFirst } from './data-first.ts';
import { stateEvidence } from './failed-volume.ts';
import { isLocalStatic } from './volume-deletion.ts';

/** The kube-controller-manager retries what it deletes itself, and keeps the reason in the volume's status. */
export const pvDeleteInTreeFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-in-tree-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Failed' || !status.message || spec?.csi || isLocalStatic(v.object)) return undefined;
    const { meaning, cure } = deletionSenseOf(status.message);
    return {
      summary:
        `${sentence(`The volume controller cannot delete pv/${v.name}: ${quoteWords(status.message)}`)} ${meaning}`.trimEnd(),
      evidence: stateEvidence(v),
      fix: dataFirst(v.object, [
        steps(`${cure} The volume controller retries automatically within a few minutes.`, []),
      ]),
    };
  },
});
