import { lists } from '../../facts/driver/node-plugin.ts';
import { describeNodeSelector } from '../../kube/selectors.ts';
import { refusalsOf } from '../../facts/node/node-fit.ts';
import type { NodeFit, NodeLabel, Refusal } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { driversOf } from '../../facts/volume/volume-slots.ts';
import type { Node } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { changesPod, orElse, remedyFix } from './remedy.ts';
import type { Remedy } from './remedy.ts';
import { resourceRemedy } from './resource-remedy.ts';
import { taintRemedy } from './taint-remedy.ts';

/** Nodes whose CSINode is looked up: the first few decide. */
const mostChecked = 4;

/** A node that refuses the pod, and what would make it accept the pod. */
interface Candidate {
  readonly node: Node;
  readonly remedies: readonly Remedy[];
  readonly cost: number;
}

/**
 * What lets the pod run on one of these nodes, the best way first. One fix removes everything that excludes the pod
 * from the chosen node, and names what would stop the pod there afterwards.
 */
export function openNodeFixes(p: PodCase, fits: readonly NodeFit[], then = ''): Fix[] {
  const candidates = rank(p, fits);
  const best = candidates.slice(0, mostChecked).find(({ node }) => driverGap(p, node) === undefined) ?? candidates[0];
  if (!best) return [];
  const { node, remedies } = best;
  const isForAll = remedies.every(changesPod);
  const closed = isForAll ? unfitNeighbours(p, candidates, best) : [];
  const gap = driverGap(p, node);
  const after = [
    ...(gap === undefined ? [] : [`${gap}: correct that as well, or its volumes cannot be used there.`]),
    ...(closed.length === 0
      ? []
      : [
          `Cordon ${nameAll(closed.map(({ name }) => name))} first: ` +
            `${closed[0]?.gap ?? ''}, so the pod would get stuck there. Uncordon it when that is repaired.`,
        ]),
    `${outcomeText(p, node, (isForAll && candidates.length > 1) || remedies.some(({ isNewNode }) => isNewNode))}${then}`,
  ].join(' ');
  const cordon = closed.map(({ name }) => `kubectl cordon ${shellWord(name)}`);
  const [only, ...more] = remedies;
  const others = only?.otherwise && more.length === 0 ? [only.otherwise] : [];
  return [
    remedyFix(p.pod, remedies, after, cordon),
    ...others.map((other) => orElse(remedyFix(p.pod, [other], `${outcomeText(p, node, false)}${then}`))),
  ];
}

function outcomeText({ pod }: PodCase, node: Node, isAnyNode: boolean): string {
  const place = isAnyNode ? '' : ` on ${node.metadata.name}`;
  return `pod/${pod.metadata.name} is then scheduled${place} automatically.`;
}

function rank(p: PodCase, fits: readonly NodeFit[]): Candidate[] {
  return fits
    .filter(({ refusal }) => refusal)
    .map(({ node }) => {
      const remedies = refusalsOf(p, node).map((refusal) => remedyOf(p, node, refusal, fits.length === 1));
      return { node, remedies, cost: remedies.reduce((sum, { cost }) => sum + cost, 0) };
    })
    .filter(({ remedies }) => remedies.length > 0)
    .sort((a, b) => a.cost - b.cost);
}

function remedyOf(p: PodCase, node: Node, { filter, taint, label, resource }: Refusal, isOnlyNode: boolean): Remedy {
  if (taint) return taintRemedy(p.ask, node, taint);
  if (label) return labelRemedy(node, label, isOnlyNode);
  if (resource) return resourceRemedy(p.pod, resource.name, node.metadata.name, resource);
  return filter === 'unschedulable' ? uncordon(node) : affinityRemedy(p);
}

function uncordon({ metadata: { name } }: Node): Remedy {
  return {
    cost: 1,
    clause: `uncordon ${name}`,
    condition: 'once the work on it is done',
    lines: [`kubectl uncordon ${shellWord(name)}`],
  };
}

const hostname = 'kubernetes.io/hostname';
/**
 * What a node is and where it is: the kubelet, a cloud or a driver sets these labels, and a false one breaks other
 * things.
 */
const factLabel = /^(?:[^/]*\.)?(?:kubernetes\.io|k8s\.io)\/|^topology\.|\/(?:zone|region|instance-type)$|karpenter/;

function labelRemedy(
  { metadata: { name, labels = {} } }: Node,
  { key, value }: NodeLabel,
  isOnlyNode: boolean,
): Remedy {
  if (/^(?:beta\.)?kubernetes\.io\/(?:os|arch)$/.test(key))
    return { cost: 9, clause: `add a node with ${key}=${value}`, isNewNode: true };
  const own = labels[key];
  const moved: Omit<Remedy, 'cost'> =
    key === hostname && own !== undefined && isOnlyNode
      ? { clause: `set nodeSelector ${key} to ${own}`, spec: { nodeSelector: { [key]: own } } }
      : { clause: `remove ${key}=${value} from the nodeSelector`, spec: { nodeSelector: { [key]: null } } };
  if (factLabel.test(key) || own !== undefined) return { cost: 3, ...moved };
  return {
    cost: 3,
    clause: `label ${name} with ${key}=${value}`,
    condition: 'if that is true of it',
    lines: [`kubectl label node ${shellWord(name)} ${shellWord(`${key}=${value}`)}`],
    otherwise: moved,
  };
}

function affinityRemedy({ pod }: PodCase): Remedy {
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    cost: 3,
    clause: `remove the required node affinity (${describeNodeSelector(required)})`,
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: null } } },
  };
}

/**
 * The second obstacle: a node where a driver of the pod is not registered takes the pod and cannot give it its volumes.
 */
export function driverGap(p: PodCase, { metadata: { name } }: Node): string | undefined {
  const drivers = [...driversOf(p).keys()];
  const [first] = drivers;
  if (first === undefined) return undefined;
  const csiNode = p.ask.get('CSINode', undefined, name, `whether ${first} is registered on ${name}`);
  if (csiNode.state === 'missing') return `${name} has no CSINode object`;
  if (csiNode.state === 'unknown') return undefined;
  const missing = drivers.find((driver) => !lists(csiNode.object, driver));
  return missing === undefined ? undefined : `${missing} is not registered on ${name}`;
}

interface UnfitNode {
  readonly name: string;
  readonly gap: string;
}

/** Nodes that the same change of the pod opens, although the pod would get stuck there. */
function unfitNeighbours(p: PodCase, candidates: readonly Candidate[], best: Candidate): UnfitNode[] {
  const change = textOf(best);
  return candidates
    .filter((other) => other !== best && other.cost < 7 && textOf(other) === change)
    .slice(0, mostChecked)
    .flatMap(({ node }) => {
      const gap = driverGap(p, node);
      return gap === undefined ? [] : [{ name: node.metadata.name, gap }];
    });
}

function textOf({ remedies }: Candidate): string {
  return JSON.stringify(remedies.map(({ spec, tolerations }) => [spec, tolerations]));
}
