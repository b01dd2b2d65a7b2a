import { addQuantities } from '../../core/kube/quantity.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { usageOf } from '../changes/admission.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';

/** The quota controller: what the objects of a namespace use of its quotas. */
export function countQuotas({ cluster }: Workplace): void {
  for (const quota of cluster.list('ResourceQuota')) {
    const hard = valueAt(quota, 'spec', 'hard') ?? {};
    const used = Object.fromEntries(
      entriesAt(quota, 'spec', 'hard').map(([key]) => [key, usedOf(quota, key, cluster)]),
    );
    cluster.put({ ...quota, status: { hard, used } } as RawObject);
  }
}

/** Resources that are not counted here stay as they were. */
function usedOf(quota: RawObject, key: string, cluster: Cluster): string {
  const objects = ['PersistentVolumeClaim', 'Pod'].flatMap((kind) => cluster.list(kind, quota.metadata.namespace));
  const isCounted = /^(count\/)?(pods|persistentvolumeclaims)$|requests\.storage$|\.storageclass\./.test(key);
  if (!isCounted) return textAt(quota, 'status', 'used', key) || '0';
  return addQuantities(...objects.map((object) => usageOf(object)[key]));
}
