import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { Cluster } from '../../src/sim/cluster.ts';
import { Writes } from '../../src/sim/changes/writes.ts';
import { willingBackend } from '../../src/sim/controllers/backend.ts';
import type { Backend } from '../../src/sim/controllers/backend.ts';
import type { Workplace } from '../../src/sim/controllers/loop.ts';
import { KindRegistry } from '../../src/sim/served-kinds.ts';
import { Store } from '../../src/sim/store.ts';
import { takenAt } from './cluster.ts';

interface Circumstances {
  readonly now?: () => number;
  readonly backend?: Backend;
}

/** A cluster without a server, for controllers to work on. */
export function workplaceOf(snapshot: Snapshot, circumstances: Circumstances = {}): Workplace {
  const { now = () => Date.parse(takenAt), backend = willingBackend } = circumstances;
  const kinds = new KindRegistry(snapshot);
  const cluster = new Cluster(new Store(snapshot, kinds, now), kinds, now);
  return { cluster, writes: new Writes(cluster), backend };
}
