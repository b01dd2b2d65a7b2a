import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { growthEvidence, resizerOf, volumeOf } from './expansion.ts';
import { noResizer, resizerHealth } from './resizer-health.ts';
import { explainSilence, handOverSaid, isForResizer, isTouched, startSeconds } from './silent-resizer.ts';

/** expand_controller only reports that an external controller must act; without an external-resizer nothing happens. */
export const resizeNoResizer = claimRule({
  cause: 'resize-no-resizer',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const { driver, isMigrated } = resizerOf(c);
    if (isMigrated || !isForResizer(c)) return undefined;
    if (driver !== undefined) return explainSilence(c, driver);
    const volume = volumeOf(c);
    return volume && !isTouched(c) ? explainNoDriver(c, volume) : undefined;
  },
});

/**
 * NFS, hostPath, local: their capacity is only a label, and no controller changes it (FindExpandablePluginBySpec finds
 * none).
 */
function explainNoDriver(c: PresentClaim, volume: Volume): Explanation {
  return {
    severity: 'info',
    summary:
      `No controller will ever grow pv/${c.volumeName} to ${c.request ?? 'the requested size'}: ` +
      'it has no driver, and its capacity is only a label. ' +
      'Grow the storage behind it; pods see the new size at once.',
    evidence: [
      ...growthEvidence(c),
      field(volume, 'spec.capacity.storage'),
      field(volume, 'spec.storageClassName'),
      ...handOverSaid(c),
    ],
    fix: adviceWithoutDriver(c, volume),
  };
}

/** The volume controller binds by this number; nothing else depends on it. */
function adviceWithoutDriver(c: PresentClaim, volume: Volume): Fix[] {
  return [
    steps(
      `Grow the share, disk or directory behind pv/${c.volumeName}, then record the new size in the volume. ` +
        'The claim keeps showing the old size, without effect: no driver enforces it.',
      [patchCommand(volume, { spec: { capacity: { storage: c.request ?? 'PLACEHOLDER_SIZE' } } })],
    ),
  ];
}

/** The same sidecar changes attributes classes: without it they do not change either. */
export const modifyNoResizer = claimRule({
  cause: 'resize-no-resizer',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const driver = volumeOf(c)?.spec?.csi?.driver;
    const since = modifySince(c);
    if (driver === undefined || (since !== undefined && (c.now - since) / 1000 < startSeconds)) return undefined;
    const health = resizerHealth(c.ask, driver);
    // A resizer of which nothing was found may also be one that cannot change classes: modify-unsupported covers that.
    if (health.state !== 'down' || health.confidence === 'likely') return undefined;
    return {
      about: driver,
      summary:
        `${noResizer(driver, health)} It also changes attributes classes, so pvc/${c.name} does not get ` +
        `"${c.claim.spec?.volumeAttributesClassName ?? ''}".`,
      evidence: [field(c.claim, 'spec.volumeAttributesClassName'), ...health.evidence],
      fix: health.fix,
    };
  },
});
