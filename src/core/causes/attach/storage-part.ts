import { findController } from '../../facts/driver/drivers.ts';
import { belongsTo, exclusionOf, findPluginSets, seenPluginPods } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet, Exclusion } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { nodeDownTexts } from '../lib/driver-error/senses/nodes.ts';
import { agentDownTexts } from '../lib/driver-error/senses/time.ts';
import { isWordOf } from '../lib/named-fields.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { retryText } from './attach-retry.ts';
import type { AttachError } from './attach-error.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { isNodeReady } from './detach-case.ts';

/** The part of the storage that does not answer: on which node, and what should run there. */
export interface MissingPart {
  /** Undefined where the words name no node. */
  readonly name: string | undefined;
  /** Undefined where it was not read. */
  readonly node: Node | undefined;
  readonly part: Part | undefined;
}

/** A DaemonSet next to the driver without a working pod on the node. */
interface Part {
  readonly set: DaemonSet;
  readonly exclusion: Exclusion | undefined;
  readonly pod: Pod | undefined;
}

/** The storage reports a node as offline: by the name of one of its parts, or by the name of a node of the cluster. */
export function missingPartIn(trouble: AttachTrouble, { raw, words }: AttachError): MissingPart | undefined {
  const named = nodeNamedIn(trouble, words);
  const isAgent = agentDownTexts.test(raw);
  if (!isAgent && (named === undefined || !nodeDownTexts.test(words))) return undefined;
  const node = trouble.ask.graph.find('Node', undefined, named ?? trouble.node);
  return { name: named ?? node?.metadata.name, node, part: node && partOn(trouble, node) };
}

/** A node called "server" is not always what a driver means by that word. */
function nodeNamedIn({ ask, node }: AttachTrouble, words: string): string | undefined {
  ask.get('Node', undefined, node, `whether node ${node} is up`);
  const names = [node, ...ask.seen('Node').map(({ metadata }) => metadata.name)];
  return names.find((name) => /[\d.-]/.test(name) && isWordOf(words, name));
}

/** What the DaemonSets in the driver's namespaces lack on a node. */
export function partOn({ ask, driver }: AttachTrouble, node: Node): Part | undefined {
  if (driver === undefined) return undefined;
  const homes = homesOf(ask, driver);
  const pods = ask.podsOnNode(node.metadata.name);
  const parts = ask
    .seen('DaemonSet')
    .filter((set) => homes.has(set.metadata.namespace ?? '') && (set.status?.numberReady ?? 1) > 0)
    .map((set): Part => {
      const pod = pods.items.find((each) => belongsTo(set, each));
      return { set, pod, exclusion: pod ? undefined : exclusionOf(set, node) };
    });
  return (
    parts.find(({ set, exclusion }) => exclusion !== undefined && !isOfPlatform(set, node)) ??
    parts.find(({ pod }) => pod !== undefined && !isReady(pod))
  );
}

function homesOf(ask: Inquiry, driver: string): ReadonlySet<string> {
  const controllers = (['attacher', 'provisioner'] as const).map((role) => findController(ask, driver, role));
  return new Set(
    [
      ...controllers.flatMap(({ workload, pods }) => [workload?.namespace, pods.items[0]?.metadata.namespace]),
      ...findPluginSets(ask, driver).items.map(({ metadata }) => metadata.namespace),
      ...seenPluginPods(ask, driver).map(({ metadata }) => metadata.namespace),
    ].filter((namespace) => namespace !== undefined),
  );
}

/** A set for another operating system or processor is not missing on this node. */
function isOfPlatform({ spec }: DaemonSet, { metadata: { labels = {} } }: Node): boolean {
  return Object.entries(spec?.template?.spec?.nodeSelector ?? {}).some(
    ([key, value]) =>
      /(?:^|\.)kubernetes\.io\/(?:os|arch)$/.test(key) && labels[key] !== undefined && labels[key] !== value,
  );
}

