import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubernetesObject } from './cluster/api.ts';
import { mustRun } from './cluster/command.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { World } from './scenarios/world.ts';

/** What a support engineer would ask for, and no secret. */
const kinds = [
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'csidrivers',
  'csinodes',
  'volumeattachments',
  'csistoragecapacities',
  'volumeattributesclasses',
  'pods',
  'nodes',
  'namespaces',
  'events',
  'leases',
  'statefulsets',
  'resourcequotas',
  'limitranges',
  'volumesnapshots.snapshot.storage.k8s.io',
  'volumesnapshotcontents.snapshot.storage.k8s.io',
  'volumesnapshotclasses.snapshot.storage.k8s.io',
];

/** Saves the cluster as it is, and what is true of it, in the form that test/truth replays. */
export async function saveTruth(
  directory: string,
  scenario: Scenario,
  world: World,
  kubeconfig: string,
): Promise<void> {
  const list = JSON.parse(
    await mustRun('kubectl', ['get', kinds.join(','), '-A', '-o', 'json'], { environment: { KUBECONFIG: kubeconfig } }),
  ) as { items: KubernetesObject[] };
  const target = join(directory, scenario.name);
  mkdirSync(target, { recursive: true });
  const own = list.items.filter((item) => belongs(item, world));
  const volumes = new Set(own.filter(({ kind }) => kind === 'PersistentVolume').map(({ metadata }) => metadata.name));
  const ofVolumes = list.items.filter(
    (item) =>
      !own.includes(item) &&
      ((item.kind === 'VolumeAttachment' && volumes.has(item['spec'].source.persistentVolumeName as string)) ||
        (item.kind === 'Event' && volumes.has(item['involvedObject'].name as string))),
  );
  const items = [...own, ...ofVolumes].map((item) => withoutOthers(item, world));
  writeFileSync(join(target, 'cluster.yaml'), withoutMachine(stringify({ ...list, items }, { lineWidth: 0 })));
  const { status, cause, wrong = [], mustMention = [], phase, note, toldByEvents } = scenario;
  writeFileSync(
    join(target, 'expect.json'),
    `${JSON.stringify({ target: world.target ?? scenario.target, namespace: world.namespace, status, cause, wrong, mustMention, phase, note, ...(toldByEvents === true && { toldByEvents }) }, undefined, 1)}\n`,
  );
}

/** A dump must show one scenario, and those that run beside it have left their traces all over the cluster. */
function belongs(item: KubernetesObject, world: World): boolean {
  const {
    kind,
    metadata: { name, namespace },
  } = item;
  const isOurs = (place: string | undefined): boolean =>
    place === world.namespace || place === `${world.namespace}-source`;
  if (kind === 'Namespace') return isOurs(name) || !name.startsWith('e2e-');
  if (kind === 'PersistentVolume')
    return isOurs(item['spec'].claimRef?.namespace) || world.made.has(`PersistentVolume/${name}`);
  if (kind === 'VolumeSnapshotContent') return isOurs(item['spec'].volumeSnapshotRef?.namespace);
  if (kind === 'VolumeAttachment')
    return world.made.has(`VolumeAttachment/${name}`) || world.made.has(`CSIDriver/${item['spec'].attacher}`);
  if (kind === 'Node' || kind === 'CSINode')
    return ['node-a', 'node-b'].includes(name) || world.made.has(`Node/${name}`);
  if (kind === 'Lease' && namespace === 'kube-node-lease')
    return ['node-a', 'node-b'].includes(name) || world.made.has(`Node/${name}`);
  if (kind === 'Lease')
    return (
      !name.endsWith('-csi-test') ||
      [...world.made].some(
        (made) => made.startsWith('CSIDriver/') && name.endsWith(made.slice('CSIDriver/'.length).replaceAll('.', '-')),
      )
    );
  if (kind === 'CSIStorageCapacity') return world.made.has(`StorageClass/${item['storageClassName']}`);
  if (kind === 'Event' && namespace === 'default') return false;
  if (namespace !== undefined) return isOurs(namespace);
  return world.made.has(`${kind}/${name}`) || !/^e2e-|\.csi\.test$/.test(name);
}

/** What a node says of the drivers and volumes of others. */
function withoutOthers(item: KubernetesObject, world: World): KubernetesObject {
  const isForeign = (driver: string): boolean => driver.endsWith('.csi.test') && !world.made.has(`CSIDriver/${driver}`);
  const ofDriver = (name: string): boolean => !isForeign(/^kubernetes\.io\/csi\/([^^]+)\^/.exec(name)?.[1] ?? '');
  if (item.kind === 'CSINode')
    return {
      ...item,
      spec: { drivers: ((item['spec'].drivers ?? []) as { name: string }[]).filter(({ name }) => !isForeign(name)) },
    };
  if (item.kind !== 'Node') return item;
  const { volumesAttached, volumesInUse, ...status } = item['status'] as {
    volumesAttached?: { name: string }[];
    volumesInUse?: string[];
  };
  return {
    ...item,
    status: {
      ...status,
      ...(volumesAttached && { volumesAttached: volumesAttached.filter(({ name }) => ofDriver(name)) }),
      ...(volumesInUse && { volumesInUse: volumesInUse.filter(ofDriver) }),
    },
  };
}

/** The machine that ran it has no place in a test. */
function withoutMachine(yaml: string): string {
  return yaml
    .replaceAll(/(machineID|systemUUID|bootID): .*/g, '$1: 00000000-0000-0000-0000-000000000000')
    .replaceAll(/kernelVersion: \d.*/g, 'kernelVersion: 6.1.0')
    .replaceAll(new RegExp(`(?<=[\\s/_"-])${hostname().replaceAll(/[^\w-]/g, '.')}(?=[\\s_"])`, 'g'), 'control-plane')
    .replaceAll(/\/\S*kubectl-csi-e2e-\w+/g, '/run/e2e');
}
