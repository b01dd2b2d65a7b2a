import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { modifySince } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { growthEvidence, mergePatch, resizerOf, volumeOf } from './expansion.ts';
import { resizerHealth } from './resizer-health.ts';
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

/** NFS, hostPath, local: their capacity is only a label, and no controller changes it (FindExpandablePluginBySpec finds none). */
function explainNoDriver(c: PresentClaim, volume: Volume): Explanation {
  return {
    severity: 'info',
    summary: `nobody will grow pv/${c.volumeName}: it has no driver, and its capacity is what was written into it; the request for ${c.request ?? 'more'} stays a wish`,
    evidence: [
      ...growthEvidence(c),
      field(volume, 'spec.capacity.storage'),
      field(volume, 'spec.storageClassName'),
      ...handOverSaid(c),
    ],
    fix: adviceWithoutDriver(c),
  };
}

function adviceWithoutDriver(c: PresentClaim): Fix[] {
  return [
    fix('nothing has to be done if the storage behind it is big enough: no driver enforces the size'),
    fix(
      'if the storage was grown by hand, write its size into the volume',
      `kubectl patch pv ${shellWord(c.volumeName)} --type=merge -p ${mergePatch({ spec: { capacity: { storage: c.request ?? '' } } })}`,
    ),
    fix('see who uses the claim', `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`),
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
      summary: `the resizer of ${driver}, which changes attributes classes too, ${health.words}`,
      evidence: [field(c.claim, 'spec.volumeAttributesClassName'), ...health.evidence],
      fix: health.fix,
    };
  },
});
