import type { StorageClass } from '../../kube/kinds.ts';
import type { ClassRow } from '../../report/rows.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { isDefaultClass, resolveClass } from '../../facts/class/storage-class.ts';
import { driverOfClass } from '../../facts/driver/driver-names.ts';
import { countRegistrations, featuresOf } from './driver-features.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';

export function classRow({ ask }: RowDesk, storageClass: StorageClass): ClassRow {
  const unknown: string[] = [];
  const driver = csiDriverOf(storageClass);
  const claims = countClaims(ask, storageClass.metadata.name);
  if (claims === undefined) unknown.push('claims');
  const side = driver === undefined ? { features: [] } : driverSide(ask, driver, unknown);
  return {
    ...rowBase(storageClass, unknown),
    isDefault: isDefaultClass(storageClass),
    provisioner: storageClass.provisioner ?? '',
    ...side,
    reclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
    bindingMode: storageClass.volumeBindingMode ?? 'Immediate',
    allowsExpansion: storageClass.allowVolumeExpansion === true,
    ...(claims !== undefined && { claims }),
    mountOptions: storageClass.mountOptions ?? [],
    allowedTopologies: (storageClass.allowedTopologies ?? []).map(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.map(({ key = '', values = [] }) => `${key} in (${values.join(', ')})`).join(' and '),
    ),
  };
}

/** A provisioner with a slash in its name is no CSI driver, and registers on no node. */
function csiDriverOf(storageClass: StorageClass): string | undefined {
  const driver = driverOfClass(storageClass);
  return driver === '' || driver.includes('/') ? undefined : driver;
}

function driverSide(
  ask: Inquiry,
  driver: string,
  unknown: string[],
): Pick<ClassRow, 'driver' | 'isInstalled' | 'registeredNodes' | 'nodes' | 'features'> {
  const object = ask.get('CSIDriver', undefined, driver, 'which drivers are installed');
  const registrations = countRegistrations(ask, driver);
  if (!registrations) unknown.push('registeredNodes', 'nodes');
  const isSeen = object.state === 'found' || (registrations?.registeredNodes ?? 0) > 0;
  const isKnown = object.state !== 'unknown' && registrations !== undefined;
  const isInstalled = isSeen || (isKnown ? false : undefined);
  if (isInstalled === undefined) unknown.push('isInstalled');
  const declared = object.state === 'found' ? object.object : undefined;
  const features = isInstalled === false ? { items: [], complete: true } : featuresOf(ask, driver, declared);
  if (object.state === 'unknown' || !features.complete) unknown.push('features');
  // A CSIDriver that could not be read may have attachRequired: false.
  const items = object.state === 'unknown' ? features.items.filter((feature) => feature !== 'attach') : features.items;
  return { driver, ...(isInstalled !== undefined && { isInstalled }), ...registrations, features: items };
}

function countClaims(ask: Inquiry, name: string): number | undefined {
  if (!ask.list('PersistentVolumeClaim', undefined, 'how many claims are of which class').complete) return undefined;
  return (
    ask.graph.group('PersistentVolumeClaim', 'class', (claim) => [resolveClass(claim).name]).get(name)?.length ?? 0
  );
}
