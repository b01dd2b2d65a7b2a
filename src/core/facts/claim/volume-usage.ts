import { formatBytesRounded } from '../../kube/rounded-bytes.ts';
import { percentUsed } from '../../kube/volume-usage.ts';
import type { Amount, VolumeUsage } from '../../kube/volume-usage.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Evidence } from '../../report/report.ts';

/** How full the volume of a claim is; undefined where no source has measured it. */
export function usageOf(ask: Inquiry, namespace: string, claim: string): VolumeUsage | undefined {
  return ask.graph.usageOf(namespace, claim);
}

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
