import { diagnose } from '../../core/engine/diagnose.ts';
import type { Diagnosis } from '../../core/engine/diagnose.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import { resourceOf, resources } from '../../core/kube/resources.ts';
import { isRowKind, rowKinds } from '../../core/report/rows.ts';
import type { RowKind, RowQuestion } from '../../core/report/rows.ts';
import type { Selection, TargetRef } from '../../core/kube/selection.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, RawObject, Snapshot } from '../../core/kube/snapshot.ts';
import { surveyRows } from '../../core/survey/rows/survey-rows.ts';
import { traceTarget } from '../../core/survey/trace/trace-target.ts';
import { askCheck } from '../../core/survey/checks/ask-check.ts';
import { tracedKinds } from '../../cli/targets.ts';

interface Captured {
  readonly snapshot: Snapshot;
  readonly needs: readonly Need[];
  /** The diagnosis of the named targets. */
  readonly diagnosis?: Diagnosis;
  /** Set when the namespace does not exist: similar names. */
  readonly noNamespace?: readonly string[];
}

/** Read only by name, when something refers to one: there are many, and most have nothing to do with storage. */
const byNameOnly: ReadonlySet<Kind> = new Set([
  'Secret',
  'ConfigMap',
  'ReplicaSet',
  'Job',
  'CronJob',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ClusterRole',
  'ClusterRoleBinding',
  'ReferenceGrant',
  'VolumePopulator',
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
]);
/** A capture of one namespace reads these by name too, because a driver keeps its own in another namespace. */
const elsewhere: ReadonlySet<Kind> = new Set(['Lease', 'CSIStorageCapacity']);
const judged = [
  'PersistentVolumeClaim',
  'Pod',
  'PersistentVolume',
  'VolumeAttachment',
  'StorageClass',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'CSIDriver',
  'VolumeAttributesClass',
  'BucketClaim',
  'BucketAccess',
  'Bucket',
] as const satisfies readonly Kind[];

/** The trace of a claim covers its volume, its attachments and its pods. */
const tracedOfAll: readonly Kind[] = ['PersistentVolumeClaim', 'VolumeSnapshot', 'VolumeSnapshotContent'];

/** What a capture of a namespace, or of all of them, lists first. */
export function listsOf(namespace: string | undefined): Need[] {
  return resources
    .filter(
      ({ kind, namespaced }) =>
        !byNameOnly.has(kind) && (namespace === undefined || !namespaced || !elsewhere.has(kind)),
    )
    .map(({ kind, namespaced, tells }) => ({
      kind,
      scope: namespaced && namespace !== undefined ? { namespace } : {},
      needed: tells,
    }));
}

/** Everything that any command may ask about a namespace, or about the cluster. */
export function askAll(snapshot: Snapshot, namespace: string | undefined): Captured {
  const selection: Selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  const targets = judged
    .flatMap((kind) => snapshot.objects.filter((object) => object.kind === kind && isWithin(object, namespace)))
    .map(({ kind, metadata }): TargetRef => ({
      kind: kind as Kind,
      name: metadata.name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    }));
  const tables = (Object.keys(rowKinds) as RowKind[])
    // The pods of claims are read for the claims.
    .filter((kind) => kind !== 'Pod' && (namespace === undefined || resourceOf(kind).namespaced))
    .map((kind): RowQuestion => ({
      kind,
      names: [],
      ...(namespace !== undefined && kind !== 'CSIStorageCapacity' && { namespace }),
    }));
  const check = askCheck(snapshot, selection);
  const needs = [
    ...check.needs,
    ...surveyRows(snapshot, tables, 'wide').needs,
    ...askEach(snapshot, targets, tracedOfAll).needs,
  ];
  return { snapshot, needs: withoutRepeats(needs), ...(check.noNamespace && { noNamespace: check.noNamespace }) };
}

/** Everything that `why`, `trace` and `get` ask about some objects. */
export function askNamed(snapshot: Snapshot, targets: readonly TargetRef[]): Captured {
  const each = askEach(snapshot, targets, tracedKinds);
  const tables = targets.flatMap(({ kind, name, namespace }): RowQuestion[] =>
    isRowKind(kind) ? [{ kind, names: [name], ...(namespace !== undefined && { namespace }) }] : [],
  );
  return { ...each, needs: withoutRepeats([...each.needs, ...surveyRows(snapshot, tables, 'wide').needs]) };
}

function askEach(
  snapshot: Snapshot,
  targets: readonly TargetRef[],
  traced: readonly Kind[],
): Captured & { readonly diagnosis: Diagnosis } {
  const diagnosis = diagnose(snapshot, { targets });
  const traces = targets
    .filter(({ kind }) => traced.includes(kind))
    .flatMap((target) => traceTarget(snapshot, target).needs);
  return { snapshot, diagnosis, needs: [...diagnosis.needs, ...traces] };
}

/**
 * Cluster-scoped objects belong to a capture of the whole cluster, except volumes, which belong to their claim's
 * namespace.
 */
function isWithin(object: RawObject, namespace: string | undefined): boolean {
  if (namespace === undefined) return true;
  if (object.kind !== 'PersistentVolume') return object.metadata.namespace === namespace;
  return (
    (object['spec'] as { readonly claimRef?: { readonly namespace?: unknown } } | undefined)?.claimRef?.namespace ===
    namespace
  );
}

function withoutRepeats(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [scopeKey(need.kind, need.scope), need])).values()];
}
