import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { isForNode, mountingPods } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { growthEvidence } from './expansion.ts';
import { restartFix } from './pod-restart.ts';

/** Each node expands a shared volume for itself, and the first one to finish updates the claim (node_expander pvcAlreadyUpdated). */
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
      summary: `the volume is mounted on ${nodes.size} nodes and has to grow on each of them, while the claim shows the new size after the first`,
      evidence: [
        field(c.claim, 'spec.accessModes'),
        ...pods.slice(0, 5).map((user) => note(user, `uses the claim on ${user.spec?.nodeName ?? ''}`)),
        ...growthEvidence(c),
      ],
      fix: [restartFix(pod, 'restart the pods on nodes that still show the old size')],
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
