import { addQuantities, compareQuantities, isQuantity } from '../../core/kube/quantity.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';
import { checkPodSecurity } from '../pod-rules.ts';
import type { ServedKind } from '../served-kinds.ts';
import { invalid, notFound, refused } from '../status.ts';
import type { FieldFault } from '../status.ts';

/** Throws what the API server would answer to a new object that it does not admit. */
export function admitNew(object: RawObject, served: ServedKind, cluster: Cluster): void {
  admitNamespace(object, served, cluster);
  const faults = faultsOf(object);
  if (faults.length > 0) throw invalid(served, object.metadata.name, faults);
  if (object.kind === 'Pod')
    checkPodSecurity(object, cluster.get('Namespace', undefined, object.metadata.namespace ?? ''));
  if (object.kind === 'PersistentVolumeClaim') admitSize(object, served, cluster);
  admitQuota(object, served, cluster);
}

function admitNamespace({ metadata }: RawObject, served: ServedKind, cluster: Cluster): void {
  if (!served.namespaced || metadata.namespace === undefined) return;
  const namespace = cluster.get('Namespace', undefined, metadata.namespace);
  const kind = cluster.kinds.find('Namespace');
  if (namespace === undefined && kind !== undefined) throw notFound(kind, metadata.namespace);
  if (textAt(namespace, 'status', 'phase') === 'Terminating')
    throw refused(
      served,
      metadata.name,
      `unable to create new content in namespace ${metadata.namespace} because it is being terminated`,
    );
}

const needed = (object: RawObject, ...path: string[]): FieldFault[] =>
  valueAt(object, ...path) === undefined || listAt(object, ...path).length + textAt(object, ...path).length === 0
    ? [{ field: path.join('.'), type: 'Required value', message: '' }]
    : [];

/** The few rules of validation that a mistake in a manifest meets first. */
function faultsOf(object: RawObject): FieldFault[] {
  switch (object.kind) {
    case 'PersistentVolumeClaim': {
      const size = textAt(object, 'spec', 'resources', 'requests', 'storage');
      return [
        ...needed(object, 'spec', 'accessModes'),
        ...needed(object, 'spec', 'resources', 'requests', 'storage'),
        ...(size === '' || (isQuantity(size) && compareQuantities(size, '0') > 0)
          ? []
          : [
              {
                field: 'spec.resources.requests.storage',
                type: 'Invalid value' as const,
                message: `"${size}": must be greater than zero`,
              },
            ]),
      ];
    }
    case 'PersistentVolume':
      return [...needed(object, 'spec', 'accessModes'), ...needed(object, 'spec', 'capacity', 'storage')];
    case 'StorageClass':
      return needed(object, 'provisioner');
    case 'Pod':
      return needed(object, 'spec', 'containers');
    default:
      return [];
  }
}

/** In the words of the admission plugin LimitRanger. */
function admitSize(claim: RawObject, served: ServedKind, cluster: Cluster): void {
  const size = textAt(claim, 'spec', 'resources', 'requests', 'storage');
  const limits = cluster
    .list('LimitRange', claim.metadata.namespace)
    .flatMap((range) => listAt(range, 'spec', 'limits'))
    .filter((limit) => textAt(limit, 'type') === 'PersistentVolumeClaim');
  for (const limit of limits) {
    const min = textAt(limit, 'min', 'storage');
    const max = textAt(limit, 'max', 'storage');
    if (min !== '' && compareQuantities(size, min) < 0)
      throw refused(
        served,
        claim.metadata.name,
        `minimum storage usage per PersistentVolumeClaim is ${min}, but request is ${size}`,
      );
    if (max !== '' && compareQuantities(size, max) > 0)
      throw refused(
        served,
        claim.metadata.name,
        `maximum storage usage per PersistentVolumeClaim is ${max}, but request is ${size}`,
      );
  }
}

/** What one object takes of a quota, by the names that quotas use. */
export function usageOf(object: RawObject): Readonly<Record<string, string>> {
  if (object.kind === 'Pod')
    return ['Succeeded', 'Failed'].includes(textAt(object, 'status', 'phase')) ? {} : { pods: '1', 'count/pods': '1' };
  if (object.kind !== 'PersistentVolumeClaim') return {};
  const storage = textAt(object, 'spec', 'resources', 'requests', 'storage');
  const className = textAt(object, 'spec', 'storageClassName');
  const prefix = `${className}.storageclass.storage.k8s.io/`;
  return {
    persistentvolumeclaims: '1',
    'count/persistentvolumeclaims': '1',
    'requests.storage': storage,
    ...(className === '' ? {} : { [`${prefix}requests.storage`]: storage, [`${prefix}persistentvolumeclaims`]: '1' }),
  };
}

/** In the words of the admission plugin ResourceQuota. */
function admitQuota(object: RawObject, served: ServedKind, cluster: Cluster): void {
  const usage = usageOf(object);
  for (const quota of cluster.list('ResourceQuota', object.metadata.namespace)) {
    const excess = entriesAt(quota, 'spec', 'hard').flatMap(([key, hard]) => {
      const requested = usage[key];
      const used = textAt(quota, 'status', 'used', key) || '0';
      const isOver = requested !== undefined && compareQuantities(addQuantities(used, requested), String(hard)) > 0;
      return isOver ? [{ key, requested, used, hard: String(hard) }] : [];
    });
    if (excess.length === 0) continue;
    const words = (field: 'requested' | 'used' | 'hard'): string =>
      excess.map((item) => `${item.key}=${item[field]}`).join(',');
    throw refused(
      served,
      object.metadata.name,
      `exceeded quota: ${quota.metadata.name}, requested: ${words('requested')}, used: ${words('used')}, limited: ${words('hard')}`,
    );
  }
}
