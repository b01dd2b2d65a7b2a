import { isHandedToDriver } from '../../facts/volume/migrated-volume.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { driverOfInTree, inTreeOfDriver, migratedPlugins } from '../../kube/in-tree.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { ServerVersion } from '../../kube/version.ts';

export const inTreePrefix = 'kubernetes.io/';

/**
 * In-tree provisioners that are gone without a successor, and since when; any other kubernetes.io name never was one.
 */
const removedSince: Readonly<Record<string, number>> = {
  'kubernetes.io/scaleio': 22,
  'kubernetes.io/flocker': 25,
  'kubernetes.io/quobyte': 25,
  'kubernetes.io/storageos': 25,
  'kubernetes.io/glusterfs': 26,
  'kubernetes.io/rbd': 31,
};

/** What kube-controller-manager can still provision itself. */
const builtIn = ['kubernetes.io/host-path', 'kubernetes.io/no-provisioner'];

export { driverOfInTree, inTreeOfDriver };

export function isMigratedByDefault(provisioner: string, version: ServerVersion | undefined): boolean {
  const since = migratedPlugins.find((plugin) => plugin.provisioner === provisioner)?.since;
  return since !== undefined && atLeast(version, 1, since) === true;
}

/**
 * Who makes the volumes of a class: before the version in which the migration became the default that is the in-tree
 * plugin itself, unless a kubelet hands it to CSI.
 */
export function makerOf(ask: Inquiry, provisioner: string): string {
  const plugin = migratedPlugins.find((known) => known.provisioner === provisioner);
  if (plugin === undefined) return provisioner;
  const isInTree =
    atLeast(versionOf(ask), 1, plugin.since) === false &&
    !ask.seen('CSINode').some(({ metadata }) => isHandedToDriver(ask, provisioner, metadata.name));
  return isInTree ? provisioner : plugin.driver;
}

/**
 * Whether no server of this version can provision for the name; undefined when it depends on a version that is not
 * known.
 */
export function isRemoved(provisioner: string, version: ServerVersion | undefined): boolean | undefined {
  if (
    !provisioner.startsWith(inTreePrefix) ||
    builtIn.includes(provisioner) ||
    driverOfInTree(provisioner) !== undefined
  )
    return false;
  const since = Object.hasOwn(removedSince, provisioner) ? removedSince[provisioner] : undefined;
  return since === undefined ? true : atLeast(version, 1, since);
}

/** The version of the server; if a dump does not contain it, the latest kubelet comes close. */
export function versionOf(ask: Inquiry): ServerVersion | undefined {
  if (ask.graph.serverVersion) return ask.graph.serverVersion;
  const kubelets = ask
    .seen('Node')
    .map((node) => parseServerVersion(node.status?.nodeInfo?.kubeletVersion))
    .filter((version) => version !== undefined);
  return kubelets.sort((a, b) => b.major - a.major || b.minor - a.minor)[0];
}
