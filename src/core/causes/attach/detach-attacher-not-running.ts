import type { Confidence } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import { attacherHealth, isTouched } from './attacher-health.ts';
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
  const { words, confidence } = judge(health);
  return {
    confidence,
    about: driver,
    summary: `${lead}: the attacher of ${driver} ${words}`,
    evidence: [
      ...detachEvidence(detach),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...health.evidence,
    ],
    fix: [
      ...health.fix,
      fix('leave the finalizer alone: without the attacher nobody knows whether the volume is off the node', undefined),
    ],
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

function judge(health: AttacherHealth): { readonly words: string; readonly confidence: Confidence } {
  if (health.state === 'dead') return { words: health.words, confidence: 'certain' };
  if (health.state === 'absent') return { words: 'was not found running', confidence: 'likely' };
  return {
    words: `has not answered, and whether it runs could not be read (lease ${health.controller.lease.name})`,
    confidence: 'possible',
  };
}
