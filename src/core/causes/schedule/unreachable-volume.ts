import type { Node, Volume } from '../../kube/kinds.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { absentKeys, fitsAffinity, isNodeLocal, placedVolumes } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';

interface Unreachable {
  readonly volumes: readonly PlacedVolume[];
  /** Every node of the cluster. */
  readonly nodes: readonly Node[];
}

/** Volumes of the pod that no existing node may use, by the node affinity they were created with. */
export function findUnreachable(p: PodCase): Unreachable {
  const none = { volumes: [], nodes: [] };
  if (p.isScheduled || blames(p, storageTexts.nodeAffinity) === false) return none;
  const placed = placedVolumes(p).filter(({ volume }) => volume.spec?.nodeAffinity?.required !== undefined);
  if (placed.length === 0) return none;
  const fits = fitNodes(p);
  if (!fits.complete || fits.items.length === 0) return none;
  const nodes = fits.items.map(({ node }) => node);
  return { volumes: placed.filter(({ volume }) => !nodes.some((node) => fitsAffinity(volume, node))), nodes };
}

/** The node that holds a node-local volume: it exists under its name and has lost a label of the volume's affinity. */
export function findUnlabeledNode(volume: Volume, nodes: readonly Node[]): Node | undefined {
  if (!isNodeLocal(volume, nodes) && absentKeys(volume, nodes).length === 0) return undefined;
  const names = hostNames(volume);
  return nodes.find((node) => names.includes(node.metadata.name) && keysMissingOn(volume, node).length > 0);
}

/** Label keys of the volume's affinity for which the node has none of the wanted values. */
export function keysMissingOn(volume: Volume, node: Node): string[] {
  const keys = expressionsOf(volume).flatMap(({ key, operator, values = [] }) =>
    key && operator === 'In' && !values.includes(node.metadata.labels?.[key] ?? '') ? [key] : [],
  );
  return [...new Set(keys)];
}

/** Names in the volume's affinity that may be nodes: every value but those of zones and regions. */
export function hostNames(volume: Volume): string[] {
  const names = expressionsOf(volume)
    .filter(({ key = '', operator }) => operator === 'In' && !/zone|region/i.test(key))
    .flatMap(({ values = [] }) => values);
  return [...new Set(names)];
}

function expressionsOf(volume: Volume) {
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => matchExpressions);
}
