/** How full a volume is, as one source has measured it. */
export interface VolumeUsage {
  readonly namespace: string;
  readonly claim: string;
  /** The source in words: `Prometheus (monitoring/prometheus)`, `the kubelet of node-a`. */
  readonly source: string;
  /** When it was measured, if the source reports it. */
  readonly at?: string;
  readonly bytes?: Amount;
  readonly inodes?: Amount;
  /** From the history of the last hours; only where the free space shrinks. */
  readonly fullInSeconds?: number;
}

export interface Amount {
  readonly total: number;
  readonly used: number;
  /** For bytes what a program may still write: file systems keep a part for root. */
  readonly free: number;
}

/** A source of usage that was asked, and how that ended. */
export interface UsageAttempt {
  readonly source: string;
  readonly state: 'answered' | 'denied' | 'failed';
  readonly message?: string;
}

/** What is known of the fullness of volumes. A claim that is not among them was not measured: it may be full. */
export interface UsageSurvey {
  readonly volumes: readonly VolumeUsage[];
  readonly attempts: readonly UsageAttempt[];
}

/** Less than this can hardly be written any more. */
const smallestRest = 16 * 1024 * 1024;

/** Practically nothing can be written: no inode, or less than a hundredth of the volume and 16Mi. */
export function fullnessOf({ bytes, inodes }: VolumeUsage): 'bytes' | 'inodes' | undefined {
  if (bytes && bytes.total > 0 && bytes.free <= Math.min(bytes.total / 100, smallestRest)) return 'bytes';
  return inodes && inodes.total > 0 && inodes.free <= 0 ? 'inodes' : undefined;
}

/** How much is used, in percent of what can be used, rounded down: 100 only where nothing is left. */
export function percentUsed({ total, used, free }: Amount): number {
  // As df does: the part that only root may use counts neither as used nor as free.
  const usable = used + free;
  if (usable <= 0 || total <= 0) return 0;
  return Math.min(100, Math.floor((used / usable) * 100));
}
