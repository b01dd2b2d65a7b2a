import type { Node } from '../../../kube/kinds.ts';
import { nearNames } from '../../../kube/names.ts';
import { stableKey, zoneOf } from '../../../facts/volume/volume-reach.ts';
import type { Future } from './future.ts';
import type { NodeChoice } from './operation.ts';

const zoneKey = 'topology.kubernetes.io/zone';
const shortKeys: Readonly<Record<string, string>> = {
  zone: zoneKey,
  region: 'topology.kubernetes.io/region',
  hostname: 'kubernetes.io/hostname',
};

/** The nodes that a choice selects. A short or legacy key of a zone finds nodes with either key. */
export function chooseNodes(f: Future, choices: readonly NodeChoice[]): Node[] {
  const nodes = f.before.list('Node', undefined, 'which nodes exist');
  const chosen = choices.flatMap((choice) => {
    const found =
      'name' in choice
        ? nodes.items.filter(({ metadata }) => metadata.name === choice.name)
        : nodes.items.filter((node) => labelOf(node, choice.key) === choice.value);
    if (found.length === 0 && nodes.complete) f.misnomers.push(misnomerOf(choice, nodes.items));
    return found;
  });
  return [...new Set(chosen)];
}

function labelOf(node: Node, word: string): string | undefined {
  const key = shortKeys[word] ?? word;
  return node.metadata.labels?.[key] ?? zoneOf(node, legacyKey(key)) ?? node.metadata.labels?.[stableKey(key)];
}

function legacyKey(key: string): string {
  return key.replace('topology.kubernetes.io/', 'failure-domain.beta.kubernetes.io/');
}

function misnomerOf(choice: NodeChoice, nodes: readonly Node[]): Future['misnomers'][number] {
  if ('name' in choice)
    return {
      noun: 'Node',
      wanted: choice.name,
      near: nearNames(
        choice.name,
        nodes.map(({ metadata }) => metadata.name),
      ),
      hint: 'List them: kubectl get nodes',
    };
  const values = [...new Set(nodes.flatMap((node) => labelOf(node, choice.key) ?? []))].sort();
  const hint =
    values.length === 0
      ? `No node has a label ${shortKeys[choice.key] ?? choice.key}. List labels: kubectl get nodes --show-labels`
      : `Its values are ${values.slice(0, 8).join(', ')}`;
  return {
    noun: 'Node with label',
    wanted: `${choice.key}=${choice.value}`,
    near: nearNames(choice.value, values).map((value) => `${choice.key}=${value}`),
    hint,
  };
}
