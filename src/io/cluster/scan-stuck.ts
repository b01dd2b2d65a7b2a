import { resourceOf } from '../../core/kube/resources.ts';
import { pendingPods, scopeKey } from '../../core/kube/snapshot.ts';
import { begin } from './begin.ts';
import { objectKey } from '../identify.ts';
import { mayBeChanging } from './written-fields.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import type { ClusterReader, ListResult, Refusal, Table, TableRow } from './reader.ts';

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
  /** Called for each one that is odd, as it is found. */
  readonly onOdd?: () => void;
  /** A namespace where an object of this name may lie: cells do not tell. */
  readonly hint?: (name: string) => Promise<string | undefined>;
}

/** Objects read one by one up to here, and before it is known how many there are. */
const few = 40;
/** One page. */
const shortList = 500;

/**
 * Finds the claims that are not Bound, the pods that are Pending and the StatefulSets that lack pods, at a cost that grows with what is stuck: the server
 * makes a table of all claims, a hundred bytes each, and only those that are not Bound are read in full.
 */
export async function scanStuck(
  reader: ClusterReader,
  options: {
    readonly namespace?: string;
    readonly labelSelector?: string;
    readonly breadth?: 'pending' | 'everything';
  } = {},
): Promise<Scan> {
  const scope: Scope = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
  const isWide = options.breadth === 'everything';
  // Whatever a claim waits for, its class tells: the classes are few, and are read while the claims still are.
  let classes: Promise<Scan> | undefined;
  const onOdd = (): void => void (classes ??= begin(listAll(reader, 'StorageClass', {})));
  const pods = begin(scanPods(reader, scope));
  const hint = async (name: string): Promise<string | undefined> => placeOfClaim((await pods).objects, name);
  const scans = await Promise.all([
    isWide
      ? scanLong(reader, 'PersistentVolumeClaim', scope, { form: 'metadata', isOdd: isOddClaim, counts: true })
      : scanClaims(reader, scope, { onOdd, hint }),
    pods,
    scanSets(reader, scope),
    ...(isWide ? scanElsewhere(reader, scope) : []),
  ]);
  if (classes) scans.push(await classes);
  const objects = new Map(scans.flatMap((scan) => scan.objects).map((object) => [objectKey(object), object]));
  const observations = new Map(
    scans
      .flatMap((scan) => scan.observations)
      .map((observation) => [scopeKey(observation.kind, observation.scope), observation]),
  );
  return { objects: [...objects.values()], observations: [...observations.values()] };
}

async function scanPods(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const pending = { ...scope, fieldSelector: pendingPods };
  const result = await reader.list('Pod', pending);
  if (!('objects' in result)) return refused('Pod', pending, result);
  return { objects: result.objects, observations: [{ kind: 'Pod', scope: pending, state: 'complete' }] };
}

/** The namespace of the first of these pods that uses a claim of this name. */
function placeOfClaim(pods: readonly RawObject[], name: string): string | undefined {
  const uses = ({ metadata, spec }: RawObject): boolean => {
    const { volumes } = (spec ?? {}) as { readonly volumes?: unknown };
    return (
      Array.isArray(volumes) &&
      volumes.some(
        (volume: PodVolume | null) =>
          volume?.persistentVolumeClaim?.claimName === name ||
          (volume?.ephemeral !== undefined && `${metadata.name}-${volume.name ?? ''}` === name),
      )
    );
  };
  return pods.find(uses)?.metadata.namespace;
}

interface PodVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: unknown;
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

function scanClaims(reader: ClusterReader, scope: Scope, more: Pick<Search, 'onOdd' | 'hint'>): Promise<Scan> {
  return scanTable(reader, 'PersistentVolumeClaim', scope, {
    form: 'cells',
    isOdd: ({ cells }) => cells['status'] !== 'Bound',
    ...more,
  });
}

/** Volumes, attachments and nodes belong to no namespace: they are searched only where the whole cluster is. */
function scanElsewhere(reader: ClusterReader, scope: Scope): Promise<Scan>[] {
  const isEverywhere = scope.namespace === undefined && scope.labelSelector === undefined;
  const wide = isEverywhere
    ? [
        scanLong(reader, 'PersistentVolume', {}, { form: 'cells', isOdd: isOddVolume, counts: true }),
        listAll(reader, 'VolumeAttachment', {}),
        listAll(reader, 'Node', {}),
      ]
    : [];
  return [listAll(reader, 'VolumeSnapshot', scope), ...wide];
}

/** Whether a bound claim is growing or changing stands in no column of the table, but who wrote which field when does. */
function isOddClaim({ cells, metadata }: TableRow): boolean {
  return cells['status'] !== 'Bound' || mayBeChanging(metadata);
}

/** A volume that is kept on purpose is not stuck. */
function isOddVolume({ cells }: TableRow): boolean {
  const status = cells['status'];
  return !(
    status === 'Bound' ||
    status === 'Available' ||
    (status === 'Released' && cells['reclaim policy'] === 'Retain')
  );
}

/** A short list is read whole. Of a long one the server makes a table, and only what is odd in it is read in full; the rest is counted. */
async function scanLong(reader: ClusterReader, kind: Kind, scope: Scope, search: Search): Promise<Scan> {
  const first = await reader.list(kind, scope, { isEnough: (_page, remaining) => remaining > 0 });
  if (!('objects' in first)) return refused(kind, scope, first);
  if (first.state === 'complete') return { objects: first.objects, observations: [{ kind, scope, state: 'complete' }] };
  const scan = await scanTable(reader, kind, scope, search);
  return { objects: [...first.objects, ...scan.objects], observations: scan.observations };
}

