import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { mountingPods } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { growthEvidence } from './expansion.ts';
import { isFileSystemPending, pendingEvidence } from './node-expansion.ts';

/** external-resizer markForPendingNodeExpansion: only a kubelet that mounts the volume can grow its file system. */
export const resizeFsPendingNoPod = claimRule({
  cause: 'resize-fs-pending-no-pod',
  stage: 'expand',
  severity: 'info',
  explain(c) {
    if (!isFileSystemPending(c) || mountingPods(c).length > 0) return undefined;
    const [starting] = c.consumers.items;
    const unused = starting ? 'certain' : c.isUnused;
    if (!unused) return undefined;
    return {
      confidence: unused,
      summary:
        `The storage of pvc/${c.name} has grown to ${c.request ?? 'the new size'}. ` +
        `${starting ? `Its file system follows when pod/${starting.metadata.name} has started and mounts it.` : 'No pod uses it now; its file system follows when a pod mounts it.'} This is expected.`,
      evidence: [...growthEvidence(c), ...pendingEvidence(c)],
      fix: [adviceFor(c, starting)],
    };
  },
});

function adviceFor(c: PresentClaim, starting: Pod | undefined): Fix {
  return starting
    ? steps(`Check why pod/${starting.metadata.name} does not start, if it takes longer than usual.`, [
        `kubectl csi why ${inNamespace(c.namespace)}pod/${shellWord(starting.metadata.name)}`,
      ])
    : steps('Start a pod that uses the claim. The kubelet grows the file system while it mounts the volume.', []);
}
