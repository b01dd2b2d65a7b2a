import type { Pod } from '../../kube/kinds.ts';
import type { RowBase, RowPod } from '../../report/rows.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

/** Answers questions for rows; `isWide`: also those that only the wide table shows. */
export interface RowDesk {
  readonly ask: Inquiry;
  readonly isWide: boolean;
  /** Called for each object that does not look healthy: only these are diagnosed. */
  readonly suspect: (target: TargetRef) => void;
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export function rowBase({ metadata }: Named, unknown: readonly string[] = []): RowBase {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, labels } = metadata;
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    ...(uid !== undefined && { uid }),
    ...(creationTimestamp !== undefined && { createdAt: creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletedAt: deletionTimestamp }),
    labels: { ...labels },
    ...(unknown.length > 0 && { unknown }),
  };
}

export function rowPod({ metadata, spec, status }: Pod): RowPod {
  return {
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    name: metadata.name,
    ...(status?.phase !== undefined && { phase: status.phase }),
    ...(spec?.nodeName && { node: spec.nodeName }),
  };
}
