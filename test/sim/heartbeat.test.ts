import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { keepLeasesFresh } from '../../src/sim/heartbeat.ts';
import { KindRegistry } from '../../src/sim/served-kinds.ts';
import { Store } from '../../src/sim/store.ts';
import { snapshotOf, takenAt } from './cluster.ts';

const lease = (name: string, renewTime: string): RawObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'kube-system' },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime },
});

describe('leases while time goes on', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse(takenAt) }));
  afterEach(() => void vi.useRealTimers());

  it('stay held by the living and stale for the dead', () => {
    const snapshot = snapshotOf([
      lease('alive', '2026-03-01T11:59:55.000000Z'),
      lease('dead', '2026-03-01T11:30:00.000000Z'),
      lease('killed', '2026-03-01T11:59:55.000000Z'),
    ]);
    const store = new Store(snapshot, new KindRegistry(snapshot), Date.now);
    const renewal = (name: string): unknown =>
      (store.find('Lease', 'kube-system', name)?.['spec'] as { renewTime?: string } | undefined)?.renewTime;
    const stop = keepLeasesFresh(snapshot, store, Date.now);
    store.apply(lease('killed', '2026-03-01T11:00:00.000000Z'));
    vi.advanceTimersByTime(61_000);
    expect(renewal('alive')).toBe('2026-03-01T12:01:00.000000Z');
    expect(renewal('dead')).toBe('2026-03-01T11:30:00.000000Z');
    expect(renewal('killed')).toBe('2026-03-01T11:00:00.000000Z');
    stop();
  });
});
