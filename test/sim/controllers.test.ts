import { describe, expect, it } from 'vitest';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { runRound } from '../../src/sim/controllers/loop.ts';
import { workplaceOf } from './workplace.ts';

describe('the controllers of the demo', () => {
  it('leave a demo that nobody touches as it is: what is stuck stays stuck', () => {
    const now = new Date();
    const snapshot = demoSnapshot(now);
    const workplace = workplaceOf(snapshot, { now: () => now.getTime(), backend: demoBackend });
    const changes: string[] = [];
    workplace.cluster.store.subscribeAll(({ type, entry: { object, key } }) => {
      // Leases are renewed, and events counted up.
      if (object.kind !== 'Lease' && (object.kind !== 'Event' || type === 'ADDED'))
        changes.push(`${type} ${object.kind} ${key} ${JSON.stringify(object['status'] ?? object['message'])}`);
    });
    for (let round = 0; round < 5; round += 1) runRound(workplace);
    expect(changes).toEqual([]);
  });
});
