import { describe, expect, it } from 'vitest';
import { isSlip } from '../../../../src/core/causes/mount/driver-name-mismatch.ts';
import { registrationRules, registrationRulesAtAttach } from '../../../../src/core/causes/mount/registration-order.ts';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import type { RulesOfStage } from '../../../../src/core/causes/lib/rule.ts';
import type { RawObject } from '../../../../src/core/kube/snapshot.ts';
import { ago, baseObjects, loadScenario, snapshotOf } from '../../../kit/scenario.ts';

describe('names that were meant to be one', () => {
  it.each([
    ['direct-csi-min-io', 'direct.csi.min.io'],
    ['rbd.csi.ceph.com', 'rook-ceph.rbd.csi.ceph.com'],
    ['csi.exmaple.com', 'csi.example.com'],
    ['CSI.example.com', 'csi.example.com'],
  ])('%s and %s', (left, right) => expect(isSlip(left, right)).toBe(true));

  it.each([
    ['ebs.csi.aws.com', 'efs.csi.aws.com'],
    ['nfs.csi.k8s.io', 'smb.csi.k8s.io'],
    ['disk.csi.azure.com', 'file.csi.azure.com'],
    ['csi.example.com', 'csi.example.com'],
  ])('not %s and %s', (left, right) => expect(isSlip(left, right)).toBe(false));
});

const rules: RulesOfStage = (stage) =>
  [...registrationRulesAtAttach, ...registrationRules].filter((rule) => rule.stage === stage);

describe('a driver that has just started', () => {
  const { snapshot, target } = loadScenario('driver-registration-silent');
  const started = {
    containerStatuses: ['driver', 'node-driver-registrar'].map((name) => ({
      name,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: ago('20s') } },
    })),
  };
  const objects = snapshot.objects.map((object): RawObject =>
    object.metadata.name === 'csi-node-b'
      ? { ...object, status: { ...(object['status'] as object), ...started } }
      : object,
  );

  it('is given time to register', () => {
    const { report } = diagnose({ ...snapshot, objects }, { targets: [target] }, rules);
    expect(report.items[0]?.findings.map(({ cause }) => cause)).not.toContain('driver-registration-silent');
  });
});

describe('a node that is new', () => {
  const { snapshot, target } = loadScenario('driver-not-on-node');
  const objects = snapshot.objects.map((object): RawObject =>
    object.kind === 'Node' && object.metadata.name === 'node-b'
      ? { ...object, metadata: { ...object.metadata, creationTimestamp: ago('40s') } }
      : object,
  );

  it('is given time to get its drivers', () => {
    const { report } = diagnose({ ...snapshot, objects }, { targets: [target] }, rules);
    expect(report.items[0]?.findings.map(({ cause }) => cause)).not.toContain('driver-not-on-node');
  });
});

describe('what a driver costs to look at', () => {
  it('asks for the pods of its namespace once, not for those of each node', () => {
    const empty = { ...snapshotOf(baseObjects()), observations: [] };
    const { needs } = diagnose(empty, { targets: [{ kind: 'CSIDriver', name: 'csi.example.com' }] });
    expect(needs.filter(({ kind, scope }) => kind === 'Pod' && scope.fieldSelector !== undefined)).toEqual([]);
  });
});

describe('a DaemonSet that keeps off a node whose pods were read in one namespace only', () => {
  const { snapshot, target } = loadScenario('driver-not-on-node--stale-csinode');
  const observations = snapshot.observations.map((observation) =>
    observation.kind === 'Pod' ? { ...observation, scope: { namespace: 'shop' } } : observation,
  );
  const { report } = diagnose({ ...snapshot, observations }, { targets: [target] });
  const cause = report.items[0]?.findings.find(({ role }) => role === 'cause');

  it('names what keeps it off as likely', () => {
    expect(cause).toMatchObject({ cause: 'mount-driver-not-registered', confidence: 'likely' });
    expect(cause?.summary).toContain('Most likely no pod of the driver runs there');
  });

  it('brings the driver there before it restarts a pod that may not exist', () => {
    expect(cause?.fix[0]?.text).toMatch(/^Let daemonset\/csi-node tolerate every taint/);
    expect(cause?.fix.map(({ text }) => text).join(' ')).toContain('restart it');
  });
});
