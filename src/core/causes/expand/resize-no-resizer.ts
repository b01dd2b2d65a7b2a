import { logsFix } from '../../facts/driver/drivers.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { growthSince, hasCondition, isForNode, modifySince, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { growthEvidence, mergePatch, resizerOf, storageResizerAnnotation, volumeOf, waitedFor } from './expansion.ts';
import { resizerHealth } from './resizer-health.ts';

const patienceSeconds = 60;
/** One that is known to be down needs no longer look. */
const startSeconds = 20;

/** expand_controller only says that somebody else must do it; without an external-resizer nobody does. */
export const resizeNoResizer = claimRule({
  cause: 'resize-no-resizer',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const { driver, isMigrated } = resizerOf(c);
    if (isMigrated || !isForResizer(c)) return undefined;
    if (driver === undefined) return volumeOf(c) && !isTouched(c) ? explainNoDriver(c) : undefined;
    return explainSilence(c, driver);
  },
});

/** An in-tree volume that a driver has taken over: the volume controller hands it over by an annotation. */
export const resizeMigratedWaiting = claimRule({
  cause: 'resize-migrated-waiting',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const { driver, isMigrated } = resizerOf(c);
    if (!isMigrated || driver === undefined || !isForResizer(c)) return undefined;
    const explanation = explainSilence(c, driver);
    if (!explanation) return undefined;
    const [first, ...rest] = explanation.evidence;
    return {
      ...explanation,
      summary: `pv/${c.volumeName} is an in-tree volume that ${driver} has to grow since CSI migration, and ${explanation.summary}`,
      evidence: [
        first,
        field(
          c.claim,
          `metadata.annotations[${storageResizerAnnotation}]`,
          c.annotation(storageResizerAnnotation) ?? 'not set',
        ),
        ...rest,
      ],
    };
  },
});

/** The same sidecar changes attributes classes: without it nothing happens either. */
export const modifyNoResizer = claimRule({
  cause: 'resize-no-resizer',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const driver = volumeOf(c)?.spec?.csi?.driver;
    const since = modifySince(c);
    if (driver === undefined || (since !== undefined && (c.now - since) / 1000 < startSeconds)) return undefined;
    const health = resizerHealth(c.ask, driver);
    // Where no trace of a resizer is found it may also be one that cannot change classes: another rule says so.
    if (health.state !== 'down' || health.confidence === 'likely') return undefined;
    return {
      about: driver,
      summary: `the resizer of ${driver}, which changes attributes classes too, ${health.words}`,
      evidence: [field(c.claim, 'spec.volumeAttributesClassName'), ...health.evidence],
      fix: health.fix,
    };
  },
});

/** The storage has not grown yet, and no error is known that the resizer would have to tell. */
function isForResizer(c: PresentClaim): boolean {
  return !isForNode(c.claim) && !hasCondition(c.claim, 'ControllerResizeError') && waitedFor(c) >= startSeconds;
}

/** Somebody has begun. */
function isTouched({ claim }: PresentClaim): boolean {
  return resizeStateOf(claim) !== '' || hasCondition(claim, 'Resizing');
}

function explainSilence(c: PresentClaim, driver: string): Explanation | undefined {
  const health = resizerHealth(c.ask, driver);
  if (waitedFor(c) < patienceSeconds && (health.state !== 'down' || health.confidence === 'likely')) return undefined;
  const said = newestMatch(c.events.items, 'ExternalExpanding', /^/);
  const words = said ? [eventSaid(c.claim, said.event)] : [];
  if (health.state === 'down') {
    // A resizer of which nothing is seen has worked on the claim all the same: it runs where nobody looked.
    if (isTouched(c) && health.confidence === 'likely') return undefined;
    return {
      ...pick(health.confidence),
      about: driver,
      summary: `the resizer of ${driver} ${health.words}`,
      evidence: [...health.evidence, ...growthEvidence(c), ...words],
      fix: health.fix,
    };
  }
  if (isTouched(c)) return undefined;
  const since = growthSince(c);
  const waited = since === undefined ? '' : ` in ${ageText(since, c.now)}`;
  const isSeen = health.state === 'runs';
  return {
    confidence: !isSeen && since !== undefined ? 'likely' : 'possible',
    about: driver,
    summary: isSeen
      ? `the resizer of ${driver} runs, but has not touched the claim${waited}`
      : `no resizer of ${driver} has touched the claim${waited}, and whether one runs could not be read`,
    evidence: [...growthEvidence(c), ...words],
    fix: [
      logsFix(health.controller),
      fix(
        'see whether it may write claims and volumes, and whether it serves this driver',
        'kubectl get deploy,sts -A -o wide | grep -i -e csi -e resizer',
      ),
    ],
  };
}

/** NFS, hostPath, local: their capacity is a label, and no controller changes it (FindExpandablePluginBySpec finds none). */
function explainNoDriver(c: PresentClaim): Explanation {
  const volume = volumeOf(c);
  const evidence: Evidence[] = volume
    ? [field(volume, 'spec.capacity.storage'), field(volume, 'spec.storageClassName')]
    : [];
  const said = newestMatch(c.events.items, 'ExternalExpanding', /^/);
  return {
    severity: 'info',
    summary: `nobody will grow pv/${c.volumeName}: it has no driver, and its capacity is what was written into it; the request for ${c.request ?? 'more'} stays a wish`,
    evidence: [...growthEvidence(c), ...evidence, ...(said ? [eventSaid(c.claim, said.event)] : [])],
    fix: [
      fix('nothing has to be done if the storage behind it is big enough: no driver enforces the size'),
      fix(
        'if the storage was grown by hand, write its size into the volume',
        `kubectl patch pv ${shellWord(c.volumeName)} --type=merge -p ${mergePatch({ spec: { capacity: { storage: c.request ?? '' } } })}`,
      ),
      fix('see who uses the claim', `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`),
    ],
  };
}

function pick(confidence: Explanation['confidence']): Pick<Explanation, 'confidence'> {
  return confidence === undefined ? {} : { confidence };
}
