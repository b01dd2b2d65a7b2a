import type { Inquiry } from '../../graph/inquiry.ts';
import { formatBytesRounded } from '../../kube/rounded-bytes.ts';
import { fullnessOf, percentUsed } from '../../kube/volume-usage.ts';
import type { VolumeUsage } from '../../kube/volume-usage.ts';
import type { Unread } from '../../report/report.ts';
import type { UsageStatus, VolumeFullness } from '../../report/status.ts';
import { measuredClaims } from '../usage/measured-claims.ts';
import { unmeasuredUsage } from '../../graph/unread.ts';

const mostShown = 10;
const nearPercent = 90;

interface UsageSurveyed {
  readonly usage?: UsageStatus;
  readonly unread: readonly Unread[];
}

/** The fullest volumes, and how many could not be measured; nothing unless a flag asked for it. */
export function surveyUsage(ask: Inquiry, namespace: string | undefined): UsageSurveyed {
  const claims = measuredClaims(ask, namespace);
  if (!claims) return { unread: [] };
  // Inodes alone do not show that there is enough room.
  const levels = claims.measured
    .map(({ usage }) => fullnessLevel(usage))
    .filter(({ percent, level }) => percent !== undefined || level !== 'enough');
  const fullest = [...levels].sort((a, b) => urgency(b) - urgency(a) || compare(a, b)).slice(0, mostShown);
  return {
    usage: {
      measured: claims.measured.filter(({ usage }) => usage.bytes).length,
      unmeasured: claims.unmeasured.length,
      sources: [...new Set(claims.measured.map(({ usage }) => usage.source))],
      fullest,
    },
    unread: unmeasuredUsage(ask.graph, claims.unmeasured),
  };
}

function fullnessLevel(usage: VolumeUsage): VolumeFullness {
  const { namespace, claim, source, bytes, inodes, fullInSeconds } = usage;
  const percent = bytes && percentUsed(bytes);
  const inodesPercent = inodes && percentUsed(inodes);
  const isNear = Math.max(percent ?? 0, inodesPercent ?? 0) >= nearPercent;
  return {
    namespace,
    claim,
    level: levelOf(fullnessOf(usage) !== undefined, isNear),
    ...(percent !== undefined && { percent }),
    ...(inodesPercent !== undefined && { inodesPercent }),
    ...(bytes && { used: `${formatBytesRounded(bytes.used)} of ${formatBytesRounded(bytes.total)}` }),
    ...(fullInSeconds !== undefined && { fullInSeconds }),
    source,
  };
}

function levelOf(isFull: boolean, isNear: boolean): VolumeFullness['level'] {
  if (isFull) return 'full';
  return isNear ? 'near' : 'enough';
}

function urgency({ level, percent = 0, inodesPercent = 0 }: VolumeFullness): number {
  return (level === 'full' ? 1000 : 0) + Math.max(percent, inodesPercent);
}

function compare(a: VolumeFullness, b: VolumeFullness): number {
  const left = `${a.namespace}/${a.claim}`;
  const right = `${b.namespace}/${b.claim}`;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