function setWords({ metadata }: DaemonSet): string {
  return `daemonset/${metadata.name} in namespace ${metadata.namespace ?? ''}`;
}

/** Sentences that follow the quoted words. */
export function partText({ name: place, node, part }: MissingPart): string {
  if (!node) return ` The part of the storage that runs on ${place ?? 'a node'} does not answer its controller.`;
  const name = node.metadata.name;
  if (!isNodeReady(node)) return ` Node ${name} is not ready in Kubernetes either.`;
  const lead = ` The Kubernetes node ${name} is ready: what does not answer is the part of the storage that runs on it.`;
  if (part?.exclusion) return `${lead} ${setWords(part.set)} has no pod there, because it ${part.exclusion.text}.`;
  if (part?.pod) return `${lead} pod/${part.pod.metadata.name} of ${setWords(part.set)} is not ready there.`;
  return lead;
}

export function partEvidence({ node, part }: MissingPart): Evidence[] {
  if (!node) return [];
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return [
    field(node, 'status.conditions[Ready]', ready?.status ?? 'not set'),
    ...(part?.exclusion
      ? [
          field(part.set, part.exclusion.path),
          ...unmetLabels(part.set, node).map(([key]) =>
            field(node, `metadata.labels[${key}]`, node.metadata.labels?.[key] ?? 'not set'),
          ),
        ]
      : []),
    ...(part?.pod ? [field(part.pod, 'status.phase')] : []),
  ];
}

function unmetLabels({ spec }: DaemonSet, { metadata: { labels = {} } }: Node): [string, string][] {
  return Object.entries(spec?.template?.spec?.nodeSelector ?? {}).filter(([key, value]) => labels[key] !== value);
}

/** Undefined where nothing that was read shows what is missing. */
export function partFix(trouble: AttachTrouble, { node, part }: MissingPart): Fix | undefined {
  if (!node || !part || !isNodeReady(node)) return undefined;
  const { set, exclusion, pod } = part;
  const { namespace = 'default', name } = set.metadata;
  const place = `-n ${shellWord(namespace)}`;
  const status = `kubectl ${place} rollout status daemonset ${shellWord(name)} --timeout=3m`;
  if (pod) {
    const { name: podName } = pod.metadata;
    const log = `${podName}.log`;
    return steps(
      `Save the log of pod/${podName} of daemonset/${name} and restart it on ${node.metadata.name}. If it does not become ready, its ` +
        `events and the log show what fails: correct that. ${retryText(trouble)}`,
      [
        `kubectl ${place} describe pod ${shellWord(podName)}`,
        `kubectl ${place} logs ${shellWord(podName)} --all-containers > ${shellWord(log)}`,
        `kubectl ${place} delete pod ${shellWord(podName)}`,
        status,
      ],
      'disruptive',
    );
  }
  const labels = unmetLabels(set, node);
  if (exclusion?.why === 'selector' && labels.length > 0)
    return steps(
      `Let daemonset/${name} run on ${node.metadata.name}: give the node the label that it selects. ` +
        `If the node should not run the storage, keep pods with its volumes off it with a nodeSelector instead. ${retryText(trouble)}`,
      [
        `kubectl label node ${shellWord(node.metadata.name)} ${labels.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ')}`,
        status,
      ],
    );
  if (exclusion?.why === 'taint')
    return steps(
      `Let daemonset/${name} tolerate the taints of ${node.metadata.name}, and set that in the values of its chart ` +
        `too. Its pods are recreated one by one. ${retryText(trouble)}`,
      [patchCommand(set, { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } }), status],
      'disruptive',
    );
  return steps(
    `Change the node affinity of daemonset/${name} so that it fits ${node.metadata.name}. ${retryText(trouble)}`,
    [`kubectl ${place} edit daemonset ${shellWord(name)}`, status],
    'disruptive',
  );
}
