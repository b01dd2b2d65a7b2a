import type { ClaimSpec, Pod, StatefulSet } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { isReady, isTerminated } from '../pod/pod-state.ts';

/** A StatefulSet that creates a claim of this name for one of its pods. */
interface SetExpectation {
  readonly set: StatefulSet;
  readonly ordinal: number;
  readonly podName: string;
  /** The spec of the claim that it would create. */
  readonly spec: ClaimSpec | undefined;
}

/** The pods and StatefulSets that need a claim that does not exist. */
export interface Expectation {
  readonly pods: readonly Pod[];
  readonly sets: readonly SetExpectation[];
  /** There may be others that could not be read. */
  readonly isHidden: boolean;
}

/** StatefulSet claims are named TEMPLATE-SET-ORDINAL (stateful_set_utils getPersistentVolumeClaimName). */
export function expectationOf(ask: Inquiry, namespace: string, name: string): Expectation {
  ask.podsUsing({ namespace, name });
  return { ...seenExpectationOf(ask, namespace, name), sets: setsExpecting(ask, namespace, name) };
}

function setsExpecting(ask: Inquiry, namespace: string, name: string): SetExpectation[] {
  ask.list('StatefulSet', namespace, `whether a StatefulSet expects pvc/${name}`);
  return setsAtHand(ask, namespace, name);
}

function setsAtHand(ask: Inquiry, namespace: string, name: string): SetExpectation[] {
  return ask.graph.inNamespace('StatefulSet', namespace).flatMap((set) =>
    claimsExpectedBy(set)
      .filter((expected) => expected.name === name)
      .map((expected) => expected.expectation),
  );
}

/** The same from the snapshot alone, for a claim that may exist. */
export function seenExpectationOf(ask: Inquiry, namespace: string, name: string): Expectation {
  // A terminated pod no longer waits for anything.
  const pods = ask.graph
    .podsUsing({ namespace, name })
    .filter((pod) => !isTerminated(pod))
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  const sets = setsAtHand(ask, namespace, name);
  const isHidden = (['Pod', 'StatefulSet'] as const).some((kind) =>
    ['denied', 'failed'].includes(ask.graph.coverage.of(kind, { namespace }).state),
  );
  return { pods, sets, isHidden };
}

/**
 * The set to whose pods a claim belongs by its name. The set may have fewer pods now: it keeps the claims of pods that
 * it removed.
 */
export function setOwning(ask: Inquiry, namespace: string, name: string): SetExpectation | undefined {
  const [, stem, number] = /^(.+)-(0|[1-9]\d*)$/.exec(name) ?? [];
  if (stem === undefined || number === undefined) return undefined;
  const ordinal = Number(number);
  for (const set of ask.list('StatefulSet', namespace, `whether a StatefulSet expects pvc/${name}`).items) {
    const template = set.spec?.volumeClaimTemplates?.find(
      ({ metadata }) => metadata?.name && `${metadata.name}-${set.metadata.name}` === stem,
    );
    if (template && ordinal >= (set.spec?.ordinals?.start ?? 0))
      return { set, ordinal, podName: `${set.metadata.name}-${number}`, spec: template.spec };
  }
  return undefined;
}

export function claimsExpectedBy(set: StatefulSet): { readonly name: string; readonly expectation: SetExpectation }[] {
  const first = set.spec?.ordinals?.start ?? 0;
  // Capped, because a dump may state any number.
  const replicas = Math.min(Math.max(0, Math.trunc(set.spec?.replicas ?? 1)), 10_000);
  return Array.from({ length: replicas }, (_, index) => first + index).flatMap((ordinal) =>
    (set.spec?.volumeClaimTemplates ?? []).flatMap((template) => {
      if (!template.metadata?.name) return [];
      const podName = `${set.metadata.name}-${ordinal}`;
      return [
        { name: `${template.metadata.name}-${podName}`, expectation: { set, ordinal, podName, spec: template.spec } },
      ];
    }),
  );
}

/** The earlier pod that an ordered set still waits for before it creates this one; undefined when there is none. */
export function predecessorOf({ set, ordinal }: SetExpectation, ask: Inquiry): string | undefined {
  const { namespace } = set.metadata;
  const first = set.spec?.ordinals?.start ?? 0;
  if (set.spec?.podManagementPolicy === 'Parallel' || namespace === undefined) return undefined;
  if (!ask.graph.coverage.answers('Pod', { namespace })) {
    // If the pods cannot be read, the set's own count is used.
    const ready = set.status?.readyReplicas ?? 0;
    return set.status?.replicas !== undefined && ready < ordinal - first
      ? `${set.metadata.name}-${first + ready}`
      : undefined;
  }
  for (let earlier = first; earlier < ordinal; earlier += 1) {
    const name = `${set.metadata.name}-${earlier}`;
    const pod = ask.graph.find('Pod', namespace, name);
    if (!pod || !isReady(pod)) return name;
  }
  return undefined;
}

/** Whether the set has enough replicas to create this pod at all. */
export function isWanted({ set, ordinal }: SetExpectation): boolean {
  return ordinal - (set.spec?.ordinals?.start ?? 0) < (set.spec?.replicas ?? 1);
}

/** Whether the status of the set shows that it has not created this pod, and so not its claims. */
export function saysUnmade({ set, ordinal }: SetExpectation): boolean {
  const made = set.status?.replicas;
  return made !== undefined && ordinal - (set.spec?.ordinals?.start ?? 0) >= made;
}
