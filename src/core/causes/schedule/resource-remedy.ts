import { isExtended, requestsOf } from '../../facts/node/node-fit.ts';
import type { ResourceGap } from '../../facts/node/node-fit.ts';
import type { Container, Pod } from '../../kube/kinds.ts';
import { addQuantities, compareQuantities } from '../../kube/quantity.ts';
import type { Remedy } from './remedy.ts';

/** A node has too little of a resource for the pod. Without a node, only the scheduler's words show it. */
export function resourceRemedy(pod: Pod, resource: string, node?: string, gap?: ResourceGap): Remedy {
  if (resource === 'pods')
    return {
      cost: 8,
      clause: `add a node, because ${node ?? 'each node'} runs as many pods as it may`,
      isNewNode: true,
    };
  if (isExtended(resource) || resource.startsWith('hugepages-')) return extendedRemedy(resource, gap);
  const greedy = greediest(pod, resource);
  if (!greedy) return { cost: 8, clause: `add a node with more free ${resource}`, isNewNode: true };
  const { container, list, amount } = greedy;
  const placeholder = `PLACEHOLDER_${resource.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
  const most = gap && mostFor(pod, resource, amount, gap);
  if (most !== undefined && compareQuantities(most, '0') <= 0)
    return { cost: 8, clause: `add a node with ${gap?.requested ?? ''} free ${resource}`, isNewNode: true };
  const limit = most === undefined ? '' : `, at most ${most}${node === undefined ? '' : ` on ${node}`}`;
  return {
    cost: 4,
    clause: `lower the ${resource} request of container ${container} from ${amount} to ${placeholder} (what it really needs${limit})`,
    spec: { [list]: [{ name: container, resources: { requests: { [resource]: placeholder } } }] },
  };
}

/** Only a device plugin or an extender offers such a resource: no request of a container creates it. */
function extendedRemedy(resource: string, gap: ResourceGap | undefined): Remedy {
  const isOffered = gap !== undefined && compareQuantities(gap.free, '0') > 0;
  return {
    cost: 8,
    clause: isOffered
      ? `add a node with ${gap.requested} ${resource}, or request at most ${gap.free}`
      : `add a node that offers ${resource}, or install what offers it (a device plugin or a scheduler extender)`,
    isNewNode: true,
  };
}

interface Greedy {
  readonly container: string;
  readonly list: 'containers' | 'initContainers';
  readonly amount: string;
}

/** The container that requests most of a resource. */
function greediest({ spec }: Pod, resource: string): Greedy | undefined {
  const listed = (list: Greedy['list'], containers: readonly Container[] | undefined): Greedy[] =>
    (containers ?? []).flatMap(({ name, resources }) => {
      const amount = resources?.requests?.[resource];
      return name !== undefined && amount !== undefined ? [{ container: name, list, amount }] : [];
    });
  return [...listed('containers', spec?.containers), ...listed('initContainers', spec?.initContainers)].sort((a, b) =>
    compareQuantities(b.amount, a.amount),
  )[0];
}

/** What is left for one container when the others keep their requests. */
function mostFor(pod: Pod, resource: string, amount: string, { free }: ResourceGap): string {
  const others = addQuantities(requestsOf(pod).get(resource), `-${amount}`);
  return compareQuantities(others, '0') > 0 ? addQuantities(free, `-${others}`) : free;
}
