import type { RawObject, Snapshot } from '../core/kube/snapshot.ts';
import { parseTime } from '../core/kube/time.ts';
import { numberAt, textAt } from './fields.ts';
import type { Store } from './store.ts';

const everyMs = 5_000;

/**
 * Time advances while a snapshot is served: a holder of a lease at the time of the snapshot continues to renew it, or
 * every controller would look dead after a minute. A lease that had expired stays expired, and so does one that another
 * client has changed.
 */
export function keepLeasesFresh(snapshot: Snapshot, store: Store, now: () => number): () => void {
  const taken = parseTime(snapshot.takenAt);
  let held = snapshot.objects.filter(
    (object) => object.kind === 'Lease' && taken !== undefined && isHeld(object, taken),
  );
  const timer = setInterval(() => {
    const renewTime = new Date(now()).toISOString().replace(/Z$/, '000Z');
    held = held
      .filter((lease) => store.find('Lease', lease.metadata.namespace, lease.metadata.name) === lease)
      .map((lease) => store.apply({ ...lease, spec: { ...(lease['spec'] as object), renewTime } }));
  }, everyMs).unref();
  return () => clearInterval(timer);
}

function isHeld(lease: RawObject, taken: number): boolean {
  const renewed = parseTime(textAt(lease, 'spec', 'renewTime'));
  return renewed !== undefined && taken - renewed <= numberAt(lease, 'spec', 'leaseDurationSeconds') * 1000;
}
