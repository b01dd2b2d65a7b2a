import { resourceOf } from '../../core/kube/resources.ts';
import { classSearched, scopeKey, widerScopes } from '../../core/kube/snapshot.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Need, Scope } from '../../core/kube/snapshot.ts';

/** One thing to ask the server, and the narrower reads that it stands for. */
export interface Reading {
  readonly kind: Kind;
  readonly scope: Scope;
  /** Asked one by one if this one is refused, or if it turns out far larger than they are. */
  readonly instead: readonly Scope[];
  /** Volumes by class, which no server knows as a selector, and by name: one look at the table of all volumes answers them all. */
  readonly together?: readonly Scope[];
}

/** Past this many reads of one kind side by side, one broader list is cheaper. */
const few = 8;
/** And where that list is known to be long. */
const fewOfMany = 40;

export function isSelective(scope: Scope): boolean {
  return (
    scope.name !== undefined ||
    scope.fieldSelector !== undefined ||
    scope.labelSelector !== undefined ||
    scope.first !== undefined
  );
}

/** Puts the needs of one round into as few readings as is sensible, each at most once. */
export function planReadings(
  needs: readonly Need[],
  isAnswered: (kind: Kind, scope: Scope) => boolean,
  isLarge = false,
): Reading[] {
  const open = new Map<string, { readonly kind: Kind; readonly scope: Scope }>();
  for (const { kind, scope } of needs) {
    const tidy = tidyScope(kind, scope);
    if (!isAnswered(kind, tidy)) open.set(scopeKey(kind, tidy), { kind, scope: tidy });
  }
  // A need that a broader need of the same round answers as well is not read on its own.
  const wanted = [...open.values()].filter(
    ({ kind, scope }) => !widerScopes(scope).some((wider) => open.has(scopeKey(kind, wider))),
  );
  const readings = [...Map.groupBy(wanted, ({ kind }) => kind)].flatMap(([kind, entries]) =>
    gather(
      kind,
      entries.map(({ scope }) => scope),
      isLarge,
    ),
  );
  if (!isLarge) return readings;
  // What there is one of for each node or claim is read only when nothing else is left to read: the rest may make it needless.
  const short = readings.filter(
    ({ kind, scope: { first: _, ...scope }, together }) =>
      together !== undefined || isSelective(scope) || scope.namespace !== undefined || resourceOf(kind).isMany !== true,
  );
  return short.length > 0 ? short : readings;
}

function isFoundInTable(scope: Scope): boolean {
  return scope.name !== undefined || classSearched('PersistentVolume', scope) !== undefined;
}

function gather(kind: Kind, scopes: readonly Scope[], isLarge: boolean): Reading[] {
  const each = scopes.map((scope): Reading => ({ kind, scope, instead: [] }));
  const [searched] = scopes.filter((scope) => classSearched(kind, scope) !== undefined);
  if (searched !== undefined) {
    const [together, others] = [scopes.filter(isFoundInTable), scopes.filter((scope) => !isFoundInTable(scope))];
    return [
      { kind, scope: searched, instead: [], together },
      ...others.map((scope): Reading => ({ kind, scope, instead: [] })),
    ];
  }
  // The right to list secrets is the right to read them all: whoever may get one by name must be able to do with that.
  if (resourceOf(kind).metadataOnly === true || (isLarge && scopes.length <= fewOfMany)) return each;
  if (isLarge && kind === 'PersistentVolume' && scopes.every(({ name }) => name !== undefined))
    return [{ kind, scope: {}, instead: [], together: scopes }];
  // Events about claims and events about pods have no selector in common but that of their kind.
  return [...Map.groupBy(scopes, leadOf).values()].flatMap((group) => gatherAlike(kind, group));
}

function gatherAlike(kind: Kind, scopes: readonly Scope[]): Reading[] {
  const byNamespace = Map.groupBy(scopes, (scope) => scope.namespace);
  const readings = [...byNamespace].flatMap(([namespace, group]): Reading[] => {
    const selective = group.filter(isSelective);
    if (selective.length <= few) return group.map((scope) => ({ kind, scope, instead: [] }));
    return [
      { kind, scope: { ...(namespace !== undefined && { namespace }), ...leadScope(group) }, instead: selective },
    ];
  });
  if (!resourceOf(kind).namespaced || byNamespace.size <= few || byNamespace.has(undefined)) return readings;
  // Many namespaces: one list of them all, with the same selector where they share one.
  const selectors = new Set(
    scopes.map(({ fieldSelector, labelSelector, name }) => JSON.stringify([fieldSelector, labelSelector, name])),
  );
  const [first = {}] = scopes;
  const { namespace: _, ...shared } = first;
  const scope = selectors.size === 1 && first.name === undefined ? shared : leadScope(scopes);
  return [
    {
      kind,
      scope,
      instead: readings.flatMap((reading) => (reading.instead.length > 0 ? reading.instead : [reading.scope])),
    },
  ];
}

/** All terms of a field selector but the last, which tells one object from the others. */
function leadOf({ name, fieldSelector = '', labelSelector }: Scope): string {
  return name === undefined && labelSelector === undefined
    ? fieldSelector.slice(0, Math.max(0, fieldSelector.lastIndexOf(',')))
    : '';
}

function leadScope([first = {}]: readonly Scope[]): Scope {
  const fieldSelector = leadOf(first);
  return fieldSelector === '' ? {} : { fieldSelector };
}

/** A namespace says nothing of a kind that has none; an empty selector selects all. */
function tidyScope(kind: Kind, scope: Scope): Scope {
  return {
    ...(resourceOf(kind).namespaced && scope.namespace !== undefined && scope.namespace !== ''
      ? { namespace: scope.namespace }
      : {}),
    ...(scope.name === undefined || scope.name === '' ? {} : { name: scope.name }),
    ...(scope.fieldSelector === undefined || scope.fieldSelector === '' ? {} : { fieldSelector: scope.fieldSelector }),
    ...(scope.labelSelector === undefined || scope.labelSelector === '' ? {} : { labelSelector: scope.labelSelector }),
    ...(scope.first === undefined ? {} : { first: scope.first }),
  };
}
