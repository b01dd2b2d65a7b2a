import type { CsiNode, Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { mountingPods, nodeGraceSeconds, nodesTurnSince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { growthEvidence, resizerOf } from './expansion.ts';
import { restartPlugin } from '../mount/plugin-fixes.ts';
import {
  areReadOnly,
  isFileSystemPending,
  kubeletWords,
  mountReadWrite,
  nodeErrorOf,
  nodeLogFix,
  pendingEvidence,
} from './node-expansion.ts';
import { restartPods } from './pod-restart.ts';

/** A pod has the volume mounted, so its kubelet should grow the file system (node_expander), and has not. */
export const resizeFsPendingPodRunning = claimRule({
  cause: 'resize-fs-pending-pod-running',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const pending = findPending(c);
    if (!pending) return undefined;
    return {
      summary: `The storage of pvc/${c.name} has grown to ${c.request ?? 'the new size'}, but ${whyPending(c, pending)}`,
      evidence: evidenceOf(c, pending),
      fix: adviceFor(c, pending),
    };
  },
});

interface PendingGrowth {
  readonly pod: Pod;
  readonly node: string;
  readonly isReadOnly: boolean;
  /** The CSINode of the pod's node, if the driver is not registered there. */
  readonly csiNodeWithoutDriver: CsiNode | undefined;
}

function findPending(c: PresentClaim): PendingGrowth | undefined {
  const pods = isFileSystemPending(c) ? mountingPods(c) : [];
  const [pod] = pods;
  // An error of the kubelet is another cause.
  if (!pod || nodeErrorOf(c)) return undefined;
  const since = nodesTurnSince(c);
  const isReadOnly = areReadOnly(c, pods);
  if (!isReadOnly && since !== undefined && (c.now - since) / 1000 < nodeGraceSeconds) return undefined;
  const node = pod.spec?.nodeName ?? '';
  return { pod, node, isReadOnly, csiNodeWithoutDriver: findCsiNodeWithoutDriver(c, node) };
}

function findCsiNodeWithoutDriver(c: PresentClaim, node: string): CsiNode | undefined {
  const { driver } = resizerOf(c);
  if (driver === undefined || node === '') return undefined;
  const csiNode = c.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`);
  if (csiNode.state !== 'found' || csiNode.object.spec?.drivers?.some(({ name }) => name === driver)) return undefined;
  return csiNode.object;
}

function whyPending(c: PresentClaim, { pod, node, isReadOnly, csiNodeWithoutDriver }: PendingGrowth): string {
  if (isReadOnly) return `its file system cannot follow: pod/${pod.metadata.name} mounts it read-only.`;
  if (csiNodeWithoutDriver)
    return (
      `its file system cannot follow: ${resizerOf(c).driver ?? 'the driver'} is not registered on ${node}, ` +
      `where pod/${pod.metadata.name} runs.`
    );
  const since = nodesTurnSince(c);
  const waited = since === undefined ? '' : ` for ${ageText(since, c.now)}`;
  const again = isRemounted(c, pod) ? ', and was started after the storage had grown' : '';
  return (
    `${kubeletWords(pod)} has not grown the file system${waited}, although pod/${pod.metadata.name} has it ` +
    `mounted${again}. No error was reported.`
  );
}

/**
 * A pod that started after the storage had grown has mounted the volume since, and its kubelet should have grown it
 * then.
 */
function isRemounted(c: PresentClaim, pod: Pod): boolean {
  const grown = conditionOf(c.claim.status?.conditions, 'FileSystemResizePending')?.lastTransitionTime;
  const [start, since] = [parseTime(startOf(pod)), parseTime(grown)];
  return start !== undefined && since !== undefined && start > since;
}

/** A pod starts after it was created, so its creation is proof enough where the kubelet's time is missing. */
function startOf({ status, metadata }: Pod): string | undefined {
  return status?.startTime ?? metadata.creationTimestamp;
}

function evidenceOf(c: PresentClaim, { pod, node, isReadOnly, csiNodeWithoutDriver }: PendingGrowth): EvidenceList {
  const drivers = csiNodeWithoutDriver?.spec?.drivers ?? [];
  return [
    ...growthEvidence(c),
    ...pendingEvidence(c),
    ...(isRemounted(c, pod)
      ? [field(pod, pod.status?.startTime === undefined ? 'metadata.creationTimestamp' : 'status.startTime')]
      : []),
    note(pod, `runs on ${node || 'an unknown node'} with the volume mounted${isReadOnly ? ' read-only' : ''}`),
    ...(csiNodeWithoutDriver
      ? [
          field(
            csiNodeWithoutDriver,
            'spec.drivers',
            drivers.map(({ name }) => name ?? ''),
          ),
        ]
      : []),
  ];
}

function adviceFor(c: PresentClaim, { pod, node, isReadOnly, csiNodeWithoutDriver }: PendingGrowth): Fix[] {
  if (isReadOnly) return [mountReadWrite(c, pod)];
  const pods = mountingPods(c).filter(({ spec }) => spec?.nodeName === pod.spec?.nodeName);
  if (csiNodeWithoutDriver)
    return [
      restartPlugin(
        c.ask,
        resizerOf(c).driver,
        node,
        `Save the log of the node plugin on ${node} and restart it, so that it registers. ` +
          'Its DaemonSet recreates the pod. The kubelet then grows the file system within a few minutes.',
      ),
    ];
  if (isRemounted(c, pod))
    return [
      restartPlugin(
        c.ask,
        resizerOf(c).driver,
        node,
        `Save the log of the node plugin on ${node} and restart it: ` +
          `another restart of pod/${pod.metadata.name} does not help, since it has mounted the volume after the ` +
          'storage had grown. The kubelet then calls NodeExpandVolume again within a few minutes. ' +
          'If it stays, upgrade the driver: not every release grows file systems on the node.',
      ),
    ];
  return [
    restartPods(
      pods,
      `Restart ${pods.length > 1 ? 'the pods' : `pod/${pod.metadata.name}`}: ` +
        'the kubelet grows the file system when it mounts the volume again.',
    ),
    ...nodeLogFix(c, pod, (where) => `If it stays, read what ${where} logged when it was asked to grow the volume.`),
  ];
}
