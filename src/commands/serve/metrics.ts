import { bytesOf as sizeOf, isQuantity } from '../../core/kube/quantity.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import { claimStates } from '../../core/report/status.ts';
import type { CapacityStatus, DriverStatus, Status } from '../../core/report/status.ts';
import { countBy, gauge } from '../../terminal/metrics/exposition.ts';
import type { Metric } from '../../terminal/metrics/exposition.ts';
import type { StuckNote } from './notes.ts';

/** What `status` knows, as figures. Names of nodes, segments and claims become labels only on request. */
export function statusMetrics(status: Status, snapshot: Snapshot, withObjects: boolean): Metric[] {
  return [
    ...countMetrics(status),
    ...leaderMetrics(status, withObjects),
    ...slotMetrics(status, withObjects),
    ...capacityMetrics(status, withObjects),
    ...usageMetrics(status, snapshot, withObjects),
    ...(withObjects ? [placementMetric(status)] : []),
  ];
}

/** Since when the oldest object of each cause has been stuck, at the time of the scrape. */
export function ageMetric(stuck: readonly StuckNote[], now: number): Metric {
  const causes = Map.groupBy(stuck, ({ cause }) => cause);
  return {
    name: 'kubectl_csi_stuck_oldest_age_seconds',
    help: 'How long the oldest of the objects that one cause has stopped has been stuck.',
    samples: [...causes].sort(byName).flatMap(([cause, notes]) => {
      const times = notes.flatMap(({ since }) => parseTime(since) ?? []);
      return times.length === 0
        ? []
        : [{ labels: { cause }, value: Math.max(0, Math.round((now - Math.min(...times)) / 1000)) }];
    }),
  };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function countMetrics({ claims, summary }: Status): Metric[] {
  const known = claims.extent === 'none' ? [] : claimStates;
  return [
    {
      name: 'kubectl_csi_claims',
      help: 'Claims by state; absent if claims could not be read.',
      samples: known.map((state) => ({ labels: { state }, value: claims.states[state] ?? 0 })),
    },
    gauge('kubectl_csi_waiting', 'Objects that wait by design.', summary.waiting),
  ];
}

function leaderMetrics({ drivers }: Status, withObjects: boolean): Metric[] {
  const led = drivers.flatMap(({ name, sidecars }) => sidecars.map((sidecar) => ({ driver: name, ...sidecar })));
  const decided = led.filter(({ leader, staleLease }) => leader !== undefined || staleLease !== undefined);
  const groups = Map.groupBy(decided, ({ driver, role }) => JSON.stringify([driver, role]));
  return [
    {
      name: 'kubectl_csi_sidecar_has_leader',
      help: 'Whether a lease that is renewed names a leader of a sidecar; absent if the sidecar has no lease.',
      samples: [...groups].sort(byName).flatMap(([, [first, ...others]]) =>
        first === undefined
          ? []
          : [
              {
                labels: { driver: first.driver, role: first.role },
                value: [first, ...others].some(({ leader }) => leader !== undefined) ? 1 : 0,
              },
            ],
      ),
    },
    {
      name: 'kubectl_csi_sidecar_up',
      help: 'Whether a sidecar runs, judged by its pods; absent if unknown.',
      samples: sidecarSamples(led),
    },
    ...(withObjects
      ? [
          {
            name: 'kubectl_csi_sidecar_leader_info',
            help: 'Who leads, by the lease.',
            samples: decided.flatMap(({ driver, role, leader }) =>
              leader === undefined ? [] : [{ labels: { driver, role, holder: leader.holder }, value: 1 }],
            ),
          },
        ]
      : []),
  ];
}

function sidecarSamples(
  sidecars: readonly (DriverStatus['sidecars'][number] & { readonly driver: string })[],
): Metric['samples'] {
  const judged = sidecars.filter(({ place, state }) => place === 'controller' && state !== 'unknown');
  const groups = Map.groupBy(judged, ({ driver, role }) => JSON.stringify([driver, role]));
  return [...groups].sort(byName).flatMap(([, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const value = group.some(({ state }) => state === 'works') ? 1 : 0;
    return [{ labels: { driver: first.driver, role: first.role }, value }];
  });
}

const slotLevels = ['free', 'near', 'full', 'unknown'] as const;

function slotMetrics({ drivers }: Status, withObjects: boolean): Metric[] {
  const limited = drivers
    .map(({ name, placements }) => ({
      driver: name,
      places: placements.flatMap(({ node, slots }) => (slots === undefined ? [] : [{ node, ...slots }])),
    }))
    .filter(({ places }) => places.length > 0);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return [
    {
      name: 'kubectl_csi_volume_slots',
      help: 'Volumes that the nodes can hold, by driver.',
      samples: limited.map(({ driver, places }) => ({
        labels: { driver },
        value: sum(places.map(({ limit }) => limit)),
      })),
    },
    {
      name: 'kubectl_csi_volume_slots_used',
      help: 'Volume slots in use, by driver; absent if they could not be counted on every node.',
      samples: limited
        .filter(({ places }) => places.every(({ used }) => used !== undefined))
        .map(({ driver, places }) => ({ labels: { driver }, value: sum(places.map(({ used = 0 }) => used)) })),
    },
    {
      name: 'kubectl_csi_volume_slot_nodes',
      help: 'Nodes by how many volume slots of a driver are left.',
      samples: limited.flatMap(({ driver, places }) =>
        slotLevels.map((level) => ({
          labels: { driver, level },
          value: places.filter((place) => place.level === level).length,
        })),
      ),
    },
    ...(withObjects ? [nodeSlotMetric(limited)] : []),
  ];
}

function nodeSlotMetric(
  limited: readonly {
    readonly driver: string;
    readonly places: readonly { readonly node: string; readonly limit: number; readonly used?: number }[];
  }[],
): Metric {
  return {
    name: 'kubectl_csi_node_volume_slots_free',
    help: 'Free volume slots of a driver on a node.',
    samples: limited.flatMap(({ driver, places }) =>
      places.flatMap(({ node, limit, used }) =>
        used === undefined ? [] : [{ labels: { driver, node }, value: Math.max(0, limit - used) }],
      ),
    ),
  };
}

const capacityLevels = ['enough', 'low', 'none'] as const;

function capacityMetrics({ capacity }: Status, withObjects: boolean): Metric[] {
  const classes = [...Map.groupBy(capacity, ({ storageClass }) => storageClass)].sort(byName);
  return [
    {
      name: 'kubectl_csi_capacity_segments',
      help: 'Topology segments by how much room a class has there.',
      samples: classes.flatMap(([storageclass, entries]) =>
        capacityLevels.map((level) => ({
          labels: { storageclass, level },
          value: entries.filter((entry) => entry.level === level).length,
        })),
      ),
    },
    {
      name: 'kubectl_csi_capacity_largest_bytes',
      help: 'The largest volume that a class has room for in any segment.',
      samples: classes.flatMap(([storageclass, entries]) => {
        const sizes = entries.flatMap((entry) => roomOf(entry) ?? []);
        return sizes.length === 0 ? [] : [{ labels: { storageclass }, value: Math.max(...sizes) }];
      }),
    },
    ...(withObjects
      ? [
          {
            name: 'kubectl_csi_capacity_bytes',
            help: 'Free space of a class in a topology segment.',
            samples: capacity.flatMap(({ storageClass, segment, capacity: free }) => {
              const value = bytesOf(free);
              return value === undefined ? [] : [{ labels: { storageclass: storageClass, segment }, value }];
            }),
          },
        ]
      : []),
  ];
}

function roomOf({ capacity, largestVolume }: CapacityStatus): number | undefined {
  return bytesOf(largestVolume) ?? bytesOf(capacity);
}

function bytesOf(quantity: string | undefined): number | undefined {
  return quantity === undefined || !isQuantity(quantity) ? undefined : Number(sizeOf(quantity));
}

/** Nothing unless usage was asked for. */
function usageMetrics({ usage }: Status, snapshot: Snapshot, withObjects: boolean): Metric[] {
  if (usage === undefined) return [];
  const levels = ['full', 'near'] as const;
  const fullest = Math.max(...usage.fullest.flatMap(({ percent }) => percent ?? []));
  return [
    gauge('kubectl_csi_volumes_measured', 'Volumes whose usage was measured.', usage.measured),
    gauge('kubectl_csi_volumes_unmeasured', 'Mounted volumes that no source measures.', usage.unmeasured),
    {
      name: 'kubectl_csi_volumes_fullest',
      help: 'Of the ten fullest volumes: how many are full or nearly full.',
      samples: levels.map((level) => ({
        labels: { level },
        value: usage.fullest.filter((volume) => volume.level === level).length,
      })),
    },
    ...(Number.isFinite(fullest)
      ? [gauge('kubectl_csi_volume_usage_highest_percent', 'How full the fullest volume is.', fullest)]
      : []),
    ...(withObjects ? [volumeUsageMetric(snapshot)] : []),
  ];
}

function volumeUsageMetric({ usage }: Snapshot): Metric {
  return {
    name: 'kubectl_csi_volume_used_ratio',
    help: 'How full a volume is, from 0 to 1.',
    samples: (usage?.volumes ?? []).flatMap(({ namespace, claim, bytes }) =>
      bytes === undefined || bytes.total <= 0
        ? []
        : [{ labels: { namespace, persistentvolumeclaim: claim }, value: bytes.used / bytes.total }],
    ),
  };
}

function placementMetric({ drivers }: Status): Metric {
  return {
    name: 'kubectl_csi_driver_node',
    help: 'The state of a driver on a node.',
    samples: drivers.flatMap(({ name, placements }) =>
      countBy(placements, ({ node, state }) => ({ driver: name, node, state })),
    ),
  };
}
