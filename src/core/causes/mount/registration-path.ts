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
import { field } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { Registration } from './registration.ts';

/** Distributions whose kubelet does not work in /var/lib/kubelet, recognised by the form of its version. */
const otherRoots: readonly (readonly [RegExp, string])[] = [[/\+k0s/, '/var/lib/k0s/kubelet']];

/**
 * Where a kubelet works unless its --root-dir says otherwise; k3s, RKE2 and Windows nodes (C:\var\lib\kubelet) keep to
 * it.
 */
const defaultRoot = '/var/lib/kubelet';

/** MicroK8s runs in a snap and marks its nodes. */
const microK8s = { label: 'microk8s.io/cluster', root: '/var/snap/microk8s/common/var/lib/kubelet' };

export interface Misplacement {
  readonly text: string;
  /** The path to replace in the plugin, and what with. */
  readonly from: string;
  readonly to: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
}

/** A path that the pod of the driver uses, with where it was found. */
interface FoundPath {
  readonly path: string;
  readonly evidence: Evidence;
}

/**
 * The registrar sends the kubelet the path of the driver's socket on the host, and puts its own socket where the
 * kubelet looks for new plugins (pluginwatcher). If either is wrong, the kubelet never sees the driver, and nothing
 * reports it.
 */
export function misplacementOf(r: Registration, pod: Pod): Misplacement | undefined {
  const told = toldSocketOf(pod);
  const registry = registryOf(pod, 'registration directory on the host');
  return (
    findOtherSocket(pod, told) ??
    findOtherRegistry(told, registry) ??
    findOtherRoot(told, registry) ??
    findOtherKubelet(r, told, registry)
  );
}

/**
 * The kubelet has called the socket that the registrar announces, and refuses the driver: so only that path can be
 * wrong.
 */
export function announcedElsewhere(pod: Pod): Misplacement | undefined {
  return findOtherSocket(pod, toldSocketOf(pod));
}

/** The registrar announces another socket than the driver has. */
function findOtherSocket(pod: Pod, told: FoundPath | undefined): Misplacement | undefined {
  const socket = hostSocketOf(pod.spec);
  if (!told || socket === undefined || told.path.includes('$(') || tidyPath(told.path) === tidyPath(socket))
    return undefined;
  return {
    text: `the registrar announces the socket ${told.path}, and the driver's socket is ${socket}`,
    from: told.path,
    to: socket,
    evidence: [told.evidence, field(pod, "the driver's socket on the host", socket)],
  };
}

function findOtherRegistry(told: FoundPath | undefined, registry: FoundPath | undefined): Misplacement | undefined {
  if (!registry || /\/plugins_registry$/.test(tidyPath(registry.path))) return undefined;
  return {
    text: `the registrar puts its socket into ${registry.path}, and the kubelet looks in plugins_registry only`,
    from: registry.path,
    to: `${(told && rootOfSocket(told.path)) ?? defaultRoot}/plugins_registry`,
    evidence: [registry.evidence, ...(told ? [told.evidence] : [])],
  };
}

/** The two paths of the registrar are below different kubelet directories. */
function findOtherRoot(told: FoundPath | undefined, registry: FoundPath | undefined): Misplacement | undefined {
  const toldRoot = told && rootOfSocket(told.path);
  if (!told || !registry || toldRoot === undefined || toldRoot === rootOfRegistry(registry.path)) return undefined;
  return {
    text: `the registrar announces a socket below ${toldRoot} and registers below ${rootOfRegistry(registry.path)}`,
    from: toldRoot,
    to: rootOfRegistry(registry.path),
    evidence: [told.evidence, registry.evidence],
  };
}

