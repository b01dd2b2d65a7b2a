import type { Confidence } from '../../report/report.ts';
import { startUnseen } from '../../facts/driver/controller-health.ts';
import { field } from '../../facts/evidence.ts';
import { attacherHealth, deadText, isTouched, unprovenText } from './attacher-health.ts';
import type { AttacherHealth } from './attacher-health.ts';
import { detachErrorOf, detachEvidence, detachRules, isLeaving } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

/** How soon a running attacher acts on the deletion. */
const startSeconds = 20;
/** How long silence alone is no proof. */
const patienceSeconds = 120;

/** csi_attacher.go Detach deletes the attachment and waits; only the attacher can remove its finalizer. */
export const detachAttacherNotRunning = detachRules('detach-attacher-not-running', 'blocking', (detach) => {
  const { ask, driver, lead, waitedSeconds, attachment } = detach;
  if (driver === undefined || !isUnanswered(detach)) return undefined;
  const health = attacherHealth(ask, driver);
  if (health.state === 'alive' || (health.state !== 'dead' && waitedSeconds < patienceSeconds)) return undefined;
  return {
    confidence: confidenceIn(health),
    about: driver,
    summary: `${lead}. ${stateText(driver, health)} The finalizer stays until an attacher has detached the volume.`,
    evidence: [
      ...detachEvidence(detach),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...health.evidence,
    ],
    fix: health.state === 'dead' ? health.fix : [startUnseen(`the attacher of ${driver}`)],
  };
});

function isUnanswered(detach: DetachCase): boolean {
  return (
    isLeaving(detach) &&
    isTouched(detach.attachment.metadata) &&
    !detachErrorOf(detach) &&
    detach.waitedSeconds >= startSeconds
  );
}

function confidenceIn({ state }: AttacherHealth): Confidence {
  if (state === 'dead') return 'certain';
  return state === 'absent' ? 'likely' : 'possible';
}

function stateText(driver: string, health: AttacherHealth): string {
  if (health.state === 'dead') return deadText(driver, health);
  return `No attacher of ${driver} has acted on the deletion, and ${unprovenText(health)}.`;
}
