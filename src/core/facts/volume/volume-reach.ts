import type { Node, NodeSelectorTerm, Volume } from '../../kube/kinds.ts';
import { describeNodeSelector, matchesNodeSelector } from '../../kube/selectors.ts';
import type { ClaimCase } from '../claim/claim-case.ts';
import type { PodCase } from '../pod/pod-case.ts';

export interface PlacedVolume {
  readonly claim: ClaimCase;
  readonly volume: Volume;
}

/** The volumes of the pod that exist already, and so are bound to a place. */
export function placedVolumes(p: PodCase): PlacedVolume[] {
  return p.claims.flatMap((claim) => {
    const volume = claim.isBound ? claim.volume : undefined;
    return volume?.state === 'found' ? [{ claim, volume: volume.object }] : [];
  });
}

/** Whether a node may use a volume, by its node affinity (VolumeBinding) and its zone labels (VolumeZone). */
export function reaches(volume: Volume, node: Node): boolean {
  return fitsAffinity(volume, node) && fitsZone(volume, node);
}

export function fitsAffinity(volume: Volume, node: Node): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, labelsSeenBy(volume, node));
}

const betaToStable: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const zoneKeys = [...Object.keys(betaToStable), ...Object.values(betaToStable)];

/** A migrated in-tree volume is translated before the comparison, including its beta zone key (csi-translation-lib). */
function labelsSeenBy(volume: Volume, node: Node): Readonly<Record<string, string>> {
  const labels = node.metadata.labels ?? {};
  if (volume.spec?.csi || volume.spec?.local) return labels;
  const aliases = Object.entries(betaToStable)
    .flatMap(
      ([beta, stable]) =>
        [
          [beta, labels[stable]],
          [stable, labels[beta]],
        ] as const,
    )
    .filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
  return { ...Object.fromEntries(aliases), ...labels };
}

/** Labels of a volume that pin it to a zone or region; one label may name several, joined by two underscores. */
export function zoneLabelsOf(volume: Volume): { readonly key: string; readonly values: readonly string[] }[] {
  return zoneKeys.flatMap((key) => {
    const value = volume.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, values: value.split('__') }];
  });
}

/** VolumeZone: a node without any zone or region label fits every volume. */
export function fitsZone(volume: Volume, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (!zoneKeys.some((key) => labels[key] !== undefined)) return true;
  return zoneLabelsOf(volume).every(({ key, values }) => {
    const value = zoneOf(node, key);
    return value !== undefined && values.includes(value);
  });
}

/** The key that nodes use today for a zone or region. */
export function stableKey(key: string): string {
  return betaToStable[key] ?? key;
}

/** The zone or region of a node; a beta key also finds the stable label. */
export function zoneOf({ metadata: { labels = {} } }: Node, key: string): string | undefined {
  return labels[key] ?? labels[betaToStable[key] ?? ''];
}

export function describeReach(volume: Volume): string {
  return describeNodeSelector(volume.spec?.nodeAffinity?.required);
}

/** Label keys that the affinity needs and that no node has; empty if the nodes have all keys of some term. */
export function absentKeys(volume: Volume, nodes: readonly Node[]): string[] {
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const missing = terms.map((term) =>
    neededKeys(term).filter((key) => !nodes.some((node) => labelsSeenBy(volume, node)[key] !== undefined)),
  );
  return missing.length > 0 && missing.every((keys) => keys.length > 0) ? [...new Set(missing.flat())] : [];
}

function neededKeys(term: NodeSelectorTerm): string[] {
  return (term.matchExpressions ?? [])
    .filter(({ operator }) => operator !== 'NotIn' && operator !== 'DoesNotExist')
    .flatMap(({ key }) => (key ? [key] : []));
}

/**
 * Whether the volume is a part of one node: a local or hostPath volume, or one whose topology key differs from node to
 * node (topology.hostpath.csi/node, topology.topolvm.io/node). A zone can get a new node, but the disk of a lost node
 * is gone.
 */
export function isNodeLocal(volume: Volume, nodes: readonly Node[]): boolean {
  if (volume.spec?.local || volume.spec?.hostPath) return true;
  const keys = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(neededKeys);
  return keys.some((key) => {
    if (key === 'kubernetes.io/hostname') return true;
    if (/zone|region|rack|datacenter|segment|cluster/i.test(key)) return false;
    const values = nodes.map((node) => node.metadata.labels?.[key]).filter((value) => value !== undefined);
    return values.length > 0 && new Set(values).size === values.length && /node|host/i.test(key);
  });
}