export async function scanTable(
  reader: ClusterReader,
  kind: Kind,
  scope: Scope,
  { form, isOdd, counts, onOdd, hint }: Search,
): Promise<Scan> {
  const reads = new RowReads(reader, kind, scope, hint);
  const table = await reader.listTable(kind, scope, {
    form,
    keep: (row) => {
      const isWanted = isOdd(row);
      if (isWanted) {
        onOdd?.();
        reads.add(row);
      }
      return isWanted;
    },
  });
  if ('objects' in table) return { objects: table.objects, observations: [{ kind, scope, state: 'complete' }] };
  if (!('rows' in table)) return refused(kind, scope, table);
  const { rows, looked, states } = table;
  if (rows.length > mostReads(kind, table)) return listRows(reader, kind, scope, table, counts);
  return readRows(kind, scope, await reads.all(), { looked, ...(counts && { states }) });
}

/** A page of a list costs as much as some 25 gets, and nobody likes hundreds of them. Where the namespace is not known each read is a search. */
function mostReads(kind: Kind, { rows, looked }: Table): number {
  const isPlaced = !resourceOf(kind).namespaced || rows.every(({ namespace }) => namespace !== undefined);
  return isPlaced ? Math.max(few, Math.min(looked / 20, 200)) : few;
}

/** Past a few, one list replaces many gets; of a long one only what is wanted is kept. */
async function listRows(
  reader: ClusterReader,
  kind: Kind,
  scope: Scope,
  { rows, looked, states }: Table,
  counts: boolean | undefined,
): Promise<Scan> {
  if (looked <= shortList || rows.length > looked / 2) return listAll(reader, kind, scope);
  const names = new Set(rows.map(({ name }) => name));
  const result = await reader.list(kind, scope, { keep: ({ metadata }) => names.has(metadata.name) });
  if (!('objects' in result)) return refused(kind, scope, result);
  const kept = result.objects.map(({ metadata: { namespace, name } }): Observation => ({
    kind,
    scope: { ...(namespace !== undefined && { namespace }), name },
    state: 'complete',
  }));
  return {
    objects: result.objects,
    observations: [...kept, partly(kind, scope, { looked, ...(counts && { states }) })],
  };
}

async function listAll(reader: ClusterReader, kind: Kind, scope: Scope): Promise<Scan> {
  const result = await reader.list(kind, scope);
  if (!('objects' in result)) return refused(kind, scope, result);
  return { objects: result.objects, observations: [{ kind, scope, state: 'complete' }] };
}

/** The objects of the rows of a table, on their way while its next page is. */
class RowReads {
  readonly #read: (row: TableRow, isFirst: boolean) => Promise<RowRead>;
  #waiting: TableRow[] = [];
  #added = 0;
  readonly #reads = new Map<string, Promise<RowRead>>();

  constructor(reader: ClusterReader, kind: Kind, scope: Scope, hint: Search['hint']) {
    this.#read = async (row, isFirst) => {
      const place = row.namespace === undefined && isFirst ? await hint?.(row.name) : undefined;
      return { row, result: await reader.readRow(kind, scope, row, place) };
    };
  }

  /** A page brings its rows in one go: whether they are few shows after the last of them. */
  add(row: TableRow): void {
    if (this.#waiting.length === 0) {
      queueMicrotask(() => {
        if (this.#added <= few) this.#begin();
      });
    }
    this.#waiting.push(row);
    this.#added += 1;
  }

  async all(): Promise<RowRead[]> {
    this.#begin();
    return Promise.all(this.#reads.values());
  }

  #begin(): void {
    for (const row of this.#waiting) {
      // What a read is told by: rows of one name that look alike are brought by the same one.
      const key = `${row.namespace ?? ''}/${row.name}/${row.cells['status'] ?? ''}/${row.cells['ready'] ?? ''}`;
      // A second row of that name is not where the first was thought to be; one read of the name alone brings all of them.
      const isFirst = !this.#reads.has(key);
      const name = isFirst ? key : `${key}/others`;
      if (!this.#reads.has(name)) this.#reads.set(name, begin(this.#read(row, isFirst)));
    }
    this.#waiting = [];
  }
}

interface RowRead {
  readonly row: TableRow;
  readonly result: ListResult;
}

interface Looked {
  readonly looked: number;
  readonly states?: Readonly<Record<string, number>>;
}

function readRows(kind: Kind, scope: Scope, reads: readonly RowRead[], all: Looked): Scan {
  const objects: RawObject[] = [];
  const observations: Observation[] = [];
  for (const {
    row: { name, namespace },
    result,
  } of reads) {
    const narrow = (place: string | undefined): Scope => ({
      ...(place === undefined ? {} : { namespace: place }),
      name,
    });
    if (!('objects' in result)) {
      observations.push({ kind, scope: narrow(namespace), state: result.state, message: result.message });
      continue;
    }
    objects.push(...result.objects);
    const places =
      namespace === undefined && resourceOf(kind).namespaced
        ? result.objects.map(({ metadata }) => metadata.namespace)
        : [namespace];
    observations.push(...places.map((place): Observation => ({ kind, scope: narrow(place), state: 'complete' })));
  }
  // Rows of one name may have brought the same objects.
  const isWhole =
    new Set(objects.map(objectKey)).size === all.looked && observations.every(({ state }) => state === 'complete');
  return {
    objects,
    observations: [...observations, isWhole ? { kind, scope, state: 'complete' } : partly(kind, scope, all)],
  };
}

function partly(kind: Kind, scope: Scope, all: Looked): Observation {
  return { kind, scope, state: 'partial', message: 'only what is not ready was read', ...all };
}

function refused(kind: Kind, scope: Scope, refusal: Refusal): Scan {
  return { objects: [], observations: [{ kind, scope, state: refusal.state, message: refusal.message }] };
}
