import { classSearched, scopeKey } from '../../core/kube/snapshot.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import { scanTable } from './scan-table.ts';
import type { Scan } from './scan-table.ts';
import type { ClusterReader, TableRow } from './reader.ts';

const kind = 'PersistentVolume';

/**
 * Reads the volumes that claims of some classes could bind to, and those of some names, from one table of all volumes, or
 * from `rows` of it. A name that is not in the table does not exist. If only the first volumes are asked for, the table ends with them.
 */
export async function scanCandidates(
  reader: ClusterReader,
  scopes: readonly Scope[],
  known: readonly RawObject[],
  rows?: readonly TableRow[],
): Promise<Scan> {
  const names = new Set(scopes.map(({ name }) => name).filter((name) => name !== undefined));
  const isOdd = candidateTest(scopes, names, known);
  const limit = limitOf(scopes);
  const { objects, observations, isCut } = await scanTable(
    reader,
    kind,
    {},
    {
      form: 'cells',
      isOdd,
      known: rows,
      ...limit,
    },
  );
  const trouble = observations.find(
    ({ state, scope }) => state !== 'complete' && state !== 'partial' && !names.has(scope.name ?? ''),
  );
  // A table that ended before the limit answers for all volumes.
  const asked = isCut === true ? scopes : scopes.map(({ first: _, ...scope }) => scope);
  const answered = trouble ? troubledScopes(scopes, trouble) : completeScopes(asked, observations);
  return { objects, observations: [...observations, ...answered] };
}

/** What shows whether a volume is a candidate. */
export function candidateRow({ name, cells: { status, claim, storageclass } }: TableRow): TableRow {
  const cells = {
    ...(status !== undefined && { status }),
    ...(claim !== undefined && { claim }),
    ...(storageclass !== undefined && { storageclass }),
  };
  return { name, cells, metadata: {} };
}

function limitOf(scopes: readonly Scope[]): { readonly limit?: number } {
  const limits = scopes.map(({ first }) => first ?? Number.POSITIVE_INFINITY);
  const most = Math.max(...limits);
  return Number.isFinite(most) ? { limit: most } : {};
}

function candidateTest(
  scopes: readonly Scope[],
  names: ReadonlySet<string>,
  known: readonly RawObject[],
): (row: TableRow) => boolean {
  const classes = new Set(scopes.map((scope) => classSearched(kind, scope)).filter((name) => name !== undefined));
  const waiting = new Set(
    known.filter(isWaiting).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`),
  );
  const isCandidate = ({ cells: { status, claim, storageclass } }: TableRow): boolean => {
    // Without these columns every volume may be a candidate.
    if (status !== 'Bound' || claim === undefined || storageclass === undefined) return true;
    return waiting.has(claim) || classes.has(storageclass);
  };
  return (row) => names.has(row.name) || (classes.size > 0 && isCandidate(row));
}

/**
 * If a candidate could not be read it is unknown whether it fits, as if the table could not be read. Names are left
 * open: they may be read by get.
 */
function troubledScopes(scopes: readonly Scope[], trouble: Observation): Observation[] {
  return scopes.filter(({ name }) => name === undefined).map((scope) => ({ ...trouble, scope }));
}

function completeScopes(scopes: readonly Scope[], observations: readonly Observation[]): Observation[] {
  const observed = new Set(observations.map(({ scope }) => scopeKey(kind, scope)));
  return scopes
    .filter((scope) => !observed.has(scopeKey(kind, scope)))
    .map((scope) => ({ kind, scope, state: 'complete' }));
}

function isWaiting({ kind: own, status }: RawObject): boolean {
  return own === 'PersistentVolumeClaim' && (status as { readonly phase?: unknown } | undefined)?.phase !== 'Bound';
}
