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

/** Of the pods that have started, those that are being deleted or have to mount their volumes again: the table shows which. */
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

/** All that matters of these pods is there, so the scope of the search is answered; every pod also answers for itself. */
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

/** kubectl's word for the state (printPod in pkg/printers/internalversion): anything that can mean a volume. */
function isOddPod({ cells: { status } }: TableRow): boolean {
  return status === undefined || oddStates.has(status) || /^Init:\d+\/\d+$/.test(status) || ended.test(status);
}

/** A container that ended on its own may have said that its volume is full, or can no longer be written. */
const ended = /^(?:Init:)?(?:Error|CrashLoopBackOff|RunContainerError|ContainerCannotRun|StartError|ExitCode:\d+)$/;

const oddStates: ReadonlySet<string> = new Set([
  'Terminating',
  'Unknown',
  'Pending',
  'ContainerCreating',
  'PodInitializing',
  'CreateContainerConfigError',
  'CreateContainerError',
  'Init:CreateContainerConfigError',
  'Init:CreateContainerError',
  'VolumeAttachmentLimitExceeded',
]);
