import { knownLogs } from '../../facts/driver/drivers.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { parseGoDuration } from '../../kube/duration.ts';
import type { Attachment } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import { accountOfController } from '../../facts/rights.ts';
import type { Right } from '../../facts/rights.ts';
import { leaseEvidence } from '../../facts/driver/controller-health.ts';
import { addRights, missingEvidence, missingRights, missingWords } from '../lib/missing-right.ts';
import type { MissingRights } from '../lib/missing-right.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachRules } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { checkRightFix, restartAttacher } from './attacher-fixes.ts';
import { attacherHealth, isTouched } from './attacher-health.ts';

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';
const patienceSeconds = 135;

/** A call that the attacher should have ended by now, one way or the other. */
interface StuckCall {
  readonly driver: string;
  readonly attachment: Attachment;
  readonly controller: DriverController;
  /** The attacher has put its finalizer on the attachment. */
  readonly isStarted: boolean;
  /** What the roles of its account do not allow, where they were read. */
  readonly missing: MissingRights | undefined;
}

/**
 * external-attacher saves every error of a call, even a timeout: no error at all means that the call hangs, or that it
 * may not write. Without the right to patch attachments it leaves them untouched, while its lease stays fresh.
 */
export const attachInFlightStuck = attachRules('attach-in-flight-stuck', 'blocking', (trouble) => {
  const stuck = findStuckCall(trouble);
  if (!stuck) return undefined;
  const { driver } = stuck;
  return {
    confidence: 'likely',
    about: driver,
    summary: `${trouble.lead}: ${stuckText(trouble, stuck)}`,
    evidence: evidenceOf(trouble, stuck),
    fix: fixesFor(stuck),
  };
});

/** Without it the attacher can save neither success nor error. */
function neededRight({ isStarted }: Pick<StuckCall, 'isStarted'>): Right {
  const resource = isStarted ? 'volumeattachments/status' : 'volumeattachments';
  return { verbs: ['patch'], group: 'storage.k8s.io', resource };
}

function stuckText({ ask, waitedSeconds }: AttachTrouble, { driver, isStarted, missing }: StuckCall): string {
  const waited = Number.isFinite(waitedSeconds) ? ageText(ask.now - waitedSeconds * 1000, ask.now) : undefined;
  if (missing)
    return (
      `the attacher of ${driver} is alive${waited === undefined ? '' : `, but for ${waited}`} it has written neither success nor failure ` +
      `to the VolumeAttachment, most likely because ${missingWords(missing)}.`
    );
  return isStarted
    ? `the attacher of ${driver} began${waited === undefined ? '' : ` ${waited} ago`} and has reported neither ` +
        'success nor failure. Either the call hangs, or the attacher may not write volumeattachments/status.'
    : `the attacher of ${driver} is alive but has not touched the ` +
        `VolumeAttachment${waited === undefined ? '' : ` in ${waited}`}: no finalizer, no status, no error. ` +
        'Most likely it may not patch volumeattachments.';
}

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
  const account = accountOfController(controller, controller.leader);
  const missing = account && missingRights(ask, account, [neededRight({ isStarted })]);
  return { driver, attachment: attachment.object, controller, isStarted, missing };
}

/**
 * Twice the attacher's `--timeout` in seconds, which leaves time for one more try; undefined when the flag is not set.
 */
function timeoutOf({ leader, pods }: DriverController): number | undefined {
  const value = flagOf(sidecarOf((leader ?? pods.items[0])?.spec, 'attacher'), 'timeout');
  const milliseconds = parseGoDuration(value ?? '');
  return milliseconds === undefined ? undefined : (2 * milliseconds) / 1000;
}

function evidenceOf({ error }: AttachTrouble, { attachment, controller, missing }: StuckCall): Explanation['evidence'] {
  const { metadata, status } = attachment;
  const nodeId = metadata.annotations?.[nodeIdAnnotation];
  return [
    field(attachment, 'status.attached', status?.attached ?? false),
    field(attachment, 'metadata.finalizers', (metadata.finalizers ?? []).join(', ') || 'none'),
    ...(nodeId ? [field(attachment, `metadata.annotations[${nodeIdAnnotation}]`, nodeId)] : []),
    ...(missing ? missingEvidence(missing) : []),
    ...leaseEvidence(controller),
    ...(error ? [error.evidence] : []),
  ];
}

function fixesFor({ controller, isStarted, missing }: StuckCall): Fix[] {
  if (missing)
    return [
      addRights(missing, 'the driver', 'The attacher then continues automatically within about 5 minutes.'),
      ...knownLogs(controller, 'sidecar'),
    ];
  return [
    checkRightFix(controller, isStarted ? 'volumeattachments/status' : 'volumeattachments'),
    restartAttacher(controller, 'If it prints "yes"'),
    ...knownLogs(controller, 'sidecar'),
  ];
}
