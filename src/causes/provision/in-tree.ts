import type { Inquiry } from '../../graph/inquiry.ts';
import { atLeast, parseServerVersion } from '../../model/version.ts';
import type { ServerVersion } from '../../model/version.ts';

export const inTreePrefix = 'kubernetes.io/';

/** In-tree names that CSI migration hands to a driver, and the minor version from which it does so by default (csi-translation-lib). */
const migrated: Readonly<Record<string, { readonly driver: string; readonly since: number }>> = {
  'kubernetes.io/aws-ebs': { driver: 'ebs.csi.aws.com', since: 23 },
  'kubernetes.io/gce-pd': { driver: 'pd.csi.storage.gke.io', since: 23 },
  'kubernetes.io/azure-disk': { driver: 'disk.csi.azure.com', since: 23 },
  'kubernetes.io/azure-file': { driver: 'file.csi.azure.com', since: 24 },
  'kubernetes.io/cinder': { driver: 'cinder.csi.openstack.org', since: 21 },
  'kubernetes.io/vsphere-volume': { driver: 'csi.vsphere.vmware.com', since: 25 },
  'kubernetes.io/portworx-volume': { driver: 'pxd.portworx.com', since: 31 },
};

/** In-tree provisioners that are gone without a successor, and since when; any other kubernetes.io name never was one. */
const removedSince: Readonly<Record<string, number>> = {
  'kubernetes.io/scaleio': 22,
  'kubernetes.io/flocker': 25,
  'kubernetes.io/quobyte': 25,
  'kubernetes.io/storageos': 25,
  'kubernetes.io/glusterfs': 26,
  'kubernetes.io/rbd': 31,
};

/** What kube-controller-manager can still make itself. */
const builtIn = ['kubernetes.io/host-path', 'kubernetes.io/no-provisioner'];

export function driverOfInTree(provisioner: string): string | undefined {
  return Object.hasOwn(migrated, provisioner) ? migrated[provisioner]?.driver : undefined;
}

export function isMigratedByDefault(provisioner: string, version: ServerVersion | undefined): boolean {
  const since = Object.hasOwn(migrated, provisioner) ? migrated[provisioner]?.since : undefined;
  return since !== undefined && atLeast(version, 1, since) === true;
}

/** Whether no server of this version can provision for the name; undefined when it depends on a version nobody knows. */
export function isRemoved(provisioner: string, version: ServerVersion | undefined): boolean | undefined {
  if (!provisioner.startsWith(inTreePrefix) || builtIn.includes(provisioner) || driverOfInTree(provisioner) !== undefined) return false;
  const since = Object.hasOwn(removedSince, provisioner) ? removedSince[provisioner] : undefined;
  return since === undefined ? true : atLeast(version, 1, since);
}

/** The version of the server; where a dump does not tell, the kubelets come near. */
export function versionOf(ask: Inquiry): ServerVersion | undefined {
  if (ask.graph.serverVersion) return ask.graph.serverVersion;
  const kubelets = ask.seen('Node').map((node) => parseServerVersion(node.status?.nodeInfo?.kubeletVersion)).filter((version) => version !== undefined);
  return kubelets.sort((a, b) => b.major - a.major || b.minor - a.minor)[0];
}
