import type { CapacityRow } from '../../report/rows.ts';
import { describeLabelSelector } from '../../kube/selectors.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { isNear } from '../../facts/class/storage-capacity.ts';
import type { StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { driverOfClass } from '../../facts/driver/driver-names.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';

/** Set by the provisioner on the objects it publishes. */
const driverLabel = 'csi.storage.k8s.io/drivername';

export function capacityRow({ ask, isWide }: RowDesk, published: StorageCapacity): CapacityRow {
  const { storageClassName = '', nodeTopology, capacity, maximumVolumeSize } = published;
  const unknown: string[] = [];
  const driver = published.metadata.labels?.[driverLabel] ?? classDriver(ask, storageClassName, unknown);
  const all = isWide ? ask.list('Node', undefined, 'how many nodes reach the storage') : undefined;
  if (all?.complete === false) unknown.push('nodes');
  return {
    ...rowBase(published, unknown),
    storageClass: storageClassName,
    ...(driver && { driver }),
    segment: describeLabelSelector(nodeTopology, { all: 'every node', none: 'no node' }),
    ...(capacity !== undefined && { capacity }),
    ...(maximumVolumeSize !== undefined && { maximumVolumeSize }),
    ...(all?.complete === true && { nodes: all.items.filter((node) => isNear(published, node)).length }),
  };
}

function classDriver(ask: Inquiry, name: string, unknown: string[]): string | undefined {
  const storageClass = ask.get('StorageClass', undefined, name, 'which driver serves the classes');
  if (storageClass.state === 'unknown') unknown.push('driver');
  return storageClass.state === 'found' ? driverOfClass(storageClass.object) : undefined;
}
