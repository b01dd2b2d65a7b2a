import { taintIn } from '../../facts/pod/scheduling-message.ts';
import type { SchedulingReason } from '../../facts/pod/scheduling-message.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Pod } from '../../kube/kinds.ts';
import { describeNodeSelector } from '../../kube/selectors.ts';
import type { Fix } from '../../report/report.ts';
import { orElse, remedyFix } from './remedy.ts';
import type { Remedy } from './remedy.ts';
import { resourceRemedy } from './resource-remedy.ts';

const mostFixes = 3;

/**
 * What the scheduler's own reasons call for, where the nodes were not read or do not show them. Each reason is about
 * other nodes, so ending one of them is enough.
 */
export function reasonFixes(
  p: PodCase,
  reasons: readonly SchedulingReason[],
  { after = '', offersNode = true }: { readonly after?: string; readonly offersNode?: boolean } = {},
): Fix[] {
  const remedies = reasons
    .filter(({ isStorage }) => !isStorage)
    .flatMap(({ text }) => remedyFor(p.pod, text) ?? [])
    .filter(({ isNewNode }) => offersNode || isNewNode !== true)
    .sort((a, b) => a.cost - b.cost)
    .slice(0, mostFixes);
  return remedies.map((remedy, index) => {
    const fix = remedyFix(p.pod, [remedy], `pod/${p.pod.metadata.name} is then scheduled automatically.${after}`);
    return index === 0 ? fix : orElse(fix);
  });
}

function remedyFor(pod: Pod, text: string): Remedy | undefined {
  const resource = /Insufficient (\S+)/.exec(text)?.[1];
  if (resource !== undefined) return resourceRemedy(pod, resource);
  if (/Too many pods/i.test(text)) return resourceRemedy(pod, 'pods');
  const taint = taintIn(text);
  if (taint) return taintRemedyFromWords(taint);
  if (/were unschedulable/.test(text))
    return {
      cost: 2,
      clause: 'uncordon a node (PLACEHOLDER_NODE; the first line lists the cordoned ones)',
      condition: 'once the work on it is done',
      lines: ['kubectl get nodes --field-selector spec.unschedulable=true', 'kubectl uncordon PLACEHOLDER_NODE'],
    };
  if (/anti-?affinity/i.test(text)) return antiAffinityRemedy(pod);
  if (/topology spread/i.test(text)) return spreadRemedy(pod);
  if (/pod affinity/i.test(text))
    return { cost: 5, clause: 'start the pods that the pod affinity names, or remove that affinity' };
  if (/node affinity|node selector/i.test(text)) return selectorRemedy(pod);
  if (/free ports/i.test(text))
    return { cost: 6, clause: 'add a node, or remove hostPort: on each node another pod uses it', isNewNode: true };
  if (/no nodes available/i.test(text)) return { cost: 6, clause: 'add a node: the cluster has none', isNewNode: true };
  return undefined;
}

function taintRemedyFromWords({ key, value }: { readonly key: string; readonly value: string }): Remedy {
  const name = `${key}${value ? `=${value}` : ''}`;
  if (/^node\.kubernetes\.io\/(?:not-ready|unreachable)$/.test(key))
    return { cost: 7, clause: `start the nodes that are down (taint ${key})` };
  if (/^node\.kubernetes\.io\//.test(key))
    return { cost: 6, clause: `correct the state of the nodes that taint ${key} marks` };
  return {
    cost: /control-plane|master/.test(key) ? 6 : 2,
    clause: `add a toleration for taint ${name}`,
    condition: 'if it may run on such nodes',
    tolerations: [value ? { key, operator: 'Equal', value } : { key, operator: 'Exists' }],
  };
}

function antiAffinityRemedy(pod: Pod): Remedy {
  const rules = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (rules.length === 0)
    return {
      cost: 6,
      clause: 'add a node: the anti-affinity of a running pod keeps this pod off the others',
      isNewNode: true,
    };
  return {
    cost: 5,
    clause: 'remove the required pod anti-affinity',
    condition: 'if the pods may share a node',
    spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: null } } },
  };
}

function spreadRemedy(pod: Pod): Remedy {
  const strict = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway',
  );
  const keys = strict.flatMap(({ topologyKey }) => topologyKey ?? []);
  if (keys.length === 0)
    return { cost: 6, clause: 'add a node where the topology spread allows the pod', isNewNode: true };
  return {
    cost: 5,
    clause: `make the topology spread over ${keys.join(', ')} a preference (ScheduleAnyway)`,
    // The list is merged by topologyKey.
    spec: {
      topologySpreadConstraints: keys.map((topologyKey) => ({ topologyKey, whenUnsatisfiable: 'ScheduleAnyway' })),
    },
  };
}

function selectorRemedy({ spec }: Pod): Remedy | undefined {
  const [selector] = Object.entries(spec?.nodeSelector ?? {});
  if (selector) {
    const [key, value] = selector;
    return {
      cost: 4,
      clause: `remove ${key}=${value} from the nodeSelector`,
      condition: 'or label a node with it',
      spec: { nodeSelector: { [key]: null } },
    };
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return undefined;
  return {
    cost: 4,
    clause: `remove the required node affinity (${describeNodeSelector(required)})`,
    condition: 'or add a node that it fits',
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: null } } },
  };
}
