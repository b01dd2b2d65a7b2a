import { resourceOf } from '../model/resources.ts';
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

/** What shows in the server's table that an object must be read. */
interface Search {
  readonly form: 'cells' | 'metadata';
  readonly isOdd: (row: TableRow) => boolean;
  /** The states of all of them are wanted as well. */
  readonly counts?: boolean;
}

/** Objects read one by one up to here, or up to a tenth of them; past it, one list of them all is cheaper. */
const few = 40;
const pendingPods = 'status.phase=Pending';

/**
 * Finds the claims that are not Bound, the pods that are Pending and the StatefulSets that lack pods, at a cost that grows with what is stuck: the server
 * makes a table of all claims, a hundred bytes each, and only those that are not Bound are read in full.
 */
export async function scanStuck(reader: ClusterReader, options: { readonly namespace?: string; readonly labelSelector?: string; readonly breadth?: 'pending' | 'everything' } = {}): Promise<Scan> {
  const scope: Scope = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
  const isWide = options.breadth === 'everything';
  const scans = await Promise.all([isWide ? scanLong(reader, 'PersistentVolumeClaim', scope, { form: 'metadata', isOdd: isOddClaim, counts: true }) : scanClaims(reader, scope), scanPods(reader, scope), scanSets(reader, scope), ...(isWide ? scanElsewhere(reader, scope) : [])]);
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
function scanSets(reader: ClusterReader, scope: Scope): Promise<Scan> {
  return scanTable(reader, 'StatefulSet', scope, { form: 'cells', isOdd: ({ cells }) => isShort(cells['ready']) });
}

/** `1/2` in the READY column, or anything that does not read as full. */
function isShort(ready: unknown): boolean {
  const match = /^(\d+)\/(\d+)$/.exec(String(ready));
  return match === null || match[1] !== match[2];
}

function scanClaims(reader: ClusterReader, scope: Scope): Promise<Scan> {
  return scanTable(reader, 'PersistentVolumeClaim', scope, { form: 'cells', isOdd: ({ cells }) => cells['status'] !== 'Bound' });
}

/** Volumes, attachments and nodes belong to no namespace: they are searched only where the whole cluster is. */
function scanElsewhere(reader: ClusterReader, scope: Scope): Promise<Scan>[] {
  const isEverywhere = scope.namespace === undefined && scope.labelSelector === undefined;
  const wide = isEverywhere ? [scanLong(reader, 'PersistentVolume', {}, { form: 'cells', isOdd: isOddVolume, counts: true }), listAll(reader, 'VolumeAttachment', {}), listAll(reader, 'Node', {})] : [];
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
export async function scanLong(reader: ClusterReader, kind: Kind, scope: Scope, search: Search): Promise<Scan> {
  const first = await reader.list(kind, scope, { isEnough: (_page, remaining) => remaining > 0 });
  if (!('objects' in first)) return refused(kind, scope, first);
  if (first.state === 'complete') return { objects: first.objects, observations: [{ kind, scope, state: 'complete' }] };
  const scan = await scanTable(reader, kind, scope, search);
  return { objects: [...first.objects, ...scan.objects], observations: scan.observations };
}

async function scanTable(reader: ClusterReader, kind: Kind, scope: Scope, { form, isOdd, counts }: Search): Promise<Scan> {
  const table = await reader.listTable(kind, scope, { form, keep: isOdd });
  if ('objects' in table) return { objects: table.objects, observations: [{ kind, scope, state: 'complete' }] };
  if (!('rows' in table)) return refused(kind, scope, table);
  const { rows, looked, states } = table;
  if (rows.length > Math.max(few, looked / 10)) return listAll(reader, kind, scope);
  // To find many objects whose namespaces are not known costs more than to ask for the namespaces.
  const isFar = rows.length > few && rows.some(({ namespace }) => namespace === undefined) && resourceOf(kind).namespaced;
  if (isFar && form === 'cells') return scanTable(reader, kind, scope, { isOdd, form: 'metadata', ...(counts && { counts }) });
  return readRows(reader, kind, scope, { rows, looked, ...(counts && { states }) });
}

async function listAll(reader: ClusterReader, kind: Kind, scope: Scope): Promise<Scan> {
  const result = await reader.list(kind, scope);
  if (!('objects' in result)) return refused(kind, scope, result);
  return { objects: result.objects, observations: [{ kind, scope, state: 'complete' }] };
}

async function readRows(reader: ClusterReader, kind: Kind, scope: Scope, { rows, looked, states }: { readonly rows: readonly TableRow[]; readonly looked: number; readonly states?: Readonly<Record<string, number>> }): Promise<Scan> {
  const objects: RawObject[] = [];
  const observations: Observation[] = [];
  await Promise.all(
    rows.map(async (row) => {
      const { name, namespace } = row;
      const result = await reader.readRow(kind, scope, row);
      const narrow = (place: string | undefined): Scope => ({ ...(place === undefined ? {} : { namespace: place }), name });
      if (!('objects' in result)) return void observations.push({ kind, scope: narrow(namespace), state: result.state, message: result.message });
      objects.push(...result.objects);
      const places = namespace === undefined ? result.objects.map(({ metadata }) => metadata.namespace) : [namespace];
      observations.push(...places.map((place): Observation => ({ kind, scope: narrow(place), state: 'complete' })));
    }),
  );
  const isWhole = rows.length === looked && observations.every(({ state }) => state === 'complete');
  observations.push({ kind, scope, state: isWhole ? 'complete' : 'partial', ...(isWhole ? {} : { message: 'only what is not ready was read', looked, ...(states && { states }) }) });
  return { objects, observations };
}

function refused(kind: Kind, scope: Scope, refusal: Refusal): Scan {
  return { objects: [], observations: [{ kind, scope, state: refusal.state, message: refusal.message }] };
}
