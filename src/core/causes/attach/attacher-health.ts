import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Attachment, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import {
  crashLoop,
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

/** Its `words` complete "the attacher of X …". */
interface DeadAttacher extends ControllerTrouble {
  readonly state: 'dead';
  readonly controller: DriverController;
}

/** absent: none was found, though leases and pods could all be read. */
export interface OtherAttacher {
  readonly state: 'alive' | 'absent' | 'unknown';
  readonly controller: DriverController;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Whether the external-attacher of a driver works. */
export type AttacherHealth = DeadAttacher | OtherAttacher;

export function attacherHealth(ask: Inquiry, driver: string): AttacherHealth {
  const controller = findController(ask, driver, 'attacher');
  const { lease, pods } = controller;
  const running = pods.items.filter((pod) => runsSidecar(pod, controller));
  if (isAlive(controller, running)) return withoutTrouble('alive', controller);
  const trouble =
    running.length > 0
      ? leaderTrouble(controller, running, ask.now)
      : (crashLoop(controller, ask.now) ??
        podTrouble(controller) ??
        workloadTrouble(controller) ??
        leaseTrouble(controller, `the attacher of ${driver}`, ask.now));
  // A container that does not run has no log, or its last one is among the fixes already.
  const logs = running.length > 0 ? [logsFix(controller)] : [];
  if (trouble) return { state: 'dead', controller, ...withLogs(trouble, ...logs) };
  const isAbsent = pods.items.length === 0 && lease.state === 'missing' && pods.complete;
  return withoutTrouble(isAbsent ? 'absent' : 'unknown', controller);
}

function isAlive(controller: DriverController, running: readonly Pod[]): boolean {
  const { lease } = controller;
  if (lease.state === 'fresh') return true;
  // A stale lease may be left over from before leader election was switched off: it says nothing about a pod that runs
  // without.
  return running.some((pod) => isReady(pod) && (lease.state !== 'stale' || !usesLeaderElection(pod, controller)));
}

function withoutTrouble(state: OtherAttacher['state'], controller: DriverController): OtherAttacher {
  return { state, controller, evidence: [], fix: [logsFix(controller)] };
}

/**
 * Proof that an attacher of this driver has worked before: its finalizer on the volume, or an attachment it has
 * handled.
 */
export function attacherTraces(ask: Inquiry, driver: string, volume: Volume | undefined): Evidence[] {
  const finalizer = volume?.metadata.finalizers?.find((name) => name.startsWith('external-attacher/'));
  if (volume && finalizer) return [field(volume, 'metadata.finalizers', finalizer)];
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

/** `No attacher is running for X: deployment/y is scaled to 0 replicas.` */
export function deadText(driver: string, { words, reason }: ControllerTrouble): string {
  return reason !== undefined && words.startsWith('is not running')
    ? `No attacher is running for ${driver}: ${reason}.`
    : `The attacher of ${driver} ${words}.`;
}

/** Completes "No attacher has …, and …": what is known about whether one runs. */
export function unprovenText({ state, controller: { lease } }: OtherAttacher): string {
  if (state === 'absent') return 'none was found running';
  return lease.object
    ? `lease ${lease.object.metadata.namespace ?? ''}/${lease.name} does not show whether one runs`
    : `whether one runs could not be read (lease ${lease.name})`;
}

export function missingLease({ controller: { lease } }: AttacherHealth): Evidence[] {
  return lease.state === 'missing' ? [absent('Lease', lease.name)] : [];
}
