import { describe, expect, it } from 'vitest';
import {
  isUnderstood,
  parseSchedulingMessage,
  reasonsLike,
  storageTexts,
} from '../../../../src/core/facts/pod/scheduling-message.ts';

describe('what the scheduler said', () => {
  it('is taken apart into reasons, without what the PostFilter plugins add', () => {
    const { nodesTotal, reasons } = parseSchedulingMessage(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match PersistentVolume's node affinity. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    );
    expect(nodesTotal).toBe(3);
    expect(reasons).toEqual([
      { nodes: 1, text: 'Insufficient cpu', isStorage: false },
      { nodes: 2, text: "node(s) didn't match PersistentVolume's node affinity", isStorage: true },
    ]);
  });

  it('keeps a reason together that has a comma of its own', () => {
    const { reasons } = parseSchedulingMessage(
      "0/3 nodes are available: 1 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate, 2 node(s) had volume node affinity conflict.",
    );
    expect(reasons.map(({ nodes, text }) => [nodes, text])).toEqual([
      [1, "node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate"],
      [2, 'node(s) had volume node affinity conflict'],
    ]);
  });

  it.each([
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
    '0/2 nodes are available: 2 pod has unbound immediate PersistentVolumeClaims.',
    'pod has unbound immediate PersistentVolumeClaims (repeated 2 times)',
  ])('knows the refusal at the door: %s', (raw) => {
    const { reasons } = parseSchedulingMessage(raw);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]?.text).toMatch(/^pod has unbound immediate PersistentVolumeClaims/);
    expect(reasons[0]?.isStorage).toBe(true);
  });

  it.each([
    'PersistentVolumeClaim is not bound: "data-db-1" (repeated 3 times)',
    'pod has unbound PersistentVolumeClaims (repeated 3 times)',
  ])('knows the refusal at the door in the words of old schedulers: %s', (raw) => {
    const message = parseSchedulingMessage(raw);
    expect(reasonsLike(message, storageTexts.unboundImmediate)).toHaveLength(1);
    expect(message.reasons[0]?.isStorage).toBe(true);
  });

  it.each([
    "node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously",
    'running PreBind plugin "VolumeBinding": binding volumes: timed out waiting for the condition',
    'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
    '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
    '0/1 nodes are available: 1 ebs.csi.aws.com CSI driver is not installed on the node.',
  ])('takes as a matter of storage: %s', (raw) => {
    expect(parseSchedulingMessage(raw).reasons.some(({ isStorage }) => isStorage)).toBe(true);
  });

  it.each([
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    '0/2 nodes are available: 2 Too many pods.',
    'no nodes available to schedule pods',
  ])("takes as the pod's own trouble: %s", (raw) => {
    const message = parseSchedulingMessage(raw);
    expect(message.reasons.some(({ isStorage }) => isStorage)).toBe(false);
    expect(isUnderstood(message)).toBe(true);
  });

  it.each([
    '1 out of VG free space',
    '1 Insufficient storage',
    '2 Insufficient topolvm.io/capacity',
    '1 Insufficient example.com/local-storage',
    '1 not enough free space',
    '3 no enough storage capacity',
    '1 insufficient lvm storage',
  ])("takes as a lack of room in a pool, in a storage scheduler's own words: %s", (reason) => {
    const message = parseSchedulingMessage(
      `0/3 nodes are available: ${reason}. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.`,
    );
    expect(reasonsLike(message, storageTexts.poolSpace)).toHaveLength(1);
    expect(message.reasons[0]?.isStorage).toBe(true);
  });

  it.each([
    'Insufficient ephemeral-storage',
    'Insufficient example.com/ephemeral-storage',
    'Insufficient memory',
    'Insufficient example.com/capacity',
    'node(s) had untolerated taint(s) {node.kubernetes.io/out-of-disk: }',
    'node(s) did not have enough free storage',
  ])('does not take as one: %s', (reason) => {
    expect(
      reasonsLike(parseSchedulingMessage(`0/3 nodes are available: 3 ${reason}.`), storageTexts.poolSpace),
    ).toEqual([]);
  });

  it('does not pretend to understand a foreign scheduler', () => {
    expect(isUnderstood(parseSchedulingMessage('0/1 nodes are available: 1 no enough nodes.'))).toBe(false);
    expect(parseSchedulingMessage('').reasons).toEqual([]);
  });
});
