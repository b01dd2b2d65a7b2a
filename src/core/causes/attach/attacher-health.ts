import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import {
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  runsSidecar,
  usesLeaderElection,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { absent, field } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';

/** Whether the external-attacher of a driver works. absent: nobody finds one, though everybody could look. */
export interface AttacherHealth {
  readonly state: 'alive' | 'dead' | 'absent' | 'unknown';
  readonly controller: DriverController;
  /** Why it is dead; `words` completes "the attacher of X …". */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

export function attacherHealth(ask: Inquiry, driver: string): AttacherHealth {
  const controller = findController(ask, driver, 'attacher');
  const { lease, pods } = controller;
  const running = pods.items.filter((pod) => runsSidecar(pod, controller));
  const health = (state: AttacherHealth['state'], trouble?: ControllerTrouble): AttacherHealth => ({
    state,
    controller,
    words: '',
    evidence: [],
    fix: [logsFix(controller)],
    ...(trouble && withLogs(trouble, logsFix(controller))),
  });
  if (lease.state === 'fresh') return health('alive');
  // A lease that is left over from the time when there was leader election says nothing about one who leads without.
  if (running.some((pod) => isReady(pod) && (lease.state !== 'stale' || !usesLeaderElection(pod, controller))))
    return health('alive');
  const trouble =
    running.length > 0
      ? leaderTrouble(controller, running, ask.now)
      : (podTrouble(controller) ??
        workloadTrouble(controller) ??
        leaseTrouble(controller, `the attacher of ${driver}`, ask.now));
  if (trouble) return health('dead', trouble);
  return health(pods.items.length === 0 && lease.state === 'missing' && pods.complete ? 'absent' : 'unknown');
}

/** Someone attached volumes of this driver once: the volume, or any attachment at hand, bears the attacher's mark. */
export function attacherTraces(ask: Inquiry, driver: string, volume: Volume | undefined): Evidence[] {
  const marked = volume?.metadata.finalizers?.find((finalizer) => finalizer.startsWith('external-attacher/'));
  if (volume && marked) return [field(volume, 'metadata.finalizers', marked)];
  const attachment = ask
    .seen('VolumeAttachment')
    .find(
      ({ spec, status, metadata }) =>
        spec?.attacher === driver &&
        (status?.attached === true || status?.attachError !== undefined || isTouched(metadata)),
    );
  return attachment ? [field(attachment, 'status.attached', attachment.status?.attached ?? false)] : [];
}

/** The attacher puts its finalizer on an attachment before it does anything else. */
export function isTouched({ finalizers }: Attachment['metadata']): boolean {
  return (finalizers ?? []).some((finalizer) => finalizer.startsWith('external-attacher/'));
}

export function missingLease({ controller: { lease } }: AttacherHealth): Evidence[] {
  return lease.state === 'missing' ? [absent('Lease', lease.name)] : [];
}
