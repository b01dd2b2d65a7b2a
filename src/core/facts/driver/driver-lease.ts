import type { Lease } from '../../kube/kinds.ts';
import { sanitiseLeaseName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

export type SidecarRole = 'provisioner' | 'attacher' | 'resizer' | 'snapshotter';

/**
 * Whether the leader of a sidecar is alive: fresh proves that it is, stale proves that there is no leader, and missing
 * proves nothing, because leader election is optional.
 */
export interface LeaderLease {
  readonly state: 'fresh' | 'stale' | 'missing' | 'unknown';
  /** The name it has, or would have. */
  readonly name: string;
  readonly object?: Lease;
  readonly ageSeconds?: number;
}

/** A leader that missed one or two renewals is slow, not dead. */
const leastStaleSeconds = 30;
const staleWithoutDurationSeconds = 60;
/** A renewal that is later than this after the time of reading proves nothing about life. */
const mostSkewSeconds = 60;

/**
 * The names of the leases of the sidecars; the second one is used by provisioners that are not CSI sidecars (lib
 * ProvisionController, lock name).
 */
function leaseNames(driver: string, role: SidecarRole): readonly [string, ...string[]] {
  switch (role) {
    case 'provisioner': {
      const sanitised = sanitiseLeaseName(driver);
      const lock = driver.replaceAll('/', '-');
      return driver.includes('/') && lock !== sanitised && /^[A-Za-z0-9.-]+$/.test(lock)
        ? [sanitised, lock]
        : [sanitised];
    }
    case 'attacher':
      return [sanitiseLeaseName(`external-attacher-leader-${driver}`)];
    case 'resizer':
      return [`external-resizer-${sanitiseLeaseName(driver)}`];
    case 'snapshotter':
      return [sanitiseLeaseName(`external-snapshotter-leader-${driver}`)];
  }
}

const roles: readonly SidecarRole[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

/** The leases in the snapshot of any sidecar of this driver, without asking for more. */
export function leasesAtHand(ask: Inquiry, driver: string): readonly Lease[] {
  const byName = leasesByName(ask);
  return roles.flatMap((role) => leaseNames(driver, role)).flatMap((name) => byName.get(name) ?? []);
}

function leasesByName(ask: Inquiry): Map<string, readonly Lease[]> {
  return ask.graph.group('Lease', 'name', (lease) => [lease.metadata.name]);
}

export function findLease(ask: Inquiry, driver: string, role: SidecarRole): LeaderLease {
  return lookAtLeases(ask, leaseNames(driver, role), `whether the ${role} of ${driver} is alive`);
}

/** The same for any leader whose lease has one of these names, in any namespace. */
export function lookAtLeases(ask: Inquiry, names: readonly [string, ...string[]], needed: string): LeaderLease {
  const listings = names.map((name) => ask.leasesNamed(name, needed));
  const now = leaseClock(ask);
  const aged = listings
    .flatMap(({ items }) => items)
    .map((object) => ({ object, age: ageOf(object, now) }))
    .sort((a, b) => rankOf(a.age) - rankOf(b.age));
  const [best] = aged;
  if (!best) return { state: listings.every(({ complete }) => complete) ? 'missing' : 'unknown', name: names[0] };
  const { object, age } = best;
  if (age === undefined) return { state: 'unknown', name: object.metadata.name, object };
  return { state: stateOf(object, age), name: object.metadata.name, object, ageSeconds: Math.max(0, age) };
}

/** The freshest lease counts, and one that proves something before one of the future. */
function rankOf(age: number | undefined): number {
  return age === undefined || age < -mostSkewSeconds ? Number.MAX_VALUE : age;
}

/**
 * A lease that was released a moment ago may have a new holder by now; one of the future shows only that the clocks
 * differ.
 */
function stateOf(lease: Lease, age: number): LeaderLease['state'] {
  if (age < -mostSkewSeconds) return 'unknown';
  if (lease.spec?.holderIdentity && age <= staleAfter(lease)) return 'fresh';
  return age > leastStaleSeconds ? 'stale' : 'unknown';
}

function ageOf(lease: Lease, now: number): number | undefined {
  const renewed = parseTime(lease.spec?.renewTime);
  return renewed === undefined ? undefined : (now - renewed) / 1000;
}

function staleAfter(lease: Lease): number {
  const duration = lease.spec?.leaseDurationSeconds;
  return duration === undefined || duration <= 0
    ? staleWithoutDurationSeconds
    : Math.max(leastStaleSeconds, 2 * duration);
}

/**
 * When the leases were read: the kinds of a dump are not read at the same moment. If all leases are known, the latest
 * renewal is that time, because nodes and API servers renew theirs every few seconds. Leases that were read by name
 * prove nothing.
 */
function leaseClock(ask: Inquiry): number {
  const { graph } = ask;
  let clock = clocks.get(graph);
  if (clock === undefined) {
    const renewals = graph.coverage.answers('Lease', {})
      ? ask
          .seen('Lease')
          .map((lease) => parseTime(lease.spec?.renewTime) ?? 0)
          .filter((time) => time > 0 && time <= graph.now)
      : [];
    // With one or two leases, all of them may be stale.
    clock = renewals.length < 3 ? graph.now : renewals.reduce((newest, time) => Math.max(newest, time), 0);
    clocks.set(graph, clock);
  }
  return clock;
}

const clocks = new WeakMap<ClusterGraph, number>();
