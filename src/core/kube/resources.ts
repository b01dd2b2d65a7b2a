import type { Kind } from './kinds.ts';
import { bucketResources } from './resources/bucket.ts';
import { coreResources } from './resources/core.ts';
import { extensionResources } from './resources/extension.ts';
import { snapshotResources } from './resources/snapshot.ts';
import { storageResources } from './resources/storage.ts';
import { workloadResources } from './resources/workload.ts';
import type { Resource } from './resources/resource.ts';

export type { Resource } from './resources/resource.ts';

export const resources: readonly Resource[] = [
  ...coreResources,
  ...storageResources,
  ...workloadResources,
  ...snapshotResources,
  ...bucketResources,
  ...extensionResources,
];

const byKind = new Map<string, Resource>(resources.map((resource) => [resource.kind, resource]));
const byAlias = new Map<string, Resource>(
  resources.flatMap((resource) => [resource.name, ...resource.aliases].map((alias) => [alias, resource] as const)),
);

export function resourceOf(kind: Kind): Resource {
  return byKind.get(kind) as Resource;
}

/** The resource that a user means by `pvc`, `persistentvolumeclaims` or `PVC`. */
export function resourceNamed(word: string): Resource | undefined {
  const [name] = word.toLowerCase().split('.', 1);
  return byAlias.get(name ?? '');
}

/** The prefix of an object's name in output: pvc/data, pod/web-0. */
export function shortNameOf(kind: string): string {
  const shortest: Record<string, string> = {
    PersistentVolumeClaim: 'pvc',
    PersistentVolume: 'pv',
    StorageClass: 'storageclass',
    VolumeAttachment: 'volumeattachment',
  };
  return shortest[kind] ?? kind.toLowerCase();
}

/** The short name that users type: `va`, not `volumeattachment`. */
export function typedNameOf(kind: Kind): string {
  const { aliases, name } = resourceOf(kind);
  const [singular = name] = aliases;
  return singular.length <= 4 ? singular : (aliases.find((alias) => alias.length <= 4) ?? singular);
}
