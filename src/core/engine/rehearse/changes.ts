import { clip } from '../../kube/shape.ts';
import { isKnownKind, shapeOf } from '../../kube/kinds.ts';
import type { Kind } from '../../kube/kinds.ts';
import { compareQuantities, isQuantity } from '../../kube/quantity.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { listOf, member, recordOf } from './templates.ts';

/** A field that the manifest sets to another value than the object has. */
export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Only known fields that the manifest names: an apply leaves all others as they are, except that it removes parameters.
 */
export function changesOf(existing: RawObject, manifest: RawObject): Change[] {
  const { kind } = manifest;
  return isKnownKind(kind) ? differences(bodyOf(existing, kind), bodyOf(manifest, kind), '') : [];
}

function bodyOf(object: RawObject, shapeKind: Kind): object {
  const {
    metadata: _metadata,
    status: _status,
    kind: _kind,
    apiVersion: _version,
    ...body
  } = recordOf(clip(object, shapeOf(shapeKind)));
  return body;
}

function differences(before: unknown, after: unknown, path: string): Change[] {
  if (Array.isArray(after)) return listDifferences(before, after, path);
  if (typeof after === 'object' && after !== null) return recordDifferences(recordOf(before), after, path);
  return isSame(before, after) ? [] : [{ path, from: before, to: after }];
}

function recordDifferences(before: Readonly<Record<string, unknown>>, after: object, path: string): Change[] {
  const changed = Object.entries(after).flatMap(([key, value]) => differences(before[key], value, below(path, key)));
  if (path !== 'parameters') return changed;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [...changed, ...removed.map((key) => ({ path: below(path, key), from: before[key], to: undefined }))];
}

/** A key with dots is written in brackets, as in evidence. */
function below(path: string, key: string): string {
  if (/[./]/.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Lists of named items are compared by name, since the server may keep another order; other lists as a whole. */
function listDifferences(original: unknown, after: readonly unknown[], path: string): Change[] {
  const before = listOf(original);
  const names = after.map(nameOf);
  if (after.length > 0 && names.every((name) => name !== undefined)) {
    const changed = after.flatMap((item, index) => {
      const name = names[index];
      const former = before.find((other) => nameOf(other) === name);
      return differences(former, item, `${path}[${name}]`);
    });
    const removed = before.filter((item) => !names.some((name) => name === nameOf(item)));
    return [
      ...changed,
      ...removed.map((item) => ({ path: `${path}[${nameOf(item) ?? '?'}]`, from: item, to: undefined })),
    ];
  }
  const isAlike =
    before.length === after.length && after.every((item, index) => differences(before[index], item, '').length === 0);
  return isAlike || (after.length === 0 && original === undefined) ? [] : [{ path, from: original, to: after }];
}

function nameOf(item: unknown): string | undefined {
  const name = member(item, 'name') ?? member(item, 'metadata', 'name');
  return typeof name === 'string' ? name : undefined;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  return isQuantity(before) && isQuantity(after) && compareQuantities(before, after) === 0;
}

/** Fields that the API server does not let change, by kind (ValidateStorageClassUpdate and others). */
const frozen: Readonly<Record<string, readonly RegExp[]>> = {
  StorageClass: [/^(?:provisioner|parameters|reclaimPolicy|volumeBindingMode)\b/],
  VolumeAttributesClass: [/^(?:driverName|parameters)\b/],
  StatefulSet: [/^spec\.(?:volumeClaimTemplates|selector|podManagementPolicy)\b/],
  VolumeSnapshot: [/^spec\.source\b/],
  PersistentVolume: [
    /^spec\.(?:csi\.(?!controllerExpandSecretRef|nodeExpandSecretRef)|local|hostPath|nfs|iscsi|rbd|fc|cephfs|flexVolume|volumeMode|nodeAffinity)\b/,
  ],
  Pod: [/^spec\.(?:volumes|nodeName|nodeSelector|affinity|schedulerName)\b/],
};

/** The changes that would be refused. Deployments and DaemonSets may change everything that concerns storage. */
export function frozenChanges(existing: RawObject, changes: readonly Change[]): Change[] {
  const patterns = frozen[existing.kind] ?? [];
  return changes.filter(
    ({ path, from }) => patterns.some((pattern) => pattern.test(path)) && !isFirstAffinity(existing.kind, path, from),
  );
}

/** The node affinity of a volume may be set once, where there was none. */
function isFirstAffinity(kind: string, path: string, from: unknown): boolean {
  return kind === 'PersistentVolume' && path.startsWith('spec.nodeAffinity') && from === undefined;
}
