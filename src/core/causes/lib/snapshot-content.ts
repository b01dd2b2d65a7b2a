import { snapshotApi } from './snapshot-class.ts';
import { applyCommand, kubectl } from './steps.ts';
import type { ObjectOf } from '../../kube/kinds.ts';

type SnapshotContent = ObjectOf<'VolumeSnapshotContent'>;

/** What a content needs to represent a snapshot that exists on the storage. */
interface Imported {
  readonly driver: string;
  readonly handle: string;
  readonly namespace: string;
  /** The snapshot that is to be bound to it. */
  readonly snapshot: string;
  readonly mode?: string | undefined;
}

/** Creates a content for a snapshot that exists on the storage. Retain: deleting the objects leaves the data alone. */
export function importCommand(name: string, { driver, handle, namespace, snapshot, mode }: Imported): string {
  return applyCommand({
    apiVersion: snapshotApi,
    kind: 'VolumeSnapshotContent',
    metadata: { name },
    spec: {
      deletionPolicy: 'Retain',
      driver,
      source: { snapshotHandle: handle },
      volumeSnapshotRef: { namespace, name: snapshot },
      ...(mode !== undefined && { sourceVolumeMode: mode }),
    },
  });
}

/** Where the snapshot is on the storage; undefined until the driver has taken it. */
export function handleOf({ spec, status }: SnapshotContent): string | undefined {
  return status?.snapshotHandle ?? spec?.source?.snapshotHandle;
}

/**
 * A snapshot on the storage can be given to any namespace: a content of its own, with policy Retain, and a snapshot
 * bound to it.
 */
export function adoptCommands(content: SnapshotContent, namespace: string, name: string): readonly string[] {
  const handle = handleOf(content);
  const driver = content.spec?.driver;
  if (handle === undefined || driver === undefined) return [];
  const own = importedName(namespace, name);
  const snapshot = {
    apiVersion: snapshotApi,
    kind: 'VolumeSnapshot',
    metadata: { name, namespace },
    spec: { source: { volumeSnapshotContentName: own } },
  };
  const mode = content.spec?.sourceVolumeMode;
  return [importCommand(own, { driver, handle, namespace, snapshot: name, mode }), applyCommand(snapshot)];
}

/** The name of the second content: contents have no namespace. */
export function importedName(namespace: string, name: string): string {
  return `${namespace}-${name}`.slice(0, 253);
}

/** Keeps the data on the storage when the snapshot is deleted. */
export function retainContent(content: SnapshotContent): string {
  return kubectl('patch', content, `--type=merge -p '{"spec":{"deletionPolicy":"Retain"}}'`);
}
