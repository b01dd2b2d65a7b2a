import { shellWord } from '../../kube/shell-word.ts';

/**
 * Lists the clusters that ceph-csi knows: its ConfigMap (ceph-csi-config, or rook-ceph-csi-config with Rook) names
 * them.
 */
export function listClusters(namespace: string | undefined): string {
  const place = namespace === undefined ? '-A' : `-n ${shellWord(namespace)}`;
  return `kubectl ${place} get configmaps -o yaml | grep -i clusterID`;
}
