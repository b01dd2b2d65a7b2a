import { findController } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Attachment, Volume } from '../../model/kinds.ts';
import type { Evidence, Fix } from '../../model/report.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { isReady } from '../../journey/pod-state.ts';
import { leaseEvidence, podEvidence, runsSidecar, usesLeaderElection, whyNotRunning } from '../provision/controller-health.ts';

/** Whether the external-attacher of a driver works. absent: nobody finds one, though everybody could look. */
export interface AttacherHealth {
  readonly state: 'alive' | 'dead' | 'absent' | 'unknown';
  readonly controller: DriverController;
  /** What proves that it is dead, in words: `pod/x is waiting (CrashLoopBackOff)`. */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

export function attacherHealth(ask: Inquiry, driver: string): AttacherHealth {
  const controller = findController(ask, driver, 'attacher');
  const { lease, pods, workload } = controller;
  const running = pods.items.filter((pod) => runsSidecar(pod, controller));
  const health = (state: AttacherHealth['state'], words = '', evidence: readonly Evidence[] = [], fixes: readonly Fix[] = []): AttacherHealth => ({ state, controller, words, evidence, fix: fixes });
  if (lease.state === 'fresh') return health('alive');
  // A lease that is left over from the time when there was leader election says nothing about one who leads without.
  if (running.some((pod) => isReady(pod) && (lease.state !== 'stale' || !usesLeaderElection(pod, controller)))) return health('alive');
  const [pod] = pods.items;
  if (pod && running.length === 0) {
    return health('dead', `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`, [podEvidence(pod), ...leaseEvidence(controller)], [
      fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`),
    ]);
  }
  if (!pod && workload?.object && (pods.complete || workload.object.spec?.replicas === 0)) return healthOfWorkload(health, controller);
  if (lease.state === 'stale') return healthOfLease(health, controller, ask.now);
  if (pod) return health('unknown');
  return health(lease.state === 'missing' && pods.complete ? 'absent' : 'unknown');
}

type Make = (state: AttacherHealth['state'], words: string, evidence: readonly Evidence[], fixes: readonly Fix[]) => AttacherHealth;

function healthOfWorkload(health: Make, controller: DriverController): AttacherHealth {
  const { kind, namespace, name, object } = controller.workload as NonNullable<DriverController['workload']>;
  const isZero = object?.spec?.replicas === 0;
  const evidence = [...(object ? [isZero ? field(object, 'spec.replicas') : note(object, 'has no pods')] : []), ...leaseEvidence(controller)];
  return health('dead', `${kind.toLowerCase()}/${name} in namespace ${namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}${leaseWords(controller)}`, evidence, [
    isZero ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind.toLowerCase()} ${shellWord(name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind.toLowerCase()} ${shellWord(name)}`),
  ]);
}

function healthOfLease(health: Make, controller: DriverController, now: number): AttacherHealth {
  const { lease, driver } = controller;
  const namespace = lease.object?.metadata.namespace ?? '';
  const renewed = parseTime(lease.object?.spec?.renewTime);
  const holder = lease.object?.spec?.holderIdentity;
  return health('dead', `nobody has renewed lease ${namespace}/${lease.name}${renewed === undefined ? '' : ` for ${ageText(renewed, now)}`}${holder ? ` (last held by ${holder})` : ''}`, leaseEvidence(controller), [
    fix(`start the controller of ${driver} again: everything then goes on by itself`, `kubectl ${inNamespace(namespace)}get deploy,sts,pods -o wide`),
  ]);
}

function leaseWords({ lease }: DriverController): string {
  return lease.state === 'stale' ? `, and lease ${lease.name} is stale` : '';
}

/** Someone attached volumes of this driver once: the volume, or any attachment at hand, bears the attacher's mark. */
export function attacherTraces(ask: Inquiry, driver: string, volume: Volume | undefined): Evidence[] {
  const marked = volume?.metadata.finalizers?.find((finalizer) => finalizer.startsWith('external-attacher/'));
  if (volume && marked) return [field(volume, 'metadata.finalizers', marked)];
  const attachment = ask.seen('VolumeAttachment').find(({ spec, status, metadata }) => spec?.attacher === driver && (status?.attached === true || status?.attachError !== undefined || isTouched(metadata)));
  return attachment ? [field(attachment, 'status.attached', attachment.status?.attached ?? false)] : [];
}

/** The attacher puts its finalizer on an attachment before it does anything else. */
export function isTouched({ finalizers }: Attachment['metadata']): boolean {
  return (finalizers ?? []).some((finalizer) => finalizer.startsWith('external-attacher/'));
}

export function missingLease({ controller: { lease } }: AttacherHealth): Evidence[] {
  return lease.state === 'missing' ? [absent('Lease', lease.name)] : [];
}
