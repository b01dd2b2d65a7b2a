import { field } from '../../facts/evidence.ts';
import { beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { aboutController, provenTrouble, silentTrouble } from './controller-trouble.ts';
import type { SnapshotTrouble } from './controller-trouble.ts';
import { finishDeletion, keepData } from './deletion-fixes.ts';
import {
  finalizers,
  finalizersEvidence,
  hasFinalizer,
  restoringClaims,
  settleSeconds,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { nameOf, ruleForSnapshot } from './snapshot-rule.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/** The controller has not touched the snapshot: syncSnapshot first sets a finalizer or an error. */
export const snapUntouched = ruleForSnapshot({
  cause: 'snap-controller-down',
  severity: 'blocking',
  explain(s) {
    if (!s.isUntouched || s.ageSeconds < startSeconds) return undefined;
    const trouble = provenTrouble(s) ?? (s.ageSeconds < silenceSeconds ? undefined : silentTrouble(s));
    return trouble && explainTrouble(s, trouble, 'has not been picked up');
  },
});

/** The controller has begun and stopped since: its next step is not done. */
export const snapAbandoned = ruleForSnapshot({
  cause: 'snap-controller-down',
  severity: 'blocking',
  explain(s) {
    const isControllersTurn =
      s.content === undefined ? s.contentLookup?.state === 'missing' : s.content.status?.readyToUse === true;
    if (!isControllersTurn || s.ageSeconds < startSeconds) return undefined;
    const trouble = provenTrouble(s);
    return trouble && explainTrouble(s, trouble, 'waits for its next step');
  },
});

function explainTrouble(s: SnapshotCase, trouble: SnapshotTrouble, what: string): Explanation {
  const { confidence, words, evidence, fix } = trouble;
  return {
    confidence,
    about: aboutController,
    summary: `${words} ${nameOf(s)} ${what}.`,
    evidence: [...evidence, ...(s.isUntouched ? [field(s.subject, 'status')] : [])],
    fix,
  };
}

/** The controller must annotate and delete the content, or remove the snapshot's finalizers. */
export const snapControllerDownOnDelete = ruleForSnapshot({
  cause: 'snap-controller-down',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    const trouble = snapshot && findTroubleOnDelete(s, snapshot);
    if (!trouble) return undefined;
    return {
      confidence: trouble.confidence,
      about: aboutController,
      summary: `${trouble.words} The deletion of ${nameOf(s)} waits for it.`,
      evidence: [...trouble.evidence, finalizersEvidence(snapshot)],
      fix: [...finishDeletion(trouble.fix, s.content), ...keepData(s.content)],
    };
  },
});

function findTroubleOnDelete(s: SnapshotCase, snapshot: VolumeSnapshot): SnapshotTrouble | undefined {
  if (!hasFinalizer(snapshot, finalizers.asSource, finalizers.bound) || s.leavingSeconds < settleSeconds)
    return undefined;
  const isSidecarsTurn =
    s.content?.metadata.deletionTimestamp !== undefined &&
    s.content.metadata.annotations?.[beingDeletedAnnotation] !== undefined;
  if (isSidecarsTurn || s.contentLookup?.state === 'missing') return undefined;
  const isLongSilent =
    s.content !== undefined && s.leavingSeconds >= silenceSeconds && restoringClaims(s, snapshot).complete;
  return provenTrouble(s) ?? (isLongSilent ? silentTrouble(s) : undefined);
}
