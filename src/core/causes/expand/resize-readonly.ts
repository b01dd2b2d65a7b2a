import { newestMatch } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, note } from '../../facts/evidence.ts';
import { isForNode, mountingPods } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { growthEvidence } from './expansion.ts';
import { areReadOnly, mountReadWrite } from './node-expansion.ts';
import { readOnlyResizeText } from '../lib/driver-error/sentences/resizer.ts';

/**
 * operation_generator nodeExpandVolume refuses a volume whose pod asks for it read-only; a container's mount options do
 * not count.
 */
export const resizeReadonly = claimRule({
  cause: 'resize-readonly',
  stage: 'expand',
  severity: 'warning',
  explain(c) {
    const pods = isForNode(c.claim) ? mountingPods(c) : [];
    const [pod] = pods;
    if (!pod || !areReadOnly(c, pods)) return undefined;
    return {
      summary: `Every pod that uses pvc/${c.name} mounts it read-only (pod/${pod.metadata.name}), so its file system cannot grow.`,
      evidence: evidenceOf(c, pods),
      fix: [mountReadWrite(c, pod)],
    };
  },
});

function evidenceOf(c: PresentClaim, pods: readonly Pod[]): EvidenceList {
  const said = newestMatch(c.events.items, 'FileSystemResizeFailed', readOnlyResizeText);
  return [
    ...growthEvidence(c),
    ...pods.slice(0, 3).map((pod) => note(pod, 'spec.volumes[].persistentVolumeClaim.readOnly = true')),
    ...(said ? [eventSaid(c.claim, said.event)] : []),
  ];
}
