import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import { loadScenario, snapshotOf } from '../../kit/scenario.ts';

describe('the notes of stages', () => {
  it('say that an in-tree volume is attached where the node lists it, and only that volume', () => {
    const attach = (listed: string): string =>
      noteOf('attach', 'mount-in-tree-failed', (object) => {
        if (object.kind === 'PersistentVolume' && object.metadata.name === 'pv-data') {
          const { iscsi: _, ...spec } = object['spec'] as Record<string, unknown>;
          return { ...object, spec: { ...spec, vsphereVolume: { volumePath: '[ds] kubevols/x.vmdk' } } };
        }
        if (object.kind !== 'Node' || object.metadata.name !== 'node-a') return object;
        const status = { ...(object['status'] as object), volumesAttached: [{ name: listed, devicePath: '' }] };
        return { ...object, status };
      });
    expect(attach('kubernetes.io/vsphere-volume/[ds] kubevols/x.vmdk')).toBe('attached to node-a');
    expect(attach('kubernetes.io/vsphere-volume/[ds] kubevols/y.vmdk')).toContain('cannot be seen');
  });

  it('do not say that no volume fits where one does and the scheduler chooses', () => {
    const chosen = (size: string): string =>
      noteOf('bind', 'wffc-bind-timeout', (object) => {
        if (object.kind === 'PersistentVolumeClaim' && object.metadata.name === 'data') {
          const annotations = { 'volume.kubernetes.io/selected-node': 'node-a' };
          return { ...object, metadata: { ...object.metadata, annotations } };
        }
        if (object.metadata.name !== 'local-1') return object;
        return { ...object, spec: { ...(object['spec'] as object), capacity: { storage: size } } };
      });
    expect(chosen('50Gi')).toBe('not bound to a volume yet');
    expect(chosen('1Mi')).toBe('no existing volume fits yet');
  });
});

function noteOf(stage: string, scenario: string, change: (object: RawObject) => RawObject): string {
  const { snapshot, target } = loadScenario(scenario);
  const changed = snapshotOf(snapshot.objects.map(change), { serverVersion: 'v1.14.0' });
  const { report } = diagnose(changed, { targets: [target] });
  return report.items[0]?.stages.find((one) => one.stage === stage)?.note ?? '';
}