/** Both are below one kubelet directory, but the kubelet of the node works in another. */
function findOtherKubelet(
  r: Registration,
  told: FoundPath | undefined,
  registry: FoundPath | undefined,
): Misplacement | undefined {
  const root = registry ? rootOfRegistry(registry.path) : told && rootOfSocket(told.path);
  const [first, ...rest] = [registry, told].flatMap((found) => (found ? [found.evidence] : []));
  if (root === undefined || !first) return undefined;
  const kubelet = findKubeletRoot(r) ?? assumeDefaultRoot(r, root);
  if (!kubelet || kubelet.path === root) return undefined;
  return {
    text: `it registers below ${root}, and the kubelet there works in ${kubelet.path}`,
    from: root,
    to: kubelet.path,
    evidence: [first, ...rest, kubelet.evidence],
  };
}

/** Where the kubelet of the node works: another driver has registered there, or the distribution is known for it. */
function findKubeletRoot(r: Registration): FoundPath | undefined {
  return findRegisteredRoot(r) ?? findDistributionRoot(r);
}

function findRegisteredRoot(r: Registration): FoundPath | undefined {
  const csiNode = r.csiNode.state === 'found' ? r.csiNode.object : undefined;
  for (const pod of r.ask.podsOnNode(r.node).items) {
    const other = registeredName(pod.spec);
    if (!csiNode || other === undefined || other === r.driver || !lists(csiNode, other)) continue;
    const registry = registryOf(pod, `registration directory of ${other}, which is registered`);
    if (registry) return { path: rootOfRegistry(registry.path), evidence: registry.evidence };
  }
  return undefined;
}

function findDistributionRoot({ nodeObject }: Registration): FoundPath | undefined {
  const node = nodeObject.state === 'found' ? nodeObject.object : undefined;
  const mark = node?.metadata.labels?.[microK8s.label];
  if (node && mark !== undefined)
    return { path: microK8s.root, evidence: field(node, `metadata.labels[${microK8s.label}]`, mark) };
  const known = otherRoots.find(([pattern]) => pattern.test(node?.status?.nodeInfo?.kubeletVersion ?? ''));
  return node && known ? { path: known[1], evidence: field(node, 'status.nodeInfo.kubeletVersion') } : undefined;
}

/** A plugin that is set up for another distribution shows it by its own paths, if no node at all has the driver. */
function assumeDefaultRoot(r: Registration, root: string): FoundPath | undefined {
  const isRegisteredSomewhere = r.ask.seen('CSINode').some((csiNode) => lists(csiNode, r.driver));
  const node = r.nodeObject.state === 'found' ? r.nodeObject.object : undefined;
  if (isRegisteredSomewhere || !node || withoutDrive(root) === defaultRoot) return undefined;
  return { path: defaultRoot, evidence: field(node, 'status.nodeInfo.kubeletVersion') };
}

function withoutDrive(path: string): string {
  return path.replace(/^[A-Za-z]:/, '');
}

function rootOfSocket(path: string): string | undefined {
  return /^(.*)\/plugins\/[^/]+\/[^/]+$/.exec(tidyPath(path))?.[1];
}

function rootOfRegistry(path: string): string {
  return tidyPath(path).replace(/\/plugins_registry$/, '');
}

function toldSocketOf(pod: Pod): FoundPath | undefined {
  const path = registrationPathOf(pod.spec);
  if (path === undefined) return undefined;
  return { path, evidence: field(pod, 'registrar --kubelet-registration-path', path) };
}

/** The driver's socket, which the registrar knows by its path in the container, on the host. */
function hostSocketOf(spec: PodSpec | undefined): string | undefined {
  const registrar = registrarOf(spec);
  const address = flagOf(registrar, 'csi-address');
  if (!registrar || address === undefined) return undefined;
  return pathOnHost(spec, registrar, withVariables(address, registrar).replace(/^unix:\/\/(?=\/)/, ''));
}

/** The registrar puts its own socket into /registration, unless a flag says otherwise. */
function registryOf(pod: Pod, label: string): FoundPath | undefined {
  const registrar = registrarOf(pod.spec);
  if (!registrar) return undefined;
  const inside = withVariables(flagOf(registrar, 'plugin-registration-path') ?? '/registration', registrar);
  const path = pathOnHost(pod.spec, registrar, inside);
  return path === undefined ? undefined : { path, evidence: field(pod, label, path) };
}
