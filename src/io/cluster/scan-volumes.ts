import { classSearched, scopeKey } from '../../core/kube/snapshot.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import { scanTable } from './scan-stuck.ts';
import type { Scan } from './scan-stuck.ts';
import type { ClusterReader, TableRow } from './reader.ts';

const kind = 'PersistentVolume';

/**
 * Reads the volumes that claims of some classes could have had, by candidateScope, and those of some names: in a large cluster a few among
 * many that are bound. A name that is not in the table does not exist.
 */
export async function scanCandidates(
  reader: ClusterReader,
  scopes: readonly Scope[],
  known: readonly RawObject[],
): Promise<Scan> {
  const classes = new Set(scopes.map((scope) => classSearched(kind, scope)).filter((name) => name !== undefined));
  const names = new Set(scopes.map(({ name }) => name).filter((name) => name !== undefined));
  const waiting = new Set(
    known.filter(isWaiting).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`),
  );
  const isCandidate = ({ cells }: TableRow): boolean => {
    const { status, claim, storageclass } = cells;
    // A table without these columns tells nothing.
    return (
      status !== 'Bound' ||
      claim === undefined ||
      storageclass === undefined ||
      waiting.has(claim) ||
      classes.has(storageclass)
    );
  };
  const isOdd = (row: TableRow): boolean => names.has(row.name) || (classes.size > 0 && isCandidate(row));
  const { objects, observations } = await scanTable(reader, kind, {}, { form: 'cells', isOdd });
  // A candidate that could not be read is as good as a table that could not: nobody knows whether it fits.
  const trouble = observations.find(
    ({ state, scope }) => state !== 'complete' && state !== 'partial' && !names.has(scope.name ?? ''),
  );
  // Whoever may not list may still get: names are left for that.
  if (trouble)
    return {
      objects,
      observations: [
        ...observations,
        ...scopes.filter(({ name }) => name === undefined).map((scope): Observation => ({ ...trouble, scope })),
      ],
    };
  const told = new Set(observations.map(({ scope }) => scopeKey(kind, scope)));
  return {
    objects,
    observations: [
      ...observations,
      ...scopes
        .filter((scope) => !told.has(scopeKey(kind, scope)))
        .map((scope): Observation => ({ kind, scope, state: 'complete' })),
    ],
  };
}

function isWaiting({ kind: own, status }: RawObject): boolean {
  return own === 'PersistentVolumeClaim' && (status as { readonly phase?: unknown } | undefined)?.phase !== 'Bound';
}
