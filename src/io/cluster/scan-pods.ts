import { pendingPods, startedPods } from '../../core/kube/snapshot.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import type { ClusterReader, ListResult, TableRow } from './reader.ts';
import { refused } from './scan-table.ts';
import type { Scan } from './scan-table.ts';

/** Up to so many pods are read one by one. */
const few = 40;

/** The pods that have not started, in full. */
export async function scanPending(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const pending = { ...scope, fieldSelector: pendingPods };
  const result = await reader.list('Pod', pending);
  if (!('objects' in result)) return refused('Pod', pending, result);
  return { objects: result.objects, observations: [{ kind: 'Pod', scope: pending, state: 'complete' }] };
}

/** Of the pods that have started, those that are being deleted or have to mount their volumes again: the table shows which. */
export async function scanStarted(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const started = { ...scope, fieldSelector: startedPods };
  const table = await reader.listTable('Pod', started, { form: 'cells', keep: isOddPod });
  if ('objects' in table) return complete(started, table.objects);
  if (!('rows' in table)) return refused('Pod', started, table);
  const reads = await readPods(reader, scope, table.rows);
  const failed = reads.find((read) => !('objects' in read));
  if (failed && !('objects' in failed)) return refused('Pod', started, failed);
  return complete(
    started,
    reads.flatMap((read) => ('objects' in read ? read.objects : [])),
  );
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
function isOddPod({ cells: { status = '' } }: TableRow): boolean {
  return oddStates.has(status) || /^Init:\d+\/\d+$/.test(status);
}

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
