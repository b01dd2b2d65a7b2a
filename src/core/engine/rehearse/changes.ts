import { clip } from '../../kube/shape.ts';
import { isKnownKind, shapeOf } from '../../kube/kinds.ts';
import { compareQuantities, isQuantity } from '../../kube/quantity.ts';
import type { RawObject } from '../../kube/snapshot.ts';

/** A field that the manifest sets to something other than what is there. */
export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Only fields that we know of, and that the manifest names: an apply leaves all others as they are, but takes away parameters that are no longer there. */
export function changesOf(existing: RawObject, manifest: RawObject): Change[] {
  if (!isKnownKind(manifest.kind)) return [];
  const shape = shapeOf(manifest.kind);
  const {
    metadata: _before,
    status: _oldStatus,
    kind: _kind,
    apiVersion: _version,
    ...before
  } = (clip(existing, shape) ?? {}) as Record<string, unknown>;
  const {
    metadata: _after,
    status: _newStatus,
    kind: _newKind,
    apiVersion: _newVersion,
    ...after
  } = (clip(manifest, shape) ?? {}) as Record<string, unknown>;
  return differences(before, after, '');
}

function differences(before: unknown, after: unknown, path: string): Change[] {
  if (Array.isArray(after))
    return listDifferences(Array.isArray(before) ? (before as unknown[]) : [], after as unknown[], path, before);
  if (typeof after === 'object' && after !== null) {
    const old = typeof before === 'object' && before !== null ? (before as Record<string, unknown>) : {};
    const gone =
      path === 'parameters'
        ? Object.keys(old)
            .filter((key) => !Object.hasOwn(after, key))
            .map((key): Change => ({ path: below(path, key), from: old[key], to: undefined }))
        : [];
    return [
      ...Object.entries(after).flatMap(([key, value]) => differences(old[key], value, below(path, key))),
      ...gone,
    ];
  }
  return isSame(before, after) ? [] : [{ path, from: before, to: after }];
}

/** A key with dots is written in brackets, as in evidence. */
function below(path: string, key: string): string {
  if (/[./]/.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Lists of named things are compared by name, since the server may keep another order; others as a whole. */
function listDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  original: unknown,
): Change[] {
  const names = after.map(nameOf);
  if (after.length > 0 && names.every((name) => name !== undefined)) {
    const gone = before.filter((item) => !(names as readonly (string | undefined)[]).includes(nameOf(item)));
    return [
      ...after.flatMap((item, index) =>
        differences(
          before.find((other) => nameOf(other) === names[index]),
          item,
          `${path}[${names[index]}]`,
        ),
      ),
      ...gone.map((item) => ({ path: `${path}[${nameOf(item) ?? '?'}]`, from: item, to: undefined })),
    ];
  }
  const isAlike =
    before.length === after.length && after.every((item, index) => differences(before[index], item, '').length === 0);
  return isAlike || (after.length === 0 && original === undefined) ? [] : [{ path, from: original, to: after }];
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { name, metadata } = item as { readonly name?: unknown; readonly metadata?: { readonly name?: unknown } };
  const found = name ?? metadata?.name;
  return typeof found === 'string' ? found : undefined;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  return isQuantity(before) && isQuantity(after) && compareQuantities(before, after) === 0;
}

/** The fields that the API server lets nobody change, by kind (ValidateStorageClassUpdate and its like). */
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

/** The changes that would be refused. Deployments and DaemonSets may change all that concerns storage. */
export function frozenChanges(existing: RawObject, changes: readonly Change[]): Change[] {
  const patterns = frozen[existing.kind] ?? [];
  return changes.filter(
    ({ path, from }) => patterns.some((pattern) => pattern.test(path)) && !isFirstAffinity(existing.kind, path, from),
  );
}

/** The affinity of a volume may be set once where there was none. */
function isFirstAffinity(kind: string, path: string, from: unknown): boolean {
  return kind === 'PersistentVolume' && path.startsWith('spec.nodeAffinity') && from === undefined;
}

export function textOf(value: unknown): string {
  if (value === undefined) return 'not set';
  return typeof value === 'string' ? (value === '' ? '""' : value) : JSON.stringify(value);
}
