import { leavingNamespaces, scopeKey } from '../../core/kube/snapshot.ts';
import { begin } from './begin.ts';
import { objectKey } from '../identify.ts';
import { mayBeChanging } from './written-fields.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';
import type { ClusterReader, TableRow } from './reader.ts';
import { scanPending, scanStarted } from './scan-pods.ts';
import { listAll, scanOf, scanTable } from './scan-table.ts';
import { candidateRow } from './scan-volumes.ts';
import type { Scan, Search } from './scan-table.ts';

/**
 * Finds claims that are not Bound, pods that are Pending and StatefulSets that lack pods, at a cost that grows with
 * what is stuck: of all claims the server sends a table, a hundred bytes each, and only those that are not Bound are
 * read in full.
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
  // Every claim that waits needs its class; there are few classes, and they are read while the claims still are.
  let classes: Promise<Scan> | undefined;
  const onOdd = (): void => void (classes ??= begin(listAll(reader, 'StorageClass', {})));
  const pods = begin(scanPending(reader, scope));
  let places: Promise<ReadonlyMap<string, string>> | undefined;
  const hint = async (name: string): Promise<string | undefined> =>
    (await (places ??= pods.then(({ objects }) => placesOfClaims(objects)))).get(name);
  const scans = await Promise.all([
    isWide
      ? scanLong(reader, 'PersistentVolumeClaim', scope, { form: 'metadata', isOdd: isOddClaim, counts: true })
      : scanClaims(reader, scope, { onOdd, hint }),
    pods,
    scanSets(reader, scope),
    ...(isWide ? [scanStarted(reader, scope), ...scanElsewhere(reader, scope)] : []),
  ]);
  if (classes) scans.push(await classes);
  const volumeRows = scans.find((scan) => scan.volumeRows)?.volumeRows;
  const objects = new Map(scans.flatMap((scan) => scan.objects).map((object) => [objectKey(object), object]));
  const observations = new Map(
    scans
      .flatMap((scan) => scan.observations)
      .map((observation) => [scopeKey(observation.kind, observation.scope), observation]),
  );
  return {
    objects: [...objects.values()],
    observations: [...observations.values()],
    ...(volumeRows && { volumeRows }),
  };
}

/** Where claims are that these pods use: by the name of the claim, the namespace of the first of them. */
function placesOfClaims(pods: readonly RawObject[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { metadata, spec } of pods) {
    const { volumes } = (spec ?? {}) as { readonly volumes?: unknown };
    for (const volume of Array.isArray(volumes) ? (volumes as readonly (PodVolume | null)[]) : []) {
      const ephemeral = volume?.ephemeral === undefined ? undefined : `${metadata.name}-${volume.name ?? ''}`;
      const name = volume?.persistentVolumeClaim?.claimName ?? ephemeral;
      if (name !== undefined && metadata.namespace !== undefined && !places.has(name))
        places.set(name, metadata.namespace);
    }
  }
  return places;
}

interface PodVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: unknown;
}

/**
 * A StatefulSet whose claim is refused has neither a claim nor a pod: only the set itself shows that something is
 * missing.
 */
function scanSets(reader: ClusterReader, scope: Scope): Promise<Scan> {
  return scanTable(reader, 'StatefulSet', scope, {
    form: 'cells',
    isOdd: ({ cells }) => isShort(cells['ready']),
    isSearch: true,
  });
}

/** `1/2` in the READY column, or anything else that does not show all pods ready. */
function isShort(ready: unknown): boolean {
  const match = /^(\d+)\/(\d+)$/.exec(String(ready));
  return match === null || match[1] !== match[2];
}

function scanClaims(reader: ClusterReader, scope: Scope, more: Pick<Search, 'onOdd' | 'hint'>): Promise<Scan> {
  return scanTable(reader, 'PersistentVolumeClaim', scope, {
    form: 'cells',
    isOdd: ({ cells }) => cells['status'] !== 'Bound',
    isSearch: true,
    ...more,
  });
}

/** Volumes, attachments and nodes have no namespace: they are searched only together with the whole cluster. */
function scanElsewhere(reader: ClusterReader, scope: Scope): Promise<Scan>[] {
  const isEverywhere = scope.namespace === undefined && scope.labelSelector === undefined;
  const wide = isEverywhere
    ? [
        scanVolumes(reader),
        scanLong(reader, 'VolumeSnapshotContent', {}, { form: 'metadata', isOdd: isOddContent }),
        listAll(reader, 'VolumeAttachment', {}),
        listAll(reader, 'Node', {}),
        listAll(reader, 'VolumeGroupSnapshotContent', {}),
        listAll(reader, 'Bucket', {}),
        listAll(reader, 'VolumeAttributesClass', {}),
        listAll(reader, 'Namespace', { fieldSelector: leavingNamespaces }),
      ]
    : [];
  return [
    listAll(reader, 'VolumeSnapshot', scope),
    listAll(reader, 'VolumeGroupSnapshot', scope),
    listAll(reader, 'BucketClaim', scope),
    listAll(reader, 'BucketAccess', scope),
    ...wide,
  ];
}

/** No column of the table shows whether a bound claim is growing or changing, but its managedFields do. */
function isOddClaim({ cells, metadata }: TableRow): boolean {
  return cells['status'] !== 'Bound' || mayBeChanging(metadata);
}

function isOddContent({ cells, metadata }: TableRow): boolean {
  return cells['readytouse'] !== 'true' || metadata['deletionTimestamp'] !== undefined;
}

/** The rows are kept: which volumes a claim could bind to is asked next. */
async function scanVolumes(reader: ClusterReader): Promise<Scan> {
  const volumeRows: TableRow[] = [];
  const isOdd = (row: TableRow): boolean => {
    volumeRows.push(candidateRow(row));
    return isOddVolume(row);
  };
  const scan = await scanLong(reader, 'PersistentVolume', {}, { form: 'cells', isOdd, counts: true });
  const { state, looked } = scan.observations.at(-1) ?? {};
  return state === 'partial' && looked === volumeRows.length ? { ...scan, volumeRows } : scan;
}

/** A released volume with the policy Retain is kept on purpose. */
function isOddVolume({ cells }: TableRow): boolean {
  const status = cells['status'];
  return !(
    status === 'Bound' ||
    status === 'Available' ||
    (status === 'Released' && cells['reclaim policy'] === 'Retain')
  );
}

/** Reads a short list as a whole; of a long one only the suspicious rows of its table, and counts the rest. */
async function scanLong(reader: ClusterReader, kind: Kind, scope: Scope, search: Search): Promise<Scan> {
  const first = await reader.list(kind, scope, { isEnough: (_page, remaining) => remaining > 0 });
  if (!('objects' in first) || first.state === 'complete' || first.failure !== undefined)
    return scanOf(kind, scope, first);
  const scan = await scanTable(reader, kind, scope, { ...search, isSearch: true });
  return { objects: [...first.objects, ...scan.objects], observations: scan.observations };
}
