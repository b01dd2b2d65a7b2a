import { findDriver } from '../../facts/driver/drivers.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { attacherHealth, isTouched, missingLease } from './attacher-health.ts';
import type { AttacherHealth } from './attacher-health.ts';
import { detachEvidence, detachRules, releaseFix } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

interface RemovedDriver {
  readonly driver: string;
  readonly health: AttacherHealth;
  /** Everything that could show the driver was read. */
  readonly isProven: boolean;
}

/** external-attacher syncDetach alone removes the finalizer, and the attacher was removed together with the driver. */
export const vaOrphanDriverGone = detachRules('va-orphan-driver-gone', 'blocking', (detach) => {
  const removed = findRemovedDriver(detach);
  if (!removed) return undefined;
  const { driver, health, isProven } = removed;
  const { attachment, lead } = detach;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: driver,
    summary: `${lead}: ${driver} is not installed any more, and only its attacher can finish the attachment`,
    evidence: [
      absent('CSIDriver', driver),
      ...missingLease(health),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...detachEvidence(detach),
    ],
    fix: [
      fix(
        `install ${driver} again, let it detach its volumes, and remove it only then`,
        'kubectl get volumeattachments,csidrivers',
      ),
      releaseFix(attachment.metadata.name),
    ],
  };
});

function findRemovedDriver({ ask, driver, attachment }: DetachCase): RemovedDriver | undefined {
  if (driver === undefined || !isTouched(attachment.metadata)) return undefined;
  const traces = findDriver(ask, driver);
  if (traces.object.state !== 'missing') return undefined;
  const { nodes } = traces;
  if (nodes.items.length > 0) return undefined;
  const health = attacherHealth(ask, driver);
  const { lease, pods } = health.controller;
  if (lease.object || pods.items.length > 0 || health.state === 'alive' || health.state === 'dead') return undefined;
  return { driver, health, isProven: health.state === 'absent' && nodes.complete };
}
