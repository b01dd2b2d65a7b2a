import { rehearseOperations } from '../../core/engine/rehearse/what-if/rehearse-operations.ts';
import type { Misnomer, Operation } from '../../core/engine/rehearse/what-if/operation.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import type { ObjectRef } from '../../core/report/report.ts';
import type {
  EffectKind,
  WhatIfEffect,
  WhatIfOperation,
  WhatIfReport,
  WhatIfVerdict,
} from '../../core/report/what-if.ts';

export interface WhatIfAnswer {
  readonly report: WhatIfReport;
  readonly needs: readonly Need[];
  /** Names that do not exist: nothing was rehearsed. */
  readonly misnomers: readonly Misnomer[];
}

/**
 * What storage would do if these operations were carried out on a cluster as the snapshot has it. Nothing is changed.
 */
export function whatIf(snapshot: Snapshot, operations: readonly Operation[], namespace: string): WhatIfAnswer {
  const { effects, displaced, unforeseen, unread, needs, misnomers } = rehearseOperations(
    snapshot,
    operations,
    namespace,
  );
  return {
    needs,
    misnomers,
    report: {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'WhatIfReport',
      takenAt: snapshot.takenAt,
      source: snapshot.source,
      operations: operations.map(operationOf),
      verdict: verdictOf(effects, unread.length > 0),
      effects,
      unforeseen,
      unread,
      summary: summaryOf(effects, displaced),
    },
  };
}

function operationOf(operation: Operation): WhatIfOperation {
  const { verb, text } = operation;
  return { verb, text, objects: objectsOf(operation) };
}

function objectsOf(operation: Operation): readonly ObjectRef[] {
  switch (operation.verb) {
    case 'drain':
    case 'lose':
      return operation.nodes.flatMap((node) => ('name' in node ? [{ kind: 'Node', name: node.name }] : []));
    case 'delete':
      return operation.targets;
    case 'scale':
      return [operation.target];
    case 'apply':
      return operation.manifests.map(({ object: { kind, metadata } }) => ({
        kind,
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
        name: metadata.name,
      }));
    default:
      return [];
  }
}

/** What is only possible proves nothing, in either direction. */
function verdictOf(effects: readonly WhatIfEffect[], hasUnread: boolean): WhatIfVerdict {
  const breaking = effects.filter(({ severity }) => severity === 'breaks');
  if (breaking.some(({ confidence }) => confidence !== 'possible')) return 'breaks';
  return breaking.length > 0 || hasUnread ? 'unknown' : 'safe';
}

function summaryOf(effects: readonly WhatIfEffect[], displaced: number): WhatIfReport['summary'] {
  const objects = (kind: string, ...kinds: readonly EffectKind[]): number =>
    new Set(
      effects
        .filter(({ effect }) => kinds.includes(effect))
        .flatMap((one) => one.objects.filter((object) => object.kind === kind))
        .map(({ namespace, name }) => `${namespace ?? ''}/${name}`),
    ).size;
  return {
    breaks: effects.filter(({ severity }) => severity === 'breaks').length,
    waits: effects.filter(({ severity }) => severity === 'wait').length,
    displaced,
    moving: objects('Pod', 'moves'),
    notStarting: objects('Pod', 'cannot-start', 'cannot-restart'),
    claimsDeleted: objects('PersistentVolumeClaim', 'deleted'),
    volumesDeleted: objects('PersistentVolume', 'data-deleted'),
    volumesOrphaned: objects('PersistentVolume', 'orphaned'),
    snapshotsDeleted: objects('VolumeSnapshot', 'deleted'),
  };
}
