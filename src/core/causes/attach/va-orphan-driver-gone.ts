import { findDriver } from '../../facts/driver/drivers.ts';
import { absent, field } from '../../facts/evidence.ts';
import { attacherHealth, isTouched, missingLease } from './attacher-health.ts';
import type { AttacherHealth } from './attacher-health.ts';
import { steps } from '../lib/steps.ts';
import { detachEvidence, detachRules, releaseFixes } from './detach-case.ts';
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
  const { attachment, lead, node } = detach;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: driver,
    summary: `${lead}. ${driver} is not installed any more, and only its attacher can detach the volume and remove its finalizer.`,
    evidence: [
      absent('CSIDriver', driver),
      ...missingLease(health),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...detachEvidence(detach),
    ],
    fix: [
      steps(
        `Install ${driver} again with its external-attacher, and let it detach its volumes before it is removed ` +
          `for good. The attachment to ${node} is then finished automatically within about 5 minutes.`,
        [],
      ),
      ...releaseFixes(detach),
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
