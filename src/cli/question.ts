import type { Selection, TargetRef } from '../core/kube/selection.ts';
import type { Need } from '../core/kube/snapshot.ts';
import { UserError } from '../core/kube/errors.ts';
import { resourceOf, shortNameOf } from '../core/kube/resources.ts';
import type { Diagnosis } from '../core/engine/diagnose.ts';
import { inNamespace } from './targets.ts';
import type { NamedTarget } from './targets.ts';

/** What was asked, before it is known which cluster or dump answers. */
export interface Question {
  readonly targets: readonly NamedTarget[];
  readonly namespace: string | undefined;
  readonly everywhere: boolean;
  readonly selector: string | undefined;
  readonly breadth: 'pending' | 'everything';
  /** Whether the claims of the cluster are searched for one that waits for what does not exist: a dump holds them anyway. */
  readonly asksWhoWaits?: boolean;
}

/** The same in the words of the engine; the namespace is the source's own where none was asked for. */
export function selectionOf(question: Question, defaultNamespace: string | undefined): Selection {
  const namespace = question.everywhere ? undefined : question.namespace || defaultNamespace;
  if (question.targets.length > 0) return { targets: inNamespace(question.targets, namespace ?? 'default') };
  return {
    breadth: question.breadth,
    ...(namespace !== undefined && { namespace }),
    ...(question.selector !== undefined && question.selector !== '' && { labelSelector: question.selector }),
  };
}

/** The first thing to read of what was named. */
export function existenceOf({ kind, namespace, name }: TargetRef): Need {
  return {
    kind,
    scope: { ...(namespace !== undefined && { namespace }), name },
    needed: `whether ${shortNameOf(kind)}/${name} exists`,
  };
}

/** What to say when something was named that neither exists nor is expected by anyone. */
export function notFoundError(diagnosis: Diagnosis): UserError | undefined {
  const [missing] = diagnosis.notFound;
  if (missing === undefined) return undefined;
  const { target, near } = missing;
  const what = `${shortNameOf(target.kind)}/${target.name}`;
  const where = target.namespace === undefined ? '' : ` in namespace ${target.namespace}`;
  const doubt =
    target.namespace === undefined
      ? `is the name right? kubectl get ${resourceOf(target.kind).name} shows what there is`
      : 'nothing expects it either; is the namespace right (-n)?';
  const next = near.length > 0 ? `did you mean ${near.join(' or ')}?` : doubt;
  return new UserError(`there is no ${what}${where}`, next);
}

export function noNamespaceError(namespace: string | undefined, near: readonly string[]): UserError {
  return new UserError(
    `there is no namespace ${namespace ?? ''}`,
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'leave -n out to see the whole cluster',
  );
}
