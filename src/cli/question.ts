import type { Kind } from '../core/kube/kinds.ts';
import type { Selection, TargetRef } from '../core/kube/selection.ts';
import type { Need } from '../core/kube/snapshot.ts';
import { UserError } from '../core/kube/errors.ts';
import { resourceOf, shortNameOf } from '../core/kube/resources.ts';
import type { Diagnosis } from '../core/engine/diagnose.ts';
import { wantsLogs } from '../core/engine/logs/wants-logs.ts';
import type { LogUse } from '../core/engine/logs/wants-logs.ts';
import { inNamespace } from './targets.ts';
import type { NamedTarget } from './targets.ts';

/** What the user asked, whichever cluster or dump answers it. */
export interface Question {
  readonly targets: readonly NamedTarget[];
  readonly namespace: string | undefined;
  readonly everywhere: boolean;
  readonly selector: string | undefined;
  readonly breadth: 'pending' | 'everything';
  /**
   * If a target does not exist, search all claims of the cluster for those that wait for it; a dump holds them anyway.
   */
  readonly asksWhoWaits?: boolean;
  /** Read what is needed to state the outcome of each fix; a dump holds it anyway. */
  readonly foresees?: boolean;
  /** Absent: no log is read. */
  readonly logs?: LogUse;
}

/** The objects whose changes a command follows. */
export interface Watched {
  readonly kinds: readonly Kind[];
  /** Absent: in all namespaces. */
  readonly namespace?: string | undefined;
  /** Of a kind in here, only the object of this name. */
  readonly names?: Readonly<Partial<Record<Kind, string>>>;
}

/** The question as the engine takes it, in the namespace of the source unless another one was requested. */
export function selectionOf(question: Question, defaultNamespace: string | undefined): Selection {
  const namespace = question.everywhere ? undefined : question.namespace || defaultNamespace;
  if (question.targets.length > 0) return { targets: inNamespace(question.targets, namespace ?? 'default') };
  return {
    breadth: question.breadth,
    ...(namespace !== undefined && { namespace }),
    ...(question.selector !== undefined && question.selector !== '' && { labelSelector: question.selector }),
  };
}

/** Whether a log could add to an answer; the consultation itself decides for each target. */
export function mayReadLogs({ report }: Diagnosis, { logs }: Question): boolean {
  if (logs === undefined) return false;
  const now = Date.parse(report.takenAt);
  return report.items.some((item) => wantsLogs(item, logs, now));
}

/** The first thing to read about a target. */
export function existenceOf({ kind, namespace, name }: TargetRef): Need {
  return {
    kind,
    scope: { ...(namespace !== undefined && { namespace }), name },
    needed: `whether ${shortNameOf(kind)}/${name} exists`,
  };
}

/** The error for the first target that does not exist and that no other object refers to. */
export function notFoundError({ notFound }: Pick<Diagnosis, 'notFound'>): UserError | undefined {
  const [missing] = notFound;
  if (missing === undefined) return undefined;
  const { target, near, noNamespace } = missing;
  if (noNamespace !== undefined) return noNamespaceError(target.namespace, noNamespace);
  const what = `${shortNameOf(target.kind)}/${target.name}`;
  const where = target.namespace === undefined ? '' : ` in namespace ${target.namespace}`;
  const doubt =
    target.namespace === undefined
      ? `Check the name: kubectl get ${resourceOf(target.kind).name} lists what exists`
      : 'No pod or workload refers to it either. Check the name and the namespace (-n)';
  const next = near.length > 0 ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?` : doubt;
  return new UserError(`${what} does not exist${where}`, next);
}

/** The error for a namespace that does not exist, or that appears nowhere in a dump. */
export function noNamespaceError(
  namespace: string | undefined,
  near: readonly string[],
  isOfContext = false,
): UserError {
  const next =
    near.length > 0
      ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
      : 'Choose another one with -n, or all with -A';
  return new UserError(
    `namespace "${namespace ?? ''}" does not exist`,
    isOfContext ? `It is set in the current context. ${next}` : next,
  );
}
