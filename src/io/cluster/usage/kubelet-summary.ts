import type { VolumeUsage } from '../../../core/kube/volume-usage.ts';
import { amountOf, isRecord } from './prometheus.ts';

/**
 * The volumes of claims in what a kubelet answers to /stats/summary (pkg/kubelet/apis/stats/v1alpha1); undefined for
 * anything else.
 */
export function usageOfSummary(body: string, source: string): VolumeUsage[] | undefined {
  const summary = parse(body);
  if (!isRecord(summary) || !isRecord(summary['node'])) return undefined;
  const pods = Array.isArray(summary['pods']) ? (summary['pods'] as unknown[]) : [];
  return pods.flatMap((pod) =>
    isRecord(pod) && Array.isArray(pod['volume'])
      ? (pod['volume'] as unknown[]).flatMap((volume) => usageOfVolume(volume, source) ?? [])
      : [],
  );
}

function usageOfVolume(volume: unknown, source: string): VolumeUsage | undefined {
  if (!isRecord(volume) || !isRecord(volume['pvcRef'])) return undefined;
  const { name, namespace } = volume['pvcRef'];
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  const figure = (field: string): number | undefined => {
    const value = volume[field];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const bytes = amountOf(figure('capacityBytes'), figure('usedBytes'), figure('availableBytes'));
  const inodes = amountOf(figure('inodes'), figure('inodesUsed'), figure('inodesFree'));
  if (!bytes && !inodes) return undefined;
  const { time } = volume;
  return {
    namespace,
    claim: name,
    source,
    ...(typeof time === 'string' && { at: time }),
    ...(bytes && { bytes }),
    ...(inodes && { inodes }),
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
