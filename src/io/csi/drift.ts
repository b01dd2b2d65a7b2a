import type { DriverAssumptions } from '../../core/report/driver-assumptions.ts';
import type { ProbeItem } from '../../core/report/probe-report.ts';
import { controllerDrift } from './controller-drift.ts';
import type { Drift } from './drift-words.ts';
import { nodeDrift } from './node-drift.ts';

/** The items of a report, each with the drift that its answers prove. */
export function withDrift(items: readonly ProbeItem[], assumptions: readonly DriverAssumptions[]): ProbeItem[] {
  const byDriver = new Map(assumptions.map((assumed) => [assumed.driver, assumed]));
  const peersOf = Map.groupBy(
    items.filter(({ protocol }) => protocol === 'csi'),
    ({ driver }) => driver,
  );
  return items.map((item) => {
    const assumed = byDriver.get(item.driver ?? '');
    if (assumed === undefined || item.protocol !== 'csi') return item;
    const { drift, notes } = driftOf(item, assumed, peersOf.get(item.driver));
    return drift.length + notes.length === 0
      ? item
      : { ...item, drift: [...item.drift, ...drift], notes: [...item.notes, ...notes] };
  });
}

/**
 * The drift of one endpoint; its peers are all endpoints of the same driver. A service that was not asked proves
 * nothing.
 */
export function driftOf(item: ProbeItem, assumed: DriverAssumptions, peers: readonly ProbeItem[] = [item]): Drift {
  const own = [controllerDrift(item, assumed, peers), nodeDrift(item, assumed)];
  return {
    drift: [...nameDrift(item, assumed), ...own.flatMap(({ drift }) => drift), ...versionDrift(item, peers)],
    notes: own.flatMap(({ notes }) => notes),
  };
}

function nameDrift({ driver, failure }: ProbeItem, assumed: DriverAssumptions): string[] {
  if (driver === undefined || driver === assumed.driver || failure === 'name-mismatch') return [];
  return [
    `the cluster uses the driver name ${assumed.driver}, but the driver reports ${driver}: ` +
      'classes, volumes and registrations use the first name',
  ];
}

/** Reported for the outlier: a node that differs from the controller or, if none answered, from most of the others. */
function versionDrift({ version, roles }: ProbeItem, peers: readonly ProbeItem[]): string[] {
  if (version === undefined || roles?.includes('controller') === true) return [];
  const controllers = peers.filter((peer) => peer.roles?.includes('controller') === true && peer.version !== undefined);
  const [usual] = mostCommon((controllers.length > 0 ? controllers : peers).flatMap((peer) => peer.version ?? []));
  if (usual === undefined || usual === version) return [];
  return [
    `this is version ${version} of the driver, but ` +
      `${controllers.length > 0 ? 'its controller is' : 'most of its other pods are'} version ${usual}`,
  ];
}

/** Undefined if two are equally common. */
function mostCommon(values: readonly string[]): string[] {
  const counts = [...Map.groupBy(values, (value) => value)]
    .map(([value, same]) => ({ value, count: same.length }))
    .sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  return first !== undefined && first.count !== second?.count ? [first.value] : [];
}
