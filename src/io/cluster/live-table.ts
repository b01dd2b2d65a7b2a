import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Table, TableRow } from './reader.ts';

/** The fields of an object that its row in the server's table is built from. */
interface RowSource {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly replicas?: number;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
  readonly status?: { readonly phase?: string; readonly readyReplicas?: number };
}

/** The columns of the server's tables that a search uses (scan-stuck.ts, scan-volumes.ts). */
const cellsOf: Readonly<Partial<Record<Kind, (object: RowSource, isLeaving: boolean) => TableRow['cells']>>> = {
  PersistentVolumeClaim: ({ status }, isLeaving) => ({ status: isLeaving ? 'Terminating' : (status?.phase ?? '') }),
  PersistentVolume: ({ metadata, spec, status }, isLeaving) => ({
    status: isLeaving ? 'Terminating' : (status?.phase ?? ''),
    'reclaim policy': spec?.persistentVolumeReclaimPolicy ?? '',
    storageclass: metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '',
    claim: spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
  }),
  StatefulSet: ({ spec, status }) => ({ ready: `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}` }),
};

/** The table that the server would create of these objects; undefined for a kind that no search reads as a table. */
export function tableOf(
  kind: Kind,
  objects: readonly RawObject[],
  keep: (row: TableRow) => boolean = () => true,
): Table | undefined {
  if (!(kind in cellsOf)) return undefined;
  const rows = objects.map(rowOf);
  const states = Object.fromEntries(
    [
      ...Map.groupBy(
        rows.filter(({ cells }) => cells['status'] !== undefined),
        ({ cells }) => cells['status'] ?? '',
      ),
    ].map(([state, group]) => [state, group.length]),
  );
  return { state: 'complete', rows: rows.filter(keep), looked: rows.length, states };
}

function rowOf(object: RawObject): TableRow {
  const { name, namespace } = object.metadata;
  const cells =
    cellsOf[object.kind as Kind]?.(
      object as unknown as RowSource,
      object.metadata['deletionTimestamp'] !== undefined,
    ) ?? {};
  return { name, ...(namespace !== undefined && { namespace }), cells, metadata: object.metadata };
}
