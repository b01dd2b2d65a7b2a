import { bytesOf, compareQuantities } from '../../kube/quantity.ts';
import { describeLabelSelector } from '../../kube/selectors.ts';
import type { CapacityStatus, Extent } from '../../report/status.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { largestVolume } from '../../facts/class/storage-capacity.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { driverOfClass } from '../../facts/driver/driver-names.ts';
import type { KnownDriver } from '../../facts/driver/driver-names.ts';
import { extentOf } from './extent.ts';

/** Less than this is too little for practically any volume. */
const least = '1Gi';

/** The free space that drivers publish, for each class and segment. */
export function surveyCapacity(
  ask: Inquiry,
  drivers: readonly KnownDriver[],
  isWhole: boolean,
): { readonly extent: Extent; readonly capacity: readonly CapacityStatus[] } {
  const publishers = drivers.filter(
    ({ object, isInstalled }) => object?.spec?.storageCapacity === true || isInstalled === undefined,
  );
  if (publishers.length === 0) return { extent: 'all', capacity: [] };
  const published = ask.list('CSIStorageCapacity', undefined, 'how much space there is where');
  const owners = new Map(
    ask.seen('StorageClass').map((storageClass) => [storageClass.metadata.name, driverOfClass(storageClass)]),
  );
  const names = new Set(drivers.map(({ name }) => name));
  const wanted = pendingRequests(ask);
  const capacity = published.items.flatMap((entry): CapacityStatus[] => {
    const storageClass = entry.storageClassName ?? '';
    const driver = owners.get(storageClass) ?? entry.metadata.labels?.['csi.storage.k8s.io/drivername'];
    if (!isWhole && (driver === undefined || !names.has(driver))) return [];
    const largest = largestVolume(entry);
    return [
      {
        storageClass,
        ...(driver !== undefined && { driver }),
        // No topology means no node, an empty one means every node (nodeHasAccess).
        segment: describeLabelSelector(entry.nodeTopology, { all: 'every node', none: 'no node' }),
        ...(entry.capacity !== undefined && { capacity: entry.capacity }),
        ...(largest !== undefined && { largestVolume: largest }),
        ...levelOf(largest, wanted.get(storageClass)),
      },
    ];
  });
  const order = (a: CapacityStatus, b: CapacityStatus): number =>
    compareText(a.storageClass, b.storageClass) || compareText(a.segment, b.segment);
  return {
    extent: extentOf({ items: capacity, complete: published.complete }),
    capacity: capacity.sort(order),
  };
}

/** The largest request among the claims of each class that have no volume yet. */
function pendingRequests(ask: Inquiry): Map<string, string> {
  const largest = new Map<string, string>();
  for (const claim of ask.seen('PersistentVolumeClaim')) {
    const request = claim.spec?.resources?.requests?.['storage'];
    const { name } = resolveClass(claim);
    if (claim.status?.phase !== 'Bound' && request !== undefined && compareQuantities(request, largest.get(name)) > 0)
      largest.set(name, request);
  }
  return largest;
}

function levelOf(largest: string | undefined, request: string | undefined): Pick<CapacityStatus, 'level' | 'why'> {
  if (largest === undefined || bytesOf(largest) === 0n) return { level: 'none' };
  if (request !== undefined && bytesOf(largest) < bytesOf(request))
    return { level: 'low', why: `a claim asks for ${request}` };
  return bytesOf(largest) < bytesOf(least) ? { level: 'low', why: `less than ${least}` } : { level: 'enough' };
}
