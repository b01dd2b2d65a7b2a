import { resourceOf } from '../../core/kube/resources.ts';
import { classSearched, scopeKey, widerScopes } from '../../core/kube/snapshot.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Need, Scope } from '../../core/kube/snapshot.ts';

/** One request, and the narrower reads that it replaces. */
export interface Reading {
  readonly kind: Kind;
  readonly scope: Scope;
  /** Read one by one if this one is refused, or turns out to be much larger. */
  readonly instead: readonly Scope[];
  /** Volumes by class, for which there is no selector, and by name: one table of all volumes answers them together. */
  readonly together?: readonly Scope[];
}

/** Beyond this many reads of one kind, one broader list is cheaper. */
const few = 8;
/** The same in a large cluster, where that list is long. */
const fewOfMany = 40;

export function isSelective(scope: Scope): boolean {
  return (
    scope.name !== undefined ||
    scope.fieldSelector !== undefined ||
    scope.labelSelector !== undefined ||
    scope.first !== undefined
  );
}

/** Combines the needs of one round into as few requests as is sensible. */
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
  // A need that a broader need of the same round answers is not read separately.
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
  // Kinds with one object per node or claim are read last: the other answers may make them unnecessary.
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
  const searches = scopes.filter((scope) => classSearched(kind, scope) !== undefined);
  const [search] = searches;
  if (search !== undefined) {
    // The first page of the table proves nothing about a name that is not on it.
    const isCut = searches.every(({ first }) => first !== undefined);
    const together = isCut ? searches : scopes.filter(isFoundInTable);
    const others = scopes.filter((scope) => !together.includes(scope));
    return [{ kind, scope: search, instead: [], together }, ...gather(kind, others, isLarge)];
  }
  // The right to list Secrets is the right to read all of them, so many users have only get.
  if (resourceOf(kind).metadataOnly === true || (isLarge && scopes.length <= fewOfMany)) return each;
  if (isLarge && kind === 'PersistentVolume' && scopes.every(({ name }) => name !== undefined))
    return [{ kind, scope: {}, instead: [], together: scopes }];
  // Events about claims and events about pods share no selector but that of their kind.
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
  if (!resourceOf(kind).namespaced || byNamespace.has(undefined)) return readings;
  const isManyEvents = leadOf(scopes[0] ?? {}) === eventsOfClaims && readings.length > few;
  if (byNamespace.size <= few && !isManyEvents) return readings;
  // Many namespaces: one list of all of them, with their selector if they share one.
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

/** Only claims that wait or fail have events, so that even all of them are few, where the cluster is not large. */
const eventsOfClaims = 'involvedObject.kind=PersistentVolumeClaim';

/** All terms of a field selector but the last, which selects a single object. */
function leadOf({ name, fieldSelector = '', labelSelector }: Scope): string {
  return name === undefined && labelSelector === undefined
    ? fieldSelector.slice(0, Math.max(0, fieldSelector.lastIndexOf(',')))
    : '';
}

function leadScope([first = {}]: readonly Scope[]): Scope {
  const fieldSelector = leadOf(first);
  return fieldSelector === '' ? {} : { fieldSelector };
}

/** Leaves out the namespace of a kind that has none, and empty selectors. */
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
