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
export const unknownComponent = 'unknown';

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
 * The component behind a field manager, whose name is the start of a user agent, so the name of a program (apiserver
 * managerOrUserAgent). The kube-controller-manager runs many controllers: the kind of object shows which one it was.
 */
export function componentOfManager(
  manager: string,
  subject: Subject,
  { node, by }: { readonly node?: string | undefined; readonly by?: string | undefined } = {},
): string {
  // Some programs have their version in their file name.
  const name = manager.toLowerCase().replace(/-v\d[\w.]*$/, '');
  // The server's name for a client without a user agent.
  if (name === 'unknown') return by ?? unknownComponent;
  if (controlPlanes.has(name)) return controllerOf(subject);
  if (name === 'kube-scheduler') return scheduler;
  if (name === 'kubelet') return kubeletOn(node);
  if (name.startsWith('kubectl-')) return kubectlWords(name);
  return sidecarNamed(name) ?? manager;
}

/** Distributions that run all controllers in one binary. */
const controlPlanes: ReadonlySet<string> = new Set(['kube-controller-manager', 'k3s', 'k0s', 'hyperkube']);

/** `kubectl-client-side-apply` is `kubectl apply`. */
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

/** The component that sent an event. A provisioner uses the name of its driver, `DRIVER_POD_UUID`. */
export function componentOfEvent(event: KubeEvent): string {
  const component = componentOf(event);
  const name = component.toLowerCase();
  if (name === 'kubelet')
    return kubeletOn(event.source?.host || event.deprecatedSource?.host || event.reportingInstance);
  if (name === 'persistentvolume-controller' || name === 'volume_expand') return volumeController;
  if (name === 'attachdetach-controller') return attachController;
  if (name === 'default-scheduler') return scheduler;
  if (/scheduling$|^scheduled$/i.test(event.reason ?? '') && name.includes('scheduler')) return component;
  if (/^Provisioning/.test(event.reason ?? '') || provisionerIdentity.test(component)) return provisioner;
  return sidecarNamed(name) ?? controllerNamed(name) ?? (component || unknownComponent);
}

/** external-provisioner main.go: the source of all its events is DRIVER_POD_UUID. */
const provisionerIdentity = /^[^_\s]+_[^_\s]+_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const workloadNames: Readonly<Record<string, string>> = {
  statefulset: 'StatefulSet',
  replicaset: 'ReplicaSet',
  daemonset: 'DaemonSet',
  deployment: 'Deployment',
  cronjob: 'CronJob',
  job: 'Job',
};

/** The controllers of the kube-controller-manager sign as `replicaset-controller` or `ephemeral_volume`. */
function controllerNamed(source: string): string | undefined {
  if (source === 'ephemeral_volume') return 'ephemeral volume controller';
  const name = /^([a-z-]+)-controller$/.exec(source)?.[1];
  return name && `${workloadNames[name] ?? name.replaceAll('-', ' ')} controller`;
}
