import type { CsiDriver } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

/** What a driver does besides creating and mounting volumes, as its CSIDriver object declares. */
function declaredFeatures(object: CsiDriver | undefined): string[] {
  const spec = object?.spec;
  const has: readonly (readonly [string, boolean])[] = [
    ['attach', spec?.attachRequired !== false],
    ['capacity', spec?.storageCapacity === true],
    ['ephemeral', spec?.volumeLifecycleModes?.includes('Ephemeral') === true],
    ['podInfo', spec?.podInfoOnMount === true],
    ['republish', spec?.requiresRepublish === true],
    ['seLinuxMount', spec?.seLinuxMount === true],
    ['tokens', (spec?.tokenRequests ?? []).length > 0],
  ];
  return has.filter(([, isOn]) => isOn).map(([feature]) => feature);
}

interface Features {
  readonly items: readonly string[];
  readonly complete: boolean;
}

/** Also snapshots and volume modification, where a class for the driver exists. */
export function featuresOf(ask: Inquiry, driver: string, object: CsiDriver | undefined): Features {
  const snapshots = ask.list('VolumeSnapshotClass', undefined, 'for which drivers there are snapshot classes');
  const attributes = ask.list(
    'VolumeAttributesClass',
    undefined,
    'for which drivers there are volume attributes classes',
  );
  const hasSnapshots = ask.graph.group('VolumeSnapshotClass', 'driver', (one) => [one.driver ?? '']).has(driver);
  const hasAttributes = ask.graph.group('VolumeAttributesClass', 'driver', (one) => [one.driverName ?? '']).has(driver);
  return {
    items: [...declaredFeatures(object), ...(hasSnapshots ? ['snapshot'] : []), ...(hasAttributes ? ['modify'] : [])],
    complete: snapshots.complete && attributes.complete,
  };
}

/** On how many nodes the kubelet has registered the driver; undefined when that could not be read. */
export function countRegistrations(
  ask: Inquiry,
  driver: string,
): { readonly registeredNodes: number; readonly nodes: number } | undefined {
  const csiNodes = ask.list('CSINode', undefined, 'on which nodes the drivers are registered');
  if (!csiNodes.complete) return undefined;
  const registered =
    ask.graph
      .group('CSINode', 'driver', ({ spec }) => [...new Set((spec?.drivers ?? []).map(({ name }) => name ?? ''))])
      .get(driver) ?? [];
  return { registeredNodes: registered.length, nodes: csiNodes.items.length };
}
