import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { changePod } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';

type PodSpec = NonNullable<Pod['spec']>;
type Toleration = NonNullable<PodSpec['tolerations']>[number];

/** One thing that has to change before a pod can be scheduled. */
export interface Remedy {
  /** An imperative clause without a full stop, in lower case: `uncordon node-a`. */
  readonly clause: string;
  /** When it is right, to follow the clause: `if the pods may share a node`. */
  readonly condition?: string;
  /** The lower, the sooner a senior engineer would choose it. */
  readonly cost: number;
  /** Commands that change something other than the pod. */
  readonly lines?: readonly string[];
  /** A change of the pod's spec, as a strategic merge patch. */
  readonly spec?: object;
  /** Tolerations are the part of a pod's spec that can be added in place. */
  readonly tolerations?: readonly Toleration[];
  /** The other way to the same end. */
  readonly otherwise?: Omit<Remedy, 'cost' | 'otherwise'>;
  /** It takes a new node, so another offer of one would be a repetition. */
  readonly isNewNode?: boolean;
}

type Part = Omit<Remedy, 'cost' | 'otherwise'>;

/** All remedies as one fix: what is changed outside the pod first, then the pod once. `after` follows as a sentence. */
export function remedyFix(pod: Pod, remedies: readonly Part[], after: string, before: readonly string[] = []): Fix {
  const outside = remedies.filter((remedy) => !changesPod(remedy));
  const inside = remedies.filter(changesPod);
  const change = podChangeOf(pod, inside);
  const clauses = [
    ...outside.map(({ clause }) => clause),
    ...inside.map(({ clause }, index) => (index === inside.length - 1 ? `${clause} ${change.where}` : clause)),
  ];
  const conditions = remedies.flatMap(({ condition }) => condition ?? []).map((condition) => `, ${condition}`);
  return steps(
    `${capital(clauses.join(', and '))}${conditions.join('')}.${change.note} ${after}`,
    [...before, ...outside.flatMap(({ lines }) => lines ?? []), ...change.commands],
    change.risk,
  );
}

export function changesPod({ spec, tolerations }: Part): boolean {
  return spec !== undefined || tolerations !== undefined;
}

interface Change {
  readonly commands: readonly string[];
  readonly where: string;
  readonly note: string;
  readonly risk: Risk;
}

const templateKinds: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

function podChangeOf(pod: Pod, remedies: readonly Part[]): Change {
  if (remedies.length === 0) return { commands: [], where: '', note: '', risk: 'safe' };
  const added = remedies.flatMap(({ tolerations }) => tolerations ?? []);
  const owner = ownerOf(pod);
  if (remedies.every(({ spec }) => spec === undefined) && !(owner && templateKinds.has(owner.kind)))
    return { commands: [tolerateCommand(pod, added)], where: `to pod/${pod.metadata.name}`, note: '', risk: 'safe' };
  const spec = remedies.reduce((all: object, remedy) => merge(all, remedy.spec ?? {}), {});
  return changePod(pod, { ...spec, ...(added.length > 0 && { tolerations: [...ownTolerations(pod), ...added] }) });
}

/** A list of tolerations is replaced as a whole, so it has to hold those that the template has. */
function ownTolerations(pod: Pod): Toleration[] {
  // The admission plugin DefaultTolerationSeconds adds these two to every pod.
  return (pod.spec?.tolerations ?? []).filter(
    ({ key = '', tolerationSeconds }) =>
      tolerationSeconds !== 300 || !/^node\.kubernetes\.io\/(?:not-ready|unreachable)$/.test(key),
  );
}

function tolerateCommand(pod: Pod, added: readonly Toleration[]): string {
  const hasSome = (pod.spec?.tolerations ?? []).length > 0;
  const patch = hasSome
    ? added.map((value) => ({ op: 'add', path: '/spec/tolerations/-', value }))
    : [{ op: 'add', path: '/spec/tolerations', value: added }];
  return kubectl('patch', pod, `--type=json -p ${shellWord(JSON.stringify(patch))}`);
}

/** Two merge patches as one. Lists of containers belong to different containers, and are joined. */
function merge(one: object, other: object): object {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other) as [string, unknown][]) {
    const known = result[key];
    if (Array.isArray(known) && Array.isArray(value)) result[key] = [...(known as unknown[]), ...(value as unknown[])];
    else result[key] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same fix as an alternative to those before it. */
export function orElse(fix: Fix): Fix {
  return { ...fix, text: `Or ${fix.text.slice(0, 1).toLowerCase()}${fix.text.slice(1)}` };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
