import { scopeKey } from '../model/snapshot.ts';
import { objectKey } from './identify.ts';
import { mayBeChanging } from './written-fields.ts';
import type { Kind } from '../model/kinds.ts';
import type { Observation, RawObject, Scope } from '../model/snapshot.ts';
import type { ClusterReader, Refusal, TableRow } from './reader.ts';

export interface Scan {
  readonly objects: readonly RawObject[];
  readonly observations: readonly Observation[];
}

/** Claims read one by one up to here; past it, one list of them all is cheaper. */
const few = 40;
const pendingPods = 'status.phase=Pending';

/**
 * Finds the claims that are not Bound, the pods that are Pending and the StatefulSets that lack pods, at a cost that grows with what is stuck: the server
 * makes a table of all claims, a few bytes each, and only those that are not Bound are read in full.
 */
export async function scanStuck(reader: ClusterReader, options: { readonly namespace?: string; readonly labelSelector?: string; readonly breadth?: 'pending' | 'everything' } = {}): Promise<Scan> {
  const scope: Scope = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
  const isWide = options.breadth === 'everything';
  const scans = await Promise.all([isWide ? scanLong(reader, 'PersistentVolumeClaim', scope, isOddClaim) : scanClaims(reader, scope), scanPods(reader, scope), scanSets(reader, scope), ...(isWide ? scanElsewhere(reader, scope) : [])]);
  const objects = new Map(scans.flatMap((scan) => scan.objects).map((object) => [objectKey(object), object]));
  const observations = new Map(scans.flatMap((scan) => scan.observations).map((observation) => [scopeKey(observation.kind, observation.scope), observation]));
  return { objects: [...objects.values()], observations: [...observations.values()] };
}

async function scanPods(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const pending = { ...scope, fieldSelector: pendingPods };
  const result = await reader.list('Pod', pending);
  if (!('objects' in result)) return refused('Pod', pending, result);
  return { objects: result.objects, observations: [{ kind: 'Pod', scope: pending, state: 'complete' }] };
}

/** A set whose claim is refused has neither claim nor pod to find: only the set itself shows that something is missing. */
async function scanSets(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const table = await reader.listTable('StatefulSet', scope);
  if ('objects' in table) return { objects: table.objects, observations: [{ kind: 'StatefulSet', scope, state: 'complete' }] };
  if (!('rows' in table)) return refused('StatefulSet', scope, table);
  const short = table.rows.filter((row) => isShort(row.cells['ready']));
  return readRows(reader, 'StatefulSet', scope, short, table.rows.length);
}

/** `1/2` in the READY column, or anything that does not read as full. */
function isShort(ready: unknown): boolean {
  const match = /^(\d+)\/(\d+)$/.exec(String(ready));
  return match === null || match[1] !== match[2];
}

async function scanClaims(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const table = await reader.listTable('PersistentVolumeClaim', scope);
  if ('objects' in table) return { objects: table.objects, observations: [{ kind: 'PersistentVolumeClaim', scope, state: 'complete' }] };
  if (!('rows' in table)) return refused('PersistentVolumeClaim', scope, table);
  const hasStatus = table.rows.every((row) => row.cells['status'] !== undefined);
  const stuck = table.rows.filter((row) => row.cells['status'] !== 'Bound');
  if (!hasStatus || stuck.length > Math.max(few, table.rows.length / 10)) return listAll(reader, 'PersistentVolumeClaim', scope);
  return readRows(reader, 'PersistentVolumeClaim', scope, stuck, table.rows.length);
}

/** Volumes, attachments and nodes belong to no namespace: they are searched only where the whole cluster is. */
function scanElsewhere(reader: ClusterReader, scope: Scope): Promise<Scan>[] {
  const isEverywhere = scope.namespace === undefined && scope.labelSelector === undefined;
  const wide = isEverywhere ? [scanLong(reader, 'PersistentVolume', {}, isOddVolume), listAll(reader, 'VolumeAttachment', {}), listAll(reader, 'Node', {})] : [];
  return [listAll(reader, 'VolumeSnapshot', scope), ...wide];
}

/** Whether a bound claim is growing or changing stands in no column of the table, but who wrote which field when does. */
function isOddClaim({ cells, metadata }: TableRow): boolean {
  return cells['status'] !== 'Bound' || mayBeChanging(metadata);
}

/** A volume that is kept on purpose is not stuck. */
function isOddVolume({ cells }: TableRow): boolean {
  const status = cells['status'];
  return !(status === 'Bound' || status === 'Available' || (status === 'Released' && cells['reclaim policy'] === 'Retain'));
}

/** A short list is read whole. Of a long one the server makes a table, and only what is odd in it is read in full; the rest is counted. */
async function scanLong(reader: ClusterReader, kind: Kind, scope: Scope, isOdd: (row: TableRow) => boolean): Promise<Scan> {
  const first = await reader.list(kind, scope, { isEnough: (_page, remaining) => remaining > 0 });
  if (!('objects' in first)) return refused(kind, scope, first);
  if (first.state === 'complete') return { objects: first.objects, observations: [{ kind, scope, state: 'complete' }] };
  const table = await reader.listTable(kind, scope);
  if ('objects' in table) return { objects: table.objects, observations: [{ kind, scope, state: 'complete' }] };
  if (!('rows' in table)) return refused(kind, scope, table);
  const odd = table.rows.filter(isOdd);
  const hasStatus = table.rows.every((row) => row.cells['status'] !== undefined);
  if (!hasStatus || odd.length > Math.max(few, table.rows.length / 10)) return listAll(reader, kind, scope);
  const states = Object.fromEntries([...Map.groupBy(table.rows, (row) => row.cells['status'] ?? '')].map(([state, rows]) => [state, rows.length]));
  const scan = await readRows(reader, kind, scope, odd, table.rows.length, states);
  return { objects: [...first.objects, ...scan.objects], observations: scan.observations };
}

async function listAll(reader: ClusterReader, kind: Kind, scope: Scope): Promise<Scan> {
  const result = await reader.list(kind, scope);
  if (!('objects' in result)) return refused(kind, scope, result);
  return { objects: result.objects, observations: [{ kind, scope, state: 'complete' }] };
}

async function readRows(reader: ClusterReader, kind: Kind, scope: Scope, rows: readonly TableRow[], looked: number, states?: Readonly<Record<string, number>>): Promise<Scan> {
  const objects: RawObject[] = [];
  const observations: Observation[] = [];
  await Promise.all(
    rows.map(async ({ name, namespace }) => {
      const result = await reader.get(kind, namespace, name);
      const narrow: Scope = { ...(namespace === undefined ? {} : { namespace }), name };
      if (result.state === 'found') objects.push(result.object);
      if (result.state === 'found' || result.state === 'missing') observations.push({ kind, scope: narrow, state: 'complete' });
      else observations.push({ kind, scope: narrow, state: result.state, message: result.message });
    }),
  );
  const isWhole = rows.length === looked && observations.every(({ state }) => state === 'complete');
  observations.push({ kind, scope, state: isWhole ? 'complete' : 'partial', ...(isWhole ? {} : { message: 'only what is not ready was read', looked, ...(states && { states }) }) });
  return { objects, observations };
}

function refused(kind: Kind, scope: Scope, refusal: Refusal): Scan {
  return { objects: [], observations: [{ kind, scope, state: refusal.state, message: refusal.message }] };
}
