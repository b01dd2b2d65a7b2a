import type { CheckFinding } from '../../report/check.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { bytesOf, compareQuantities } from '../../kube/quantity.ts';
import type { Status } from '../../report/status.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { ownFinding } from './own-finding.ts';

/** Nine tenths or more: there may be no room for the next one. */
function isNear(used: bigint, limit: bigint): boolean {
  return limit > 0n && used * 10n >= limit * 9n;
}

/** The volumes on each node against the limit of the driver. */
export function slotFindings({ drivers }: Status): CheckFinding[] {
  return drivers.flatMap(({ name: driver, placements }) =>
    placements.flatMap(({ node, slots }) => {
      if (slots?.used === undefined || !isNear(BigInt(slots.used), BigInt(Math.max(0, Math.trunc(slots.limit)))))
        return [];
      const { used, limit } = slots;
      return [
        ownFinding(
          'volume-slots-near-limit',
          { kind: 'CSINode', name: node },
          {
            summary: `node ${node} holds ${used} of ${limit} volumes of ${driver}`,
            group: `nodes hold nine tenths or more of the volumes of ${driver} that they may hold`,
            evidence: [
              {
                object: { kind: 'CSINode', name: node },
                path: `spec.drivers[${driver}].allocatable.count`,
                value: `${limit}; ${used} are there`,
              },
            ],
            fix: [fix('add a node, or move pods with volumes to one that has room')],
          },
        ),
      ];
    }),
  );
}

/** A quota counts claims or their size, of all classes or of one. */
const storageKey =
  /^(count\/)?persistentvolumeclaims$|^requests\.storage$|\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;

export function quotaFindings(ask: Inquiry, namespace: string | undefined): CheckFinding[] {
  return ask.list('ResourceQuota', namespace, 'how much of the quotas is used').items.flatMap((quota) => {
    const hard = quota.status?.hard ?? quota.spec?.hard ?? {};
    const near = Object.keys(hard)
      .filter((key) => storageKey.test(key) && isNear(bytesOf(quota.status?.used?.[key]), bytesOf(hard[key])))
      .sort();
    return near.length === 0 ? [] : [quotaFinding(quota, near)];
  });
}

function quotaFinding(quota: ObjectOf<'ResourceQuota'>, keys: readonly string[]): CheckFinding {
  const { name, namespace } = quota.metadata;
  const hard = quota.status?.hard ?? quota.spec?.hard ?? {};
  const words = keys.map((key) => `${quota.status?.used?.[key] ?? '0'} of ${hard[key] ?? ''} ${key}`);
  return ownFinding('quota-near-limit', quota, {
    summary: `quota ${name} in namespace ${namespace ?? ''} has ${words.join(', ')} in use`,
    evidence: [
      field(quota, `status.used[${keys[0] ?? ''}]`, quota.status?.used?.[keys[0] ?? '']),
      ...keys.map((key) => field(quota, `status.hard[${key}]`, hard[key])),
    ],
    fix: [
      fix(
        'raise the quota, or delete claims that are not needed',
        `kubectl ${inNamespace(namespace)}describe resourcequota ${shellWord(name)}`,
      ),
    ],
  });
}

/** The room in each segment against the usual size of the claims of the class. */
export function capacityFindings(ask: Inquiry, { capacity }: Status): CheckFinding[] {
  const usual = usualRequests(ask);
  const byClass = Map.groupBy(
    capacity.filter(({ segment }) => segment !== 'no node'),
    ({ storageClass }) => storageClass,
  );
  return [...byClass].flatMap(([storageClass, segments]) => {
    const size = usual.get(storageClass);
    const small = segments.filter(({ largestVolume }) => compareQuantities(largestVolume, size) < 0);
    if (size === undefined || small.length === 0) return [];
    const [first, ...others] = small.map(({ segment, largestVolume }) => ({
      object: { kind: 'StorageClass', name: storageClass },
      path: segment,
      value: `${largestVolume ?? 'nothing'} at most`,
    }));
    if (!first) return [];
    return [
      ownFinding(
        'capacity-too-small',
        { kind: 'StorageClass', name: storageClass },
        {
          summary: `${lackOfRoom(small.length, segments.length)} for a volume of ${size}, the usual size of class ${storageClass}`,
          evidence: [first, ...others],
          fix: [
            fix(
              'add space to the storage behind the class, or delete volumes that are not needed',
              'kubectl csi get capacity',
            ),
          ],
        },
      ),
    ];
  });
}

function lackOfRoom(small: number, total: number): string {
  if (small < total) return `${small} of ${total} places have no room`;
  return total === 1 ? 'the only place has no room' : `none of the ${total} places has room`;
}

/** The median request of the claims of each class. */
function usualRequests(ask: Inquiry): Map<string, string> {
  const byClass = Map.groupBy(ask.seen('PersistentVolumeClaim'), (claim) => resolveClass(claim).name);
  return new Map(
    [...byClass].flatMap(([name, claims]) => {
      const sizes = claims
        .map(({ spec }) => spec?.resources?.requests?.['storage'])
        .filter((size) => size !== undefined)
        .sort(compareQuantities);
      const median = sizes[Math.floor((sizes.length - 1) / 2)];
      return median === undefined ? [] : [[name, median] as const];
    }),
  );
}
