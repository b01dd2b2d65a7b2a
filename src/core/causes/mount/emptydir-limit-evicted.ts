import { field } from '../../facts/evidence.ts';
import { storageEvictionOf } from '../../facts/pod/eviction.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { restartWords, setSizeClaimFix } from './eviction-fixes.ts';
import { nodeOf, podWords } from './told-volume.ts';

/**
 * eviction_manager.go emptyDirLimitEviction: the kubelet measures what an emptyDir volume uses, and evicts the pod
 * above sizeLimit.
 */
export const emptydirLimitEvicted = podRule({
  cause: 'emptydir-limit-evicted',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const eviction = storageEvictionOf(p.pod);
    if (eviction?.of !== 'emptyDir') return undefined;
    const { volume, limit } = eviction;
    const raised = formatBytes(bytesOf(limit) * 2n);
    return {
      summary:
        `${podWords(p)} was evicted from ${nodeOf(p)}: its emptyDir volume "${volume}" used more than its ` +
        `sizeLimit of ${limit}. What it held is gone.`,
      evidence: [
        field(p.pod, 'status.reason'),
        field(p.pod, 'status.message'),
        field(p.pod, `spec.volumes[${volume}].emptyDir.sizeLimit`, limit),
      ],
      fix: [
        changePodFix(
          p.pod,
          { volumes: [{ name: volume, emptyDir: { sizeLimit: raised } }] },
          (where) =>
            `Raise the limit ${where}, to ${raised} for example, if the application may use so much of the node's disk.${restartWords(p)}`,
        ),
        setSizeClaimFix(p, volume),
      ],
    };
  },
});
