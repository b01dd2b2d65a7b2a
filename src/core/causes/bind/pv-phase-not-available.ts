import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { closestVolumeRule } from './closest-volume.ts';

const graceSeconds = 60;

/** The search considers only volumes in phase Available, which the controller sets within seconds of their creation. */
export const pvPhaseNotAvailable = closestVolumeRule('pv-phase-not-available', 'phase', {
  holds: (c, volume) => hasFailed(volume) || ageSeconds(volume, c.now) >= graceSeconds,
  describe(_c, { status }) {
    const message = status?.message;
    return `is in phase ${status?.phase ?? 'not set'}, not Available${message ? ` (${message})` : ''}`;
  },
  evidence: (_c, volume) => (hasFailed(volume) ? [field(volume, 'status.phase')] : []),
  advise: (_c, volume) => [hasFailed(volume) ? replaceVolume(volume) : checkController],
});

function hasFailed(volume: Volume): boolean {
  return volume.status?.phase === 'Failed';
}

function ageSeconds(volume: Volume, now: number): number {
  return secondsBetween(parseTime(volume.metadata.creationTimestamp) ?? 0, now);
}

function replaceVolume(volume: Volume): Fix {
  return fix(
    'see why it could not be reclaimed; a Failed volume is never used again: remove it by hand and make a new one',
    `kubectl describe pv ${shellWord(volume.metadata.name)}`,
  );
}

const checkController = fix(
  'see whether the kube-controller-manager runs: it is the one that makes a volume Available',
  'kubectl -n kube-system get lease kube-controller-manager -o yaml',
);
