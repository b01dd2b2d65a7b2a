import type { RawObject } from '../core/kube/snapshot.ts';

/**
 * Drops the contents of Secrets and ConfigMaps, and the annotations of a Secret: kubectl apply writes the whole Secret
 * into one of them.
 */
export function redact(object: RawObject): RawObject {
  if (object.kind !== 'Secret' && object.kind !== 'ConfigMap') return object;
  const { apiVersion, kind, metadata, type } = object;
  const { annotations, managedFields: _, ...rest } = metadata;
  const keepsAnnotations = kind === 'ConfigMap' && typeof annotations === 'object' && annotations !== null;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    kind,
    metadata: { ...rest, ...(keepsAnnotations ? { annotations: withoutApplied(annotations) } : {}) },
    ...(kind === 'Secret' && typeof type === 'string' ? { type } : {}),
  };
}

function withoutApplied(annotations: object): object {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...rest } = annotations as Record<string, unknown>;
  return rest;
}
