import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { parseServerVersion } from '../../kube/version.ts';
import type { ServerVersion } from '../../kube/version.ts';
import type { Evidence } from '../../report/report.ts';
import { versionOf } from '../provision/in-tree.ts';
import { nodeOf } from './told-volume.ts';

/** How long a pod may wait before a kubelet that has reported nothing counts as one that cannot mount. */
export const patienceSeconds = 180;

/** The kubelet of the node has the plugin or not, and it may be older than the server. */
export function kubeletVersion(p: PodCase): ServerVersion | undefined {
  const node = nodeOf(p);
  const lookup = node ? p.ask.get('Node', undefined, node, `which version the kubelet of ${node} has`) : undefined;
  return (
    (lookup?.state === 'found' ? parseServerVersion(lookup.object.status?.nodeInfo?.kubeletVersion) : undefined) ??
    versionOf(p.ask)
  );
}

export function versionEvidence(p: PodCase, version: ServerVersion | undefined): Evidence[] {
  if (!version) return [];
  const node = { kind: 'Node', metadata: { name: nodeOf(p) } };
  return [field(node, 'status.nodeInfo.kubeletVersion', `${version.major}.${version.minor}`)];
}
