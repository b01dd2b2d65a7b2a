import type { KubeEvent } from '../../kube/kinds.ts';
import { componentOf } from '../../graph/events.ts';

export const volumeController = 'volume controller';
export const attachController = 'attach-detach controller';
export const scheduler = 'scheduler';
export const provisioner = 'provisioner';
export const attacher = 'attacher';
export const resizer = 'resizer';
export const snapshotter = 'snapshotter';
export const snapshotController = 'snapshot controller';
export const nodeController = 'node controller';
export const nobodyKnows = 'someone';

export function kubeletOn(node: string | undefined): string {
  return node ? `kubelet on ${node}` : 'kubelet';
}

interface Subject {
  readonly kind: string;
  readonly metadata: {
    readonly ownerReferences?: readonly { readonly kind?: string; readonly controller?: boolean }[];
  };
}

/**
 * Who is behind the name of a field manager: the start of a user agent, so the name of the program
 * (apiserver managerOrUserAgent). The kube-controller-manager holds many controllers; the kind of object tells which one it was.
 */
export function componentOfManager(
  manager: string,
  subject: Subject,
  { node, by }: { readonly node?: string | undefined; readonly by?: string | undefined } = {},
): string {
  // Some name the file of the program after its version.
  const name = manager.toLowerCase().replace(/-v\d[\w.]*$/, '');
  // What the server writes for a client that gives no user agent.
  if (name === 'unknown') return by ?? nobodyKnows;
  if (controlPlanes.has(name)) return controllerOf(subject);
  if (name === 'kube-scheduler') return scheduler;
  if (name === 'kubelet') return kubeletOn(node);
  if (name.startsWith('kubectl-')) return kubectlWords(name);
  return sidecarNamed(name) ?? manager;
}

/** Distributions of one binary write everything under its name. */
const controlPlanes: ReadonlySet<string> = new Set(['kube-controller-manager', 'k3s', 'k0s', 'hyperkube']);

/** `kubectl-client-side-apply` is what a person calls kubectl apply. */
function kubectlWords(manager: string): string {
  return `kubectl ${manager.slice('kubectl-'.length).replace('client-side-', '').replaceAll('-', ' ')}`;
}

function controllerOf({ kind, metadata }: Subject): string {
  if (kind === 'VolumeAttachment') return attachController;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)?.kind;
  if (kind === 'Pod') return owner ? `${owner} controller` : 'kube-controller-manager';
  if (kind === 'Node') return nodeController;
  return kind === 'PersistentVolumeClaim' || kind === 'PersistentVolume' ? volumeController : 'kube-controller-manager';
}

function sidecarNamed(name: string): string | undefined {
  if (name.includes('snapshot-controller')) return snapshotController;
  return [provisioner, attacher, resizer, snapshotter].find((role) => name.includes(role));
}

/** Who said it. A provisioner speaks under the name of its driver, `DRIVER_POD_UUID`. */
export function componentOfEvent(event: KubeEvent): string {
  const component = componentOf(event);
  const name = component.toLowerCase();
  if (name === 'kubelet')
    return kubeletOn(event.source?.host || event.deprecatedSource?.host || event.reportingInstance);
  if (name === 'persistentvolume-controller' || name === 'volume_expand') return volumeController;
  if (name === 'attachdetach-controller') return attachController;
  if (name === 'default-scheduler') return scheduler;
  if (/scheduling$|^scheduled$/i.test(event.reason ?? '') && name.includes('scheduler')) return component;
  if (name === 'statefulset-controller') return 'StatefulSet controller';
  if (/^Provisioning/.test(event.reason ?? '')) return provisioner;
  return sidecarNamed(name) ?? (component || nobodyKnows);
}
