import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { mountingPods } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
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
      summary: starting
        ? `the storage has grown; the rest happens when pod/${starting.metadata.name} has started`
        : 'the storage has grown; the rest happens when a pod that uses the claim starts',
      evidence: [...growthEvidence(c), ...pendingEvidence(c)],
      fix: [adviceFor(c, starting)],
    };
  },
});

function adviceFor(c: PresentClaim, starting: Pod | undefined): Fix {
  const namespace = inNamespace(c.namespace);
  return starting
    ? fix('see why the pod does not start', `kubectl csi why ${namespace}pod/${shellWord(starting.metadata.name)}`)
    : fix('start a pod that uses the claim', `kubectl ${namespace}describe pvc ${shellWord(c.name)}`);
}
