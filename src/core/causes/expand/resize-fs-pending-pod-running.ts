import type { CsiNode, Pod } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { mountingPods, nodeGraceSeconds, nodesTurnSince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { growthEvidence, resizerOf } from './expansion.ts';
import { areReadOnly, isFileSystemPending, nodeLogFix, pendingEvidence } from './node-expansion.ts';
import { restartFix } from './pod-restart.ts';

/** A pod has the volume mounted, so its kubelet should grow the file system (node_expander), and has not. */
export const resizeFsPendingPodRunning = claimRule({
  cause: 'resize-fs-pending-pod-running',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const pending = findPending(c);
    if (!pending) return undefined;
    return {
      summary: `the storage has grown, but ${whyPending(c, pending)}`,
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
  if (!pod) return undefined;
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
  if (isReadOnly) return `pod/${pod.metadata.name} mounts it read-only`;
  if (csiNodeWithoutDriver) return `${resizerOf(c).driver ?? 'the driver'} is not registered on ${node}`;
  const since = nodesTurnSince(c);
  const waited = since === undefined ? '' : ` for ${ageText(since, c.now)}`;
  return `the kubelet on ${node || 'the node'} has not grown the file system${waited}, though pod/${pod.metadata.name} runs`;
}

function evidenceOf(c: PresentClaim, { pod, node, isReadOnly, csiNodeWithoutDriver }: PendingGrowth): EvidenceList {
  const drivers = csiNodeWithoutDriver?.spec?.drivers ?? [];
  return [
    ...growthEvidence(c),
    ...pendingEvidence(c),
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

function adviceFor(c: PresentClaim, { pod, isReadOnly }: PendingGrowth): Fix[] {
  if (!isReadOnly)
    return [nodeLogFix(pod), restartFix(pod, 'restart the pod: the volume grows when it is mounted again')];
  return [
    fix(
      'mount it read-write once: a read-only file system cannot grow',
      `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(pod.metadata.name)} -o yaml`,
    ),
  ];
}
