import { fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { stateEvidence } from './failed-volume.ts';
import { isLocalStatic, retainFix } from './volume-deletion.ts';

/** The kube-controller-manager retries what it deletes itself, and keeps the reason in the volume's status. */
export const pvDeleteInTreeFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-in-tree-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Failed' || !status.message || spec?.csi || isLocalStatic(v.object)) return undefined;
    return {
      summary: `the volume controller cannot delete pv/${v.name}: ${status.message}`,
      evidence: stateEvidence(v),
      fix: [
        fix(
          'act on what the volume controller says: it tries again by itself',
          `kubectl describe pv ${shellWord(v.name)}`,
        ),
        retainFix(v.name, 'if the volume is to be kept after all: set its policy to Retain'),
      ],
    };
  },
});
