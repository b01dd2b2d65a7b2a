import { pendingPods, startedPods } from '../../core/kube/snapshot.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import { refusalOf } from './reader.ts';
import type { ClusterReader, ListResult, TableRow } from './reader.ts';
import { listAll, scanOf } from './scan-table.ts';
import type { Scan } from './scan-table.ts';

/** Up to so many pods are read one by one. */
const few = 40;

/** The pods that have not started, in full. */
export async function scanPending(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const pending = { ...scope, fieldSelector: pendingPods };
  return listAll(reader, 'Pod', pending);
}

/**
 * Of the pods that have started, those that are being deleted, have to mount their volumes again or keep ending: the
 * table shows which.
 */
export async function scanStarted(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const started = { ...scope, fieldSelector: startedPods };
  const table = await reader.listTable('Pod', started, { form: 'cells', keep: isOddPod });
  if ('objects' in table && table.failure === undefined) return complete(started, table.objects);
  if (!('rows' in table)) return scanOf('Pod', started, table);
  const reads = await readPods(reader, scope, table.rows);
  const objects = reads.flatMap((read) => ('objects' in read ? read.objects : []));
  const failed = [table, ...reads].find((read) => refusalOf(read) !== undefined);
  return failed ? { ...scanOf('Pod', started, failed), objects } : complete(started, objects);
}

/**
 * All that matters of these pods is there, so the scope of the search is answered; every pod also answers for its own
 * name.
 */
function complete(started: Scope, objects: readonly RawObject[]): Scan {
  const each = objects.map(({ metadata: { namespace, name } }): Observation => ({
    kind: 'Pod',
    scope: { ...(namespace !== undefined && { namespace }), name },
    state: 'complete',
  }));
  return { objects, observations: [...each, { kind: 'Pod', scope: started, state: 'partial' }] };
}

/** A table of cells shows no namespace, so that without one a name is read in all of them. */
async function readPods(reader: ClusterReader, scope: Scope, rows: readonly TableRow[]): Promise<ListResult[]> {
  const names = new Set(rows.map(({ name }) => name));
  if (names.size === 0) return [];
  if (names.size > few) {
    const keep = ({ metadata }: RawObject): boolean => names.has(metadata.name);
    return [await reader.list('Pod', { ...scope, fieldSelector: startedPods }, { keep })];
  }
  return Promise.all([...names].map((name) => reader.list('Pod', { ...scope, name })));
}

/**
 * kubectl's word for the state (printPod in pkg/printers/internalversion). The words of a failing container come from
 * the runtime and are unlimited (Error, OOMKilled, ExitCode:1), so the healthy words are listed instead.
 */
function isOddPod({ cells: { status, restarts } }: TableRow): boolean {
  if (status === undefined || !soundStates.has(status)) return true;
  return restarts !== undefined && hasJustEnded(restarts);
}

/** NotReady: some of its containers have ended well, and the others run. */
const soundStates: ReadonlySet<string> = new Set(['Running', 'Completed', 'Succeeded', 'NotReady']);

/** A little longer than a judgement looks back (isCrashing): the server rounds. */
const recentSeconds = 20 * 60;

/**
 * A container that runs at this moment may keep ending: `6 (2m30s ago)`. From three hours on there are no minutes
 * alone.
 */
function hasJustEnded(restarts: string): boolean {
  const [, minutes = '0', seconds] = /\((?:(\d+)m)?(?:(\d+)s)? ago\)$/.exec(restarts) ?? [];
  const isTold = seconds !== undefined || minutes !== '0';
  return isTold && Number(minutes) * 60 + Number(seconds ?? 0) <= recentSeconds;
}
