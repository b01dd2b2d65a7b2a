import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { isForNode, mountingPods } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { growthEvidence } from './expansion.ts';
import { restartPods } from './pod-restart.ts';

/**
 * Each node expands a shared volume for itself, and the first one to finish updates the claim (node_expander
 * pvcAlreadyUpdated).
 */
export const resizeRwxNodeExpansion = claimRule({
  cause: 'resize-rwx-node-expansion',
  stage: 'expand',
  severity: 'warning',
  explain(c) {
    if (!isSharedAndGrowing(c)) return undefined;
    const pods = mountingPods(c);
    const nodes = new Set(pods.map((pod) => pod.spec?.nodeName ?? '').filter((node) => node !== ''));
    const [pod] = pods;
    if (nodes.size < 2 || !pod) return undefined;
    return {
      summary:
        `The volume of pvc/${c.name} is mounted on ${nodes.size} nodes, and its file system has to grow on each ` +
        'of them. The claim shows the new size as soon as the first has finished.',
      evidence: [
        field(c.claim, 'spec.accessModes'),
        ...pods.slice(0, 5).map((user) => note(user, `uses the claim on ${user.spec?.nodeName ?? ''}`)),
        ...growthEvidence(c),
      ],
      fix: [
        restartPods(
          [pod],
          `If the file system still shows the old size inside pod/${pod.metadata.name} after some minutes ` +
            '("df -h"), restart it; do the same with the pods on the other nodes. ' +
            'The volume grows when it is mounted again.',
        ),
      ],
    };
  },
});

function isSharedAndGrowing(c: PresentClaim): boolean {
  return (
    isForNode(c.claim) &&
    (c.claim.spec?.accessModes ?? []).includes('ReadWriteMany') &&
    c.annotation('volume.kubernetes.io/node-expansion-not-required') === undefined
  );
}
