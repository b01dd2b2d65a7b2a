import { pathOnHost, tidyPath } from '../../facts/driver/container-path.ts';
import { flagOf } from '../../facts/driver/driver-pods.ts';
import type { PodSpec } from '../../facts/driver/driver-pods.ts';
import {
  lists,
  registeredName,
  registrarOf,
  registrationPathOf,
  withVariables,
} from '../../facts/driver/node-plugin.ts';
import type { Pod } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import type { Evidence } from '../../report/report.ts';
import type { Registration } from './registration.ts';

/** Kubelets that do not live in /var/lib/kubelet, known by how their version is written. */
const otherRoots: readonly (readonly [RegExp, string])[] = [[/\+k0s/, '/var/lib/k0s/kubelet']];

export interface Misplacement {
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/**
 * The registrar tells the kubelet a path on the host, and puts its own socket where the kubelet looks for new plugins
 * (pluginwatcher). Nobody complains when either is wrong: the kubelet just never sees it.
 */
export function misplacementOf(r: Registration, pod: Pod): Misplacement | undefined {
  const { spec } = pod;
  const told = registrationPathOf(spec);
  const socket = hostSocketOf(spec);
  const registry = registryOf(spec);
  const toldEvidence = told === undefined ? [] : [field(pod, 'registrar --kubelet-registration-path', told)];
  const registryEvidence = registry === undefined ? [] : [field(pod, 'registration directory on the host', registry)];
  if (told !== undefined && socket !== undefined && !told.includes('$(') && tidyPath(told) !== tidyPath(socket))
    return {
      text: `the registrar tells it the socket ${told}, and the driver's socket is ${socket}`,
      evidence: [...toldEvidence, field(pod, "the driver's socket on the host", socket)],
    };
  if (registry !== undefined && !/\/plugins_registry$/.test(tidyPath(registry)))
    return {
      text: `the registrar puts its socket into ${registry}, and the kubelet looks in plugins_registry only`,
      evidence: [...registryEvidence, ...toldEvidence],
    };
  const root = registry === undefined ? rootOf(told) : tidyPath(registry).replace(/\/plugins_registry$/, '');
  if (root === undefined) return undefined;
  const toldRoot = rootOf(told);
  if (toldRoot !== undefined && registry !== undefined && toldRoot !== root)
    return {
      text: `the registrar names the kubelet directory ${toldRoot} and registers in ${root}`,
      evidence: [...toldEvidence, ...registryEvidence],
    };
  const expected = kubeletRootOf(r);
  return expected !== undefined && expected.root !== root
    ? {
        text: `it registers below ${root}, and the kubelet there works in ${expected.root}`,
        evidence: [...registryEvidence, ...toldEvidence, expected.evidence],
      }
    : undefined;
}

/** Where the kubelet works: a driver that did register there tells, or a distribution that is known for it. */
function kubeletRootOf(r: Registration): { readonly root: string; readonly evidence: Evidence } | undefined {
  const csiNode = r.csiNode.state === 'found' ? r.csiNode.object : undefined;
  for (const pod of r.ask.podsOnNode(r.node).items) {
    const other = registeredName(pod.spec);
    const registry = registryOf(pod.spec);
    if (csiNode && other !== undefined && other !== r.driver && registry !== undefined && lists(csiNode, other))
      return {
        root: tidyPath(registry).replace(/\/plugins_registry$/, ''),
        evidence: field(pod, `registration directory of ${other}, which is registered`, registry),
      };
  }
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  const known = otherRoots.find(([pattern]) => pattern.test(node?.status?.nodeInfo?.kubeletVersion ?? ''));
  return node && known ? { root: known[1], evidence: field(node, 'status.nodeInfo.kubeletVersion') } : undefined;
}

function rootOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /^(.*)\/plugins\/[^/]+\/[^/]+$/.exec(tidyPath(path))?.[1];
}

/** The driver's socket as the registrar sees it, on the host. */
function hostSocketOf(spec: PodSpec | undefined): string | undefined {
  const registrar = registrarOf(spec);
  const address = flagOf(registrar, 'csi-address');
  if (!registrar || address === undefined) return undefined;
  return pathOnHost(spec, registrar, withVariables(address, registrar).replace(/^unix:\/\/(?=\/)/, ''));
}

/** The registrar's own socket lies in /registration, unless it is told otherwise. */
function registryOf(spec: PodSpec | undefined): string | undefined {
  const registrar = registrarOf(spec);
  return (
    registrar &&
    pathOnHost(
      spec,
      registrar,
      withVariables(flagOf(registrar, 'plugin-registration-path') ?? '/registration', registrar),
    )
  );
}
