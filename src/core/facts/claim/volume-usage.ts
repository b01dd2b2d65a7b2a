import { formatBytesRounded } from '../../kube/rounded-bytes.ts';
import { percentUsed } from '../../kube/volume-usage.ts';
import type { Amount, VolumeUsage } from '../../kube/volume-usage.ts';
import type { Evidence } from '../../report/report.ts';

export function usageEvidence(usage: VolumeUsage, of: 'bytes' | 'inodes'): Evidence[] {
  const amount = usage[of];
  if (!amount) return [];
  return [
    {
      object: { kind: 'PersistentVolumeClaim', namespace: usage.namespace, name: usage.claim },
      path: `${of} used (${usage.source})`,
      value: usageWords(amount, of),
      ...(usage.at !== undefined && { at: usage.at }),
    },
  ];
}

/** `4.9Gi of 5Gi (99%), 12Mi free` */
export function usageWords(amount: Amount, of: 'bytes' | 'inodes'): string {
  const word = (count: number): string => (of === 'bytes' ? formatBytesRounded(count) : String(count));
  return `${word(amount.used)} of ${word(amount.total)} (${percentUsed(amount)}%), ${word(amount.free)} free`;
}

/** `full in about 6h`: an extrapolation, so one figure is enough. */
export function fullInWords(seconds: number): string {
  if (seconds < 3600) return `full in about ${Math.max(1, Math.round(seconds / 60))}m`;
  if (seconds < 48 * 3600) return `full in about ${Math.round(seconds / 3600)}h`;
  return `full in about ${Math.round(seconds / 86_400)}d`;
}
