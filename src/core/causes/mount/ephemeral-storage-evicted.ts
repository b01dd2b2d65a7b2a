import { field, shellWord } from '../../facts/evidence.ts';
import { storageEvictionOf } from '../../facts/pod/eviction.ts';
import type { StorageEviction } from '../../facts/pod/eviction.ts';
import { containerOf } from '../../facts/pod/named-mount.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { quoted } from './driver-answer.ts';
import { restartWords } from './eviction-fixes.ts';
import { nodeOf, podWords } from './told-volume.ts';
import { containerUsageText } from '../lib/driver-error/sentences/kubelet.ts';

/**
 * eviction_manager.go: logs, emptyDir volumes and what containers write to their own file system count as ephemeral
 * storage.
 */
export const ephemeralStorageEvicted = podRule({
  cause: 'ephemeral-storage-evicted',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const eviction = storageEvictionOf(p.pod);
    if (!eviction || eviction.of === 'emptyDir') return undefined;
    return {
      ...(eviction.of === 'node' && { about: `disk of ${nodeOf(p)}` }),
      summary: `${podWords(p)} was evicted from ${nodeOf(p)}: ${reasonOf(p, eviction)}`,
      evidence: [field(p.pod, 'status.reason'), field(p.pod, 'status.message')],
      fix: fixesFor(p, eviction),
    };
  },
});

function reasonOf(p: PodCase, eviction: Exclude<StorageEviction, { of: 'emptyDir' }>): string {
  switch (eviction.of) {
    case 'container':
      return (
        `container ${eviction.container} used more than its limit of ${eviction.limit} for ephemeral-storage ` +
        '(its own files, logs and emptyDir volumes).'
      );
    case 'pod':
      return (
        'the pod used more ephemeral-storage than its containers may ' +
        `together${eviction.limit === undefined ? '' : ` (${eviction.limit})`}.`
      );
    case 'node':
      return `the disk of the node ran low (${eviction.resource}). The kubelet reports ${quoted((p.pod.status?.message ?? '').trim())}.`;
  }
}

function fixesFor(p: PodCase, eviction: Exclude<StorageEviction, { of: 'emptyDir' }>): Fix[] {
  if (eviction.of === 'node') return fixesForNode(p, eviction.message);
  const [first] = p.pod.spec?.containers ?? [];
  const container = eviction.of === 'container' ? eviction.container : (first?.name ?? 'PLACEHOLDER_CONTAINER');
  const limit = eviction.limit ?? containerOf(p.pod, container)?.resources?.limits?.['ephemeral-storage'];
  const raised = limit === undefined ? 'PLACEHOLDER_SIZE' : formatBytes(bytesOf(limit) * 2n);
  return [
    changePodFix(
      p.pod,
      { containers: [{ name: container, resources: { limits: { 'ephemeral-storage': raised } } }] },
      (where) =>
        `Raise the limit of container ${container} ${where}, to ${raised} for example, if it may use so much of ` +
        `the node's disk.${restartWords(p)}`,
    ),
    steps(
      'Or let it write less there: rotate its logs, and mount a volume where it keeps data. ' +
        'What it writes to its own file system and to emptyDir volumes counts.',
      [],
    ),
  ];
}

/** The kubelet evicts those first that use more than they request. */
function fixesForNode(p: PodCase, message: string): Fix[] {
  const [, container = p.pod.spec?.containers?.[0]?.name ?? 'PLACEHOLDER_CONTAINER', used] =
    containerUsageText.exec(message) ?? [];
  const request = used === undefined ? 'PLACEHOLDER_SIZE' : formatBytes(bytesOf(used));
  return [
    changePodFix(
      p.pod,
      { containers: [{ name: container, resources: { requests: { 'ephemeral-storage': request } } }] },
      (where) =>
        `Request what container ${container} uses (${request}) ${where}: ` +
        `the scheduler then finds a node with room, and the kubelet evicts others first.${restartWords(p)}`,
    ),
    steps(
      `And free the disk of ${nodeOf(p)}: unused images, logs of pods, emptyDir volumes. ` +
        'Until then the node may have the taint node.kubernetes.io/disk-pressure.',
      [`kubectl describe node ${shellWord(nodeOf(p))}`],
    ),
  ];
}
