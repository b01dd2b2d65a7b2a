import { scopeKey } from '../model/snapshot.ts';
import { objectKey } from './identify.ts';
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
 * Finds the claims that are not Bound and the pods that are Pending, at a cost that grows with what is stuck: the server
 * makes a table of all claims, a few bytes each, and only those that are not Bound are read in full.
 */
export async function scanStuck(reader: ClusterReader, options: { readonly namespace?: string; readonly labelSelector?: string } = {}): Promise<Scan> {
  const scope: Scope = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
  const scans = await Promise.all([scanClaims(reader, scope), scanPods(reader, scope)]);
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

async function scanClaims(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const table = await reader.listTable('PersistentVolumeClaim', scope);
  if ('objects' in table) return { objects: table.objects, observations: [{ kind: 'PersistentVolumeClaim', scope, state: 'complete' }] };
  if (!('rows' in table)) return refused('PersistentVolumeClaim', scope, table);
  const hasStatus = table.rows.every((row) => row.cells['status'] !== undefined);
  const stuck = table.rows.filter((row) => row.cells['status'] !== 'Bound');
  if (!hasStatus || stuck.length > Math.max(few, table.rows.length / 10)) return listClaims(reader, scope);
  return readClaims(reader, scope, stuck, stuck.length === table.rows.length);
}

async function listClaims(reader: ClusterReader, scope: Scope): Promise<Scan> {
  const result = await reader.list('PersistentVolumeClaim', scope);
  if (!('objects' in result)) return refused('PersistentVolumeClaim', scope, result);
  return { objects: result.objects, observations: [{ kind: 'PersistentVolumeClaim', scope, state: 'complete' }] };
}

async function readClaims(reader: ClusterReader, scope: Scope, rows: readonly TableRow[], areAll: boolean): Promise<Scan> {
  const objects: RawObject[] = [];
  const observations: Observation[] = [];
  await Promise.all(
    rows.map(async ({ name, namespace }) => {
      const result = await reader.get('PersistentVolumeClaim', namespace, name);
      const narrow: Scope = { ...(namespace === undefined ? {} : { namespace }), name };
      if (result.state === 'found') objects.push(result.object);
      if (result.state === 'found' || result.state === 'missing') observations.push({ kind: 'PersistentVolumeClaim', scope: narrow, state: 'complete' });
      else observations.push({ kind: 'PersistentVolumeClaim', scope: narrow, state: result.state, message: result.message });
    }),
  );
  const isWhole = areAll && observations.every(({ state }) => state === 'complete');
  observations.push({ kind: 'PersistentVolumeClaim', scope, state: isWhole ? 'complete' : 'partial', ...(isWhole ? {} : { message: 'only claims that are not Bound were read' }) });
  return { objects, observations };
}

function refused(kind: 'Pod' | 'PersistentVolumeClaim', scope: Scope, refusal: Refusal): Scan {
  return { objects: [], observations: [{ kind, scope, state: refusal.state, message: refusal.message }] };
}
