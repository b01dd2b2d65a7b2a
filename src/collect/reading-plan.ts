import { resourceOf } from '../model/resources.ts';
import { classSearched, scopeKey } from '../model/snapshot.ts';
import type { Kind } from '../model/kinds.ts';
import type { Need, Scope } from '../model/snapshot.ts';

/** One thing to ask the server, and the narrower reads that it stands for. */
export interface Reading {
  readonly kind: Kind;
  readonly scope: Scope;
  /** Asked one by one if this one is refused, or if it turns out far larger than they are. */
  readonly instead: readonly Scope[];
  /** Searches for volumes by class: no server knows such a selector, and one look at the table of all volumes answers them all. */
  readonly together?: readonly Scope[];
}

/** Past this many reads of one kind side by side, one broader list is cheaper. */
const few = 8;
const fewBesideSearch = 40;

export function isSelective(scope: Scope): boolean {
  return scope.name !== undefined || scope.fieldSelector !== undefined || scope.labelSelector !== undefined;
}

/** The broader lists that would answer a scope as well. */
export function broader(kind: Kind, scope: Scope): Scope[] {
  const scopes: Scope[] = [];
  const isNamespaced = resourceOf(kind).namespaced && scope.namespace !== undefined;
  if (isSelective(scope)) {
    if (isNamespaced) scopes.push({ namespace: scope.namespace as string });
    if (scope.name === undefined && isNamespaced) {
      const { namespace: _, ...everywhere } = scope;
      scopes.push(everywhere);
    }
    scopes.push({});
  } else if (isNamespaced) scopes.push({});
  return scopes;
}

/** Puts the needs of one round into as few readings as is sensible, each at most once. */
export function planReadings(needs: readonly Need[], isAnswered: (kind: Kind, scope: Scope) => boolean): Reading[] {
  const open = new Map<string, { readonly kind: Kind; readonly scope: Scope }>();
  for (const { kind, scope } of needs) {
    const tidy = tidyScope(kind, scope);
    if (!isAnswered(kind, tidy)) open.set(scopeKey(kind, tidy), { kind, scope: tidy });
  }
  // A need that a broader need of the same round answers as well is not read on its own.
  const wanted = [...open.values()].filter(({ kind, scope }) => !broader(kind, scope).some((wider) => open.has(scopeKey(kind, wider))));
  const searches = wanted.filter(({ kind, scope }) => classSearched(kind, scope) !== undefined);
  const kinds = Map.groupBy(wanted.filter((one) => !searches.includes(one)), ({ kind }) => kind);
  const [search] = searches;
  const together: Reading[] = search === undefined ? [] : [{ ...search, instead: [], together: searches.map(({ scope }) => scope) }];
  return [...together, ...[...kinds].flatMap(([kind, entries]) => gather(kind, entries.map(({ scope }) => scope), together.some((reading) => reading.kind === kind)))];
}

function gather(kind: Kind, scopes: readonly Scope[], isSearched: boolean): Reading[] {
  // The right to list secrets is the right to read them all: whoever may get one by name must be able to do with that.
  // Where the kind is searched in the same round, a list of it would be the second.
  if (resourceOf(kind).metadataOnly === true || (isSearched && scopes.length <= fewBesideSearch)) return scopes.map((scope) => ({ kind, scope, instead: [] }));
  const byNamespace = Map.groupBy(scopes, (scope) => scope.namespace);
  const readings = [...byNamespace].flatMap(([namespace, group]): Reading[] => {
    const selective = group.filter(isSelective);
    if (selective.length <= few) return group.map((scope) => ({ kind, scope, instead: [] }));
    return [{ kind, scope: namespace === undefined ? {} : { namespace }, instead: selective }];
  });
  if (!resourceOf(kind).namespaced || byNamespace.size <= few || byNamespace.has(undefined)) return readings;
  // Many namespaces: one list of them all, with the same selector where they share one.
  const selectors = new Set(scopes.map(({ fieldSelector, labelSelector, name }) => JSON.stringify([fieldSelector, labelSelector, name])));
  const [first = {}] = scopes;
  const { namespace: _, ...shared } = first;
  const scope = selectors.size === 1 && first.name === undefined ? shared : {};
  return [{ kind, scope, instead: readings.flatMap((reading) => (reading.instead.length > 0 ? reading.instead : [reading.scope])) }];
}

/** A namespace says nothing of a kind that has none; an empty selector selects all. */
function tidyScope(kind: Kind, scope: Scope): Scope {
  return {
    ...(resourceOf(kind).namespaced && scope.namespace !== undefined && scope.namespace !== '' ? { namespace: scope.namespace } : {}),
    ...(scope.name === undefined || scope.name === '' ? {} : { name: scope.name }),
    ...(scope.fieldSelector === undefined || scope.fieldSelector === '' ? {} : { fieldSelector: scope.fieldSelector }),
    ...(scope.labelSelector === undefined || scope.labelSelector === '' ? {} : { labelSelector: scope.labelSelector }),
  };
}
