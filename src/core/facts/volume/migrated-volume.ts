import { migratedPlugins } from '../../kube/in-tree.ts';
import type { MigratedPlugin } from '../../kube/in-tree.ts';
import type { Volume } from '../../kube/kinds.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

/** The annotation with which a kubelet lists the in-tree plugins that it hands to CSI. */
export const migratedAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

/**
 * Whether the kubelet of a node hands an in-tree plugin to CSI, as it may before the version in which that became the
 * default.
 */
export function isHandedToDriver(ask: Inquiry, provisioner: string, node: string): boolean {
  return (
    ask.graph
      .find('CSINode', undefined, node)
      ?.metadata.annotations?.[migratedAnnotation]?.split(',')
      .includes(provisioner) === true
  );
}

/** Whether a driver serves the volume: always for a CSI volume, and also on a server of unknown version. */
export function isServedByDriver(ask: Inquiry, volume: Volume): boolean {
  const plugin = migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
  if (volume.spec?.csi || plugin === undefined || volume.metadata.annotations?.['pv.kubernetes.io/migrated-to'])
    return true;
  const kubelets = ask.graph.serverVersion
    ? []
    : ask.seen('Node').flatMap((node) => parseServerVersion(node.status?.nodeInfo?.kubeletVersion) ?? []);
  const version = ask.graph.serverVersion ?? kubelets.sort((a, b) => b.major - a.major || b.minor - a.minor)[0];
  return atLeast(version, 1, plugin.since) !== false;
}

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];

/**
 * The handle under which a CSI driver has a volume of an in-tree plugin (csi-translation-lib TranslateInTreePVToCSI);
 * undefined if the volume alone does not determine it.
 */
export function migratedHandle(volume: Volume): string | undefined {
  const { spec } = volume;
  if (spec?.awsElasticBlockStore) return spec.awsElasticBlockStore.volumeID?.split('/').at(-1);
  if (spec?.gcePersistentDisk?.pdName) return diskHandle(spec.gcePersistentDisk.pdName, zonesOf(volume));
  if (spec?.azureDisk) return spec.azureDisk.diskURI;
  return spec?.cinder?.volumeID ?? spec?.vsphereVolume?.volumePath ?? spec?.portworxVolume?.volumeID;
}

/** A disk in several zones (`a__b`) is a disk of the region. */
function diskHandle(disk: string, zones: readonly string[]): string | undefined {
  const [zone] = zones;
  if (!zone) return undefined;
  return `projects/UNSPECIFIED/${zones.length > 1 ? `regions/${zone.replace(/-[^-]*$/, '')}` : `zones/${zone}`}/disks/${disk}`;
}

function zonesOf({ metadata, spec }: Volume): readonly string[] {
  const label = zoneLabels.map((key) => metadata.labels?.[key]).find((value) => value);
  if (label) return label.split('__');
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const zones = terms
    .flatMap((term) => term.matchExpressions ?? [])
    .filter(({ key }) => zoneLabels.includes(key ?? ''))
    .flatMap(({ values }) => values ?? []);
  return [...new Set(zones)];
}

/** The field that identifies an in-tree volume, with its path and value; undefined for any other volume. */
export function inTreeIdentity(
  volume: Volume,
): { readonly plugin: MigratedPlugin; readonly path: string; readonly value: string } | undefined {
  const plugin = migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined);
  const source: Readonly<Record<string, unknown>> | undefined = plugin && volume.spec?.[plugin.source];
  const value = plugin && source?.[plugin.identity];
  return plugin && typeof value === 'string' && value !== ''
    ? { plugin, path: `spec.${plugin.source}.${plugin.identity}`, value }
    : undefined;
}
