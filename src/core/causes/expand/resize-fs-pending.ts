import type { Pod } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import {
  hasCondition,
  isForNode,
  mountingPods,
  nodeGraceSeconds,
  nodesTurnSince,
  resizeStateOf,
} from '../../journey/claim-growth.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { growthEvidence, resizerOf } from './expansion.ts';
import { nodeLog } from './resize-node-error.ts';
import { restartFix } from './workload-of.ts';

/** The storage has grown, nothing has failed, and the kubelet has not begun. */
function isPending({ claim }: PresentClaim): boolean {
  if (!isForNode(claim) || hasCondition(claim, 'NodeResizeError')) return false;
  const state = resizeStateOf(claim);
  return state === '' || state === 'NodeResizePending';
}

function pendingEvidence(c: PresentClaim) {
  const condition = conditionOf(c.claim.status?.conditions, 'FileSystemResizePending');
  return condition
    ? [
        field(
          c.claim,
          'status.conditions[FileSystemResizePending]',
          condition.message ?? condition.status,
          condition.lastTransitionTime,
        ),
      ]
    : [];
}

/** external-resizer markForPendingNodeExpansion: only a kubelet that mounts the volume can grow its file system. */
export const resizeFsPendingNoPod = claimRule({
  cause: 'resize-fs-pending-no-pod',
  stage: 'expand',
  severity: 'info',
  explain(c) {
    if (!isPending(c) || mountingPods(c).length > 0) return undefined;
    const [starting] = c.consumers.items;
    const unused = starting ? 'certain' : c.isUnused;
    if (!unused) return undefined;
    return {
      confidence: unused,
      summary: starting
        ? `the storage has grown; the rest happens when pod/${starting.metadata.name} has started`
        : 'the storage has grown; the rest happens when a pod that uses the claim starts',
      evidence: [...growthEvidence(c), ...pendingEvidence(c)],
      fix: [
        fix(
          starting ? 'see why the pod does not start' : 'start a pod that uses the claim',
          starting
            ? `kubectl csi why ${inNamespace(c.namespace)}pod/${shellWord(starting.metadata.name)}`
            : `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
      ],
    };
  },
});

export const resizeFsPendingPodRunning = claimRule({
  cause: 'resize-fs-pending-pod-running',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const pods = isPending(c) ? mountingPods(c) : [];
    const [pod] = pods;
    if (!pod) return undefined;
    const since = nodesTurnSince(c);
    const isReadOnly = areReadOnly(c, pods);
    if (!isReadOnly && since !== undefined && (c.now - since) / 1000 < nodeGraceSeconds) return undefined;
    const node = pod.spec?.nodeName ?? '';
    const { driver } = resizerOf(c);
    const csiNode =
      driver === undefined || node === ''
        ? undefined
        : c.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`);
    const isUnregistered =
      csiNode?.state === 'found' && !csiNode.object.spec?.drivers?.some(({ name }) => name === driver);
    const waited = since === undefined ? '' : ` for ${ageText(since, c.now)}`;
    const why = isReadOnly
      ? `pod/${pod.metadata.name} mounts it read-only`
      : isUnregistered
        ? `${driver ?? 'the driver'} is not registered on ${node}`
        : `the kubelet on ${node || 'the node'} has not grown the file system${waited}, though pod/${pod.metadata.name} runs`;
    return {
      summary: `the storage has grown, but ${why}`,
      evidence: [
        ...growthEvidence(c),
        ...pendingEvidence(c),
        note(pod, `runs on ${node || 'an unknown node'} with the volume mounted${isReadOnly ? ' read-only' : ''}`),
        ...(isUnregistered
          ? [
              field(
                csiNode.object,
                'spec.drivers',
                (csiNode.object.spec?.drivers ?? []).map(({ name }) => name ?? ''),
              ),
            ]
          : []),
      ],
      fix: isReadOnly
        ? [
            fix(
              'mount it read-write once: a read-only file system cannot grow',
              `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(pod.metadata.name)} -o yaml`,
            ),
          ]
        : [...nodeLog(pod), restartFix(pod, 'restart the pod: the volume grows when it is mounted again')],
    };
  },
});

/** operation_generator nodeExpandVolume refuses a volume whose pod asked for it read-only; the mount options of a container do not count. */
export const resizeReadonly = claimRule({
  cause: 'resize-readonly',
  stage: 'expand',
  severity: 'warning',
  explain(c) {
    const pods = isForNode(c.claim) ? mountingPods(c) : [];
    const [pod] = pods;
    if (!pod || !areReadOnly(c, pods)) return undefined;
    const said = newestMatch(c.events.items, 'FileSystemResizeFailed', /requested read-only file system/);
    return {
      summary: `every pod that uses the claim mounts it read-only (pod/${pod.metadata.name}), so its file system cannot grow`,
      evidence: [
        ...growthEvidence(c),
        ...pods.slice(0, 3).map((user) => note(user, 'spec.volumes[].persistentVolumeClaim.readOnly = true')),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'mount it read-write once',
          `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(pod.metadata.name)} -o yaml`,
        ),
      ],
    };
  },
});

function areReadOnly(c: PresentClaim, pods: readonly Pod[]): boolean {
  const sources = pods
    .flatMap((pod) => pod.spec?.volumes ?? [])
    .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === c.name);
  // An ephemeral volume is never read-only, and has no source of this form.
  return (
    c.consumers.complete &&
    sources.length >= pods.length &&
    sources.every(({ persistentVolumeClaim }) => persistentVolumeClaim?.readOnly === true)
  );
}

/** Each node grows a shared volume for itself; the first that does ends the growth in the claim (node_expander pvcAlreadyUpdated). */
export const resizeRwxNodeExpansion = claimRule({
  cause: 'resize-rwx-node-expansion',
  stage: 'expand',
  severity: 'warning',
  explain(c) {
    if (
      !isForNode(c.claim) ||
      !(c.claim.spec?.accessModes ?? []).includes('ReadWriteMany') ||
      c.annotation('volume.kubernetes.io/node-expansion-not-required') !== undefined
    )
      return undefined;
    const pods = mountingPods(c);
    const nodes = [...new Set(pods.map((pod) => pod.spec?.nodeName ?? ''))].filter((node) => node !== '').sort();
    const [pod] = pods;
    if (nodes.length < 2 || !pod) return undefined;
    return {
      summary: `the volume is mounted on ${nodes.length} nodes and has to grow on each of them, while the claim shows the new size after the first`,
      evidence: [
        field(c.claim, 'spec.accessModes'),
        ...pods.slice(0, 5).map((user) => note(user, `uses the claim on ${user.spec?.nodeName ?? ''}`)),
        ...growthEvidence(c),
      ],
      fix: [restartFix(pod, 'restart the pods on nodes that still show the old size')],
    };
  },
});
