import type { CsiDriver } from '../../kube/kinds.ts';
import type { DriverRow, DriverSidecar } from '../../report/rows.ts';
import type { SidecarStatus } from '../../report/status.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { findPluginSets } from '../../facts/driver/node-plugin.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { surveyController } from '../../facts/driver/driver-controller.ts';
import { driverOfClass } from '../../facts/driver/driver-names.ts';
import { quietSidecars } from '../../facts/driver/driver-sidecars.ts';
import { driverVersion } from '../../facts/driver/driver-version.ts';
import { countRegistrations, featuresOf } from './driver-features.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { driverOfVolume } from './volume-attachments.ts';

/** Drivers that are registered on a node and have no CSIDriver object, which is optional. */
export function undeclaredDrivers(ask: Inquiry): CsiDriver[] {
  const csiNodes = ask.list('CSINode', undefined, 'which drivers are registered on the nodes');
  const names = new Set(csiNodes.items.flatMap(({ spec }) => (spec?.drivers ?? []).map(({ name }) => name ?? '')));
  names.delete('');
  return [...names]
    .sort(compareText)
    .filter((name) => ask.graph.find('CSIDriver', undefined, name) === undefined)
    .map((name) => ({ kind: 'CSIDriver', metadata: { name } }));
}

export function driverRow({ ask, isWide }: RowDesk, driver: CsiDriver): DriverRow {
  const { name } = driver.metadata;
  const object = ask.get('CSIDriver', undefined, name, 'what the drivers say of themselves');
  const isDeclared = object.state === 'unknown' ? undefined : object.state === 'found';
  const unknown: string[] =
    isDeclared === undefined
      ? ['isDeclared', 'createdAt', 'isAttachRequired', 'features', 'lifecycleModes', 'fsGroupPolicy']
      : [];
  const { controller, sidecars, pods, specs } = surveyController(ask, name);
  const sets = findPluginSets(ask, name);
  const template = sets.items[0]?.spec?.template?.spec;
  const version = driverVersion([...specs, template], pods, driver);
  if (version === undefined && (!sets.complete || controller.state === 'unknown')) unknown.push('version');
  if (controller.state === 'unknown') unknown.push('controller', 'sidecars', 'leader');
  const features = isWide ? featuresOf(ask, name, driver) : { items: [], complete: true };
  if (!features.complete && isDeclared !== undefined) unknown.push('features');
  const usage = usageOf(ask, name, unknown);
  const leader = leaderOf(sidecars);
  return {
    ...rowBase(driver, unknown),
    ...(isDeclared !== undefined && { isDeclared, isAttachRequired: driver.spec?.attachRequired !== false }),
    ...(version !== undefined && { version }),
    features: isDeclared === undefined ? features.items.filter((feature) => feature !== 'attach') : features.items,
    lifecycleModes: isDeclared === undefined ? [] : (driver.spec?.volumeLifecycleModes ?? ['Persistent']),
    ...(driver.spec?.fsGroupPolicy !== undefined && { fsGroupPolicy: driver.spec.fsGroupPolicy }),
    controller: controller.state,
    ...(controller.pods && { controllerPods: controller.pods }),
    ...(controller.namespace !== undefined && { controllerNamespace: controller.namespace }),
    ...(leader !== undefined && { leader }),
    sidecars: [
      ...sidecars,
      ...quietSidecars(pods, specs.at(-1), 'controller'),
      ...quietSidecars([], template, 'node'),
    ].map(sidecarOf),
    ...usage,
  };
}

/** On how many nodes the driver is registered, and which classes and how many volumes are its own. */
function usageOf(
  ask: Inquiry,
  driver: string,
  unknown: string[],
): Pick<DriverRow, 'registeredNodes' | 'nodes' | 'classes' | 'volumes'> {
  if (!ask.list('StorageClass', undefined, 'which classes the drivers serve').complete) unknown.push('classes');
  const registrations = countRegistrations(ask, driver);
  if (!registrations) unknown.push('registeredNodes', 'nodes');
  const volumes = countVolumes(ask, driver);
  if (volumes === undefined) unknown.push('volumes');
  const classes = ask.graph.group('StorageClass', 'driver', (storageClass) => [driverOfClass(storageClass)]);
  return {
    ...registrations,
    classes: (classes.get(driver) ?? []).map(({ metadata }) => metadata.name),
    ...(volumes !== undefined && { volumes }),
  };
}

/** Each sidecar has its own lease; the first one, usually the provisioner's, is shown. */
function leaderOf(sidecars: readonly SidecarStatus[]): string | undefined {
  return sidecars.find(({ leader }) => leader !== undefined)?.leader?.holder;
}

function sidecarOf({ role, place, version, state, leader, why }: SidecarStatus): DriverSidecar {
  return {
    role,
    place,
    state,
    ...(version !== undefined && { version }),
    ...(leader && { leader: leader.holder }),
    ...(why !== undefined && { why }),
  };
}

function countVolumes(ask: Inquiry, driver: string): number | undefined {
  if (!ask.list('PersistentVolume', undefined, 'how many volumes are of which driver').complete) return undefined;
  return (
    ask.graph.group('PersistentVolume', 'driver', (volume) => [driverOfVolume(ask, volume) ?? '']).get(driver)
      ?.length ?? 0
  );
}
