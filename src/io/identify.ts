import { isKnownKind } from '../core/kube/kinds.ts';
import { resourceOf } from '../core/kube/resources.ts';
import { redact } from './redact.ts';
import type { RawObject } from '../core/kube/snapshot.ts';

/**
 * The value as a redacted object of one of our kinds; undefined if it is none. The API group counts, since Longhorn has
 * a Node too.
 */
export function identify(
  value: unknown,
  inferred: { readonly kind?: string; readonly apiVersion?: string } = {},
): RawObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Record<string, unknown>;
  const kind = typeof fields['kind'] === 'string' && fields['kind'] !== '' ? fields['kind'] : inferred.kind;
  if (kind === undefined || !isKnownKind(kind)) return undefined;
  const apiVersion =
    typeof fields['apiVersion'] === 'string' && fields['apiVersion'] !== ''
      ? fields['apiVersion']
      : inferred.apiVersion;
  if (apiVersion !== undefined && !isGroupOf(kind, apiVersion)) return undefined;
  const metadata = fields['metadata'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined;
  const { name, namespace, uid } = metadata as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return undefined;
  const isNamespaced = resourceOf(kind).namespaced && typeof namespace === 'string' && namespace !== '';
  // Nearly every object is sound and is not copied: a dump may have a million of them.
  const isSound =
    fields['kind'] === kind &&
    fields['apiVersion'] === apiVersion &&
    (isNamespaced || namespace === undefined) &&
    (typeof uid === 'string' || uid === undefined);
  if (isSound) return redact(fields as unknown as RawObject);
  const { name: _name, namespace: _namespace, uid: _uid, ...rest } = metadata as Record<string, unknown>;
  return redact({
    ...fields,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    kind,
    metadata: { name, ...(isNamespaced ? { namespace } : {}), ...(typeof uid === 'string' ? { uid } : {}), ...rest },
  });
}

function isGroupOf(kind: Parameters<typeof resourceOf>[0], apiVersion: string): boolean {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return group === resourceOf(kind).group || (kind === 'Event' && group === 'events.k8s.io');
}

export function objectKey(object: RawObject): string {
  return `${object.kind}|${object.metadata.namespace ?? ''}|${object.metadata.name}`;
}
