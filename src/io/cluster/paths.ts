import { resourceOf } from '../../core/kube/resources.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Scope } from '../../core/kube/snapshot.ts';

export const plainJson = 'application/json';
const partial = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const partialList = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
export const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';

/** Metadata are requested without plain JSON as an alternative: better no answer than the contents of a Secret. */
export function acceptFor(isMetadata: boolean, isList: boolean): string {
  return isMetadata ? `application/json;${isList ? partialList : partial}` : plainJson;
}

export function collectionPath(kind: Kind, version: string, namespace: string | undefined): string {
  const { group, name, namespaced } = resourceOf(kind);
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${name}`;
}

export function objectPath(kind: Kind, version: string, namespace: string | undefined, name: string): string {
  return `${collectionPath(kind, version, namespace)}/${encodeURIComponent(name)}`;
}

export function scopeParameters(scope: Scope): URLSearchParams {
  const parameters = new URLSearchParams();
  const fields = [
    ...(scope.name === undefined ? [] : [`metadata.name=${scope.name}`]),
    ...(scope.fieldSelector === undefined ? [] : [scope.fieldSelector]),
  ];
  if (fields.length > 0) parameters.set('fieldSelector', fields.join(','));
  if (scope.labelSelector !== undefined) parameters.set('labelSelector', scope.labelSelector);
  return parameters;
}

export function withQuery(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return query === '' ? path : `${path}?${query}`;
}
