import type { Pod } from '../../kube/kinds.ts';

/** Why the kubelet evicted a pod for the storage on its node (pkg/kubelet/eviction/eviction_manager.go). */
export type StorageEviction =
  | { readonly of: 'emptyDir'; readonly volume: string; readonly limit: string }
  | { readonly of: 'container'; readonly container: string; readonly limit: string }
  | { readonly of: 'pod'; readonly limit: string | undefined }
  | { readonly of: 'node'; readonly resource: string; readonly message: string };

const emptyDirText = /Usage of EmptyDir volume "([^"]+)" exceeds the limit "([^"]+)"/i;
const containerText = /Container (\S+) exceeded its local ephemeral storage limit "([^"]+)"/i;
const podText =
  /Pod ephemeral local storage usage exceeds the total limit of containers ([^\s.]+)|ephemeral local storage usage exceeds/i;
const nodeText = /low on resource: (ephemeral-storage|inodes)/i;

/** Undefined for a pod that was not evicted, or for another resource. */
export function storageEvictionOf({ status }: Pod): StorageEviction | undefined {
  if (status?.phase !== 'Failed' || status.reason !== 'Evicted') return undefined;
  const message = status.message ?? '';
  const emptyDir = emptyDirText.exec(message);
  if (emptyDir) return { of: 'emptyDir', volume: emptyDir[1] ?? '', limit: emptyDir[2] ?? '' };
  const container = containerText.exec(message);
  if (container) return { of: 'container', container: container[1] ?? '', limit: container[2] ?? '' };
  const pod = podText.exec(message);
  if (pod) return { of: 'pod', limit: pod[1] };
  const node = nodeText.exec(message);
  return node ? { of: 'node', resource: node[1] ?? '', message } : undefined;
}
