import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { parseGoDuration } from '../../kube/duration.ts';
import type { Attachment } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { leaseEvidence } from '../../facts/driver/controller-health.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachRules } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { attacherHealth, isTouched } from './attacher-health.ts';

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';
const patienceSeconds = 135;

/** A call that the attacher should have ended by now, one way or the other. */
interface StuckCall {
  readonly driver: string;
  readonly attachment: Attachment;
  readonly controller: DriverController;
  readonly isAlive: boolean;
  /** The attacher has put its finalizer on the attachment. */
  readonly isStarted: boolean;
}

/**
 * external-attacher saves every error of a call, even a timeout: no error at all means that the call hangs, or that it
 * may not write.
 */
export const attachInFlightStuck = attachRules('attach-in-flight-stuck', 'blocking', (trouble) => {
  const stuck = findStuckCall(trouble);
  if (!stuck) return undefined;
  const { driver, isAlive, isStarted } = stuck;
  const { ask, waitedSeconds, lead } = trouble;
  const waited = Number.isFinite(waitedSeconds) ? ageText(ask.now - waitedSeconds * 1000, ask.now) : 'long';
  return {
    confidence: isAlive && isStarted ? 'certain' : 'likely',
    about: driver,
    summary: isStarted
      ? `${lead}: the attacher of ${driver} began ${waited} ago and has neither finished nor complained: the call hangs, or the attacher may not write volumeattachments/status`
      : `${lead}: the attacher of ${driver} runs, but has not touched the attachment in ${waited}: it may not see or change attachments, or it serves another driver name`,
    evidence: evidenceOf(trouble, stuck),
    fix: fixesFor(stuck),
  };
});

function findStuckCall({ ask, driver, attachment, error, waitedSeconds }: AttachTrouble): StuckCall | undefined {
  if (attachment.state !== 'found' || driver === undefined || error?.from === 'object') return undefined;
  const { metadata, status } = attachment.object;
  if (status?.attached === true || metadata.deletionTimestamp !== undefined || waitedSeconds < patienceSeconds)
    return undefined;
  const { state, controller } = attacherHealth(ask, driver);
  if (state === 'dead' || state === 'absent') return undefined;
  const isStarted = isTouched(metadata);
  if (state !== 'alive' && !isStarted) return undefined;
  const timeout = timeoutOf(controller);
  if (timeout !== undefined && waitedSeconds < timeout) return undefined;
  return { driver, attachment: attachment.object, controller, isAlive: state === 'alive', isStarted };
}

/** Twice the attacher's `--timeout` in seconds, which leaves time for one more try; undefined when the flag is not set. */
function timeoutOf({ leader, pods }: DriverController): number | undefined {
  const value = flagOf(sidecarOf((leader ?? pods.items[0])?.spec, 'attacher'), 'timeout');
  const milliseconds = parseGoDuration(value ?? '');
  return milliseconds === undefined ? undefined : (2 * milliseconds) / 1000;
}

function evidenceOf({ error }: AttachTrouble, { attachment, controller }: StuckCall): Explanation['evidence'] {
  const { metadata, status } = attachment;
  const nodeId = metadata.annotations?.[nodeIdAnnotation];
  return [
    field(attachment, 'status.attached', status?.attached ?? false),
    field(attachment, 'metadata.finalizers', (metadata.finalizers ?? []).join(', ') || 'none'),
    ...(nodeId ? [field(attachment, `metadata.annotations[${nodeIdAnnotation}]`, nodeId)] : []),
    ...leaseEvidence(controller),
    ...(error ? [error.evidence] : []),
  ];
}

function fixesFor({ controller }: StuckCall): Fix[] {
  const pod = controller.leader ?? controller.pods.items[0];
  const account = pod?.spec?.serviceAccountName;
  return [
    logsFix(controller),
    logsFix(controller, 'driver'),
    fix(
      'see whether the attacher may write the result',
      `kubectl auth can-i patch volumeattachments.storage.k8s.io --subresource=status --as=${shellWord(`system:serviceaccount:${pod?.metadata.namespace ?? 'NAMESPACE'}:${account ?? 'NAME'}`)}`,
    ),
  ];
}
