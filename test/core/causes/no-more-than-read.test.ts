import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Finding } from '../../../src/core/report/report.ts';
import { loadScenario } from '../../kit/scenario.ts';

interface Change {
  /** Kinds that a dump does not have. */
  readonly unread?: readonly string[];
  readonly withoutVersion?: boolean;
  /** The pods that are left. */
  readonly only?: readonly string[];
  readonly change?: (object: RawObject) => RawObject;
}

/** The scenario as a dump that lacks some kinds. */
function findingsOf(
  id: string,
  { unread = [], withoutVersion = false, only, change = (object) => object }: Change,
): Finding[] {
  const { snapshot, target } = loadScenario(id);
  const { serverVersion, ...rest } = snapshot;
  const partial: Snapshot = {
    ...rest,
    ...(withoutVersion || serverVersion === undefined ? {} : { serverVersion }),
    objects: snapshot.objects
      .filter(
        ({ kind, metadata }) => !unread.includes(kind) && (kind !== 'Pod' || (only?.includes(metadata.name) ?? true)),
      )
      .map(change),
    observations: snapshot.observations.map((observation) =>
      unread.includes(observation.kind) ? { ...observation, state: 'unread' } : observation,
    ),
  };
  return [...(diagnose(partial, { targets: [target] }).report.items[0]?.findings ?? [])];
}

describe('a sentence says no more than was read', () => {
  it('that no attacher is running, only where its lease is missing', () => {
    const id = 'driver-name-mismatch--object-renamed';
    expect(findingsOf(id, {})[0]?.summary).toContain('none is running');
    const [finding] = findingsOf(id, { unread: ['Lease'] });
    expect(finding).toMatchObject({ cause: 'driver-name-mismatch', confidence: 'likely' });
    expect(finding?.summary).toContain('none has answered');
  });

  it('that a volume leaves out the namespace of its Secret, only where it does', () => {
    const [finding] = findingsOf('mount-va-forbidden', {});
    expect(finding?.summary).toContain('The kubelet looked in namespace default.');
  });

  it('that a migrated resizer is missing, not where the in-tree plugin has answered', () => {
    const findings = findingsOf('resize-offline-only--in-tree', {
      withoutVersion: true,
      change: (object) =>
        object.kind === 'PersistentVolumeClaim' && object.metadata.name === 'healthy'
          ? { ...object, status: { ...(object['status'] as object), conditions: [] } }
          : object,
    });
    expect(findings.map(({ cause }) => cause)).toContain('resize-offline-only');
    expect(findings.map(({ cause }) => cause)).not.toContain('resize-migrated-waiting');
  });

  it('that the pods which the controller names have ended, not where a dump has only the one that waits', () => {
    const id = 'attach-rwo-waiting-detach--event-only';
    const change = (object: RawObject): RawObject =>
      object.kind === 'Event' && object.metadata.name === 'attach'
        ? {
            ...object,
            message: 'Multi-Attach error for volume "pvc-7d0c4a10" Volume is already used by pod(s) import-1',
          }
        : object;
    expect(findingsOf(id, { change })[0]?.summary).toContain('still attached to another node');
    const [finding] = findingsOf(id, { change, only: ['web'] });
    expect(finding?.summary).toContain('in use on another node by import-1');
    expect(finding?.fix[0]?.commands).toContain('kubectl -n shop delete pod import-1');
  });

  it('that the content of a snapshot is gone, only after it was looked at', () => {
    const [finding] = findingsOf('restore-content-invalid', { unread: ['VolumeSnapshotContent', 'Event'] });
    expect(finding).toMatchObject({ cause: 'restore-content-invalid', confidence: 'possible' });
    expect(finding?.fix[0]?.text).toMatch(/^If the first line reports NotFound, recreate the claim/);
    expect(finding?.fix[0]?.commands?.[0]).toBe('kubectl get volumesnapshotcontent content-1');
  });
});

describe('a file system that has still to grow', () => {
  it('is the work of a kubelet, also where no pod could be read', () => {
    const summaries = findingsOf('resize-fs-pending-no-pod', {
      unread: ['Pod'],
      change: (object) => {
        const { conditions, ...status } = (object['status'] ?? {}) as { conditions?: { type?: string }[] };
        const isPending = conditions?.some(({ type }) => type === 'FileSystemResizePending') === true;
        const young = conditions?.map((condition) => ({ ...condition, lastTransitionTime: '2026-03-01T11:58:00Z' }));
        return isPending ? { ...object, status: { ...status, conditions: young } } : object;
      },
    }).map(({ summary }) => summary);
    expect(summaries[0]).toContain('the kubelet of the node where a pod uses it may take');
  });
});
