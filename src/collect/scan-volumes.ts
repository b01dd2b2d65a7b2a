import { classSearched } from '../model/snapshot.ts';
import type { Observation, RawObject, Scope } from '../model/snapshot.ts';
import { scanLong } from './scan-stuck.ts';
import type { Scan } from './scan-stuck.ts';
import type { ClusterReader, TableRow } from './reader.ts';

const kind = 'PersistentVolume';

/** Reads the volumes that claims of some classes could have had, by candidateScope: in a large cluster a few among many that are bound. */
export async function scanCandidates(reader: ClusterReader, scopes: readonly Scope[], known: readonly RawObject[]): Promise<Scan> {
  const classes = new Set(scopes.map((scope) => classSearched(kind, scope)));
  const waiting = new Set(known.filter(isWaiting).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`));
  const isOdd = ({ cells }: TableRow): boolean => {
    const { status, claim, storageclass } = cells;
    // A table without these columns tells nothing.
    return status !== 'Bound' || claim === undefined || storageclass === undefined || waiting.has(claim) || classes.has(storageclass);
  };
  const { objects, observations } = await scanLong(reader, kind, {}, { form: 'cells', isOdd });
  const [trouble] = observations.filter(({ state }) => state !== 'complete' && state !== 'partial');
  const answers = scopes.map((scope): Observation => (trouble ? { ...trouble, scope } : { kind, scope, state: 'complete' }));
  return { objects, observations: [...observations, ...answers] };
}

function isWaiting({ kind: own, status }: RawObject): boolean {
  return own === 'PersistentVolumeClaim' && (status as { readonly phase?: unknown } | undefined)?.phase !== 'Bound';
}
