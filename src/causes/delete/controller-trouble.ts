import { driverContainerOf, sidecarOf } from '../../graph/driver-pods.ts';
import { logsFix } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import type { ContainerStatus, Pod } from '../../model/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../model/report.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { isReady } from '../../journey/pod-state.ts';
import { crashEvidence, isCrashing, isRunning, leadsWithoutLease, leaseEvidence, podEvidence, runsSidecar, statusOf, whyNotRunning } from '../provision/controller-health.ts';

/** Why a sidecar does not do its work, from its pods and its lease alone. */
export interface ControllerTrouble {
  readonly kind: 'crashing' | 'down' | 'idle' | 'unseen';
  readonly confidence: Confidence;
  /** Completes "the provisioner of X …". */
  readonly words: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
}

/** `heardAt`: when the sidecar last showed itself by its works; a lease that is older than that is a leftover. */
export function troubleOf(controller: DriverController, now: number, heardAt?: number): ControllerTrouble | undefined {
  return crashing(controller, now) ?? down(controller) ?? withoutLeader(controller, now, heardAt) ?? unseen(controller, now, heardAt);
}

function crashing(controller: DriverController, now: number): ControllerTrouble | undefined {
  const { items } = controller.pods;
  const isSound = (pod: Pod): boolean => isReady(pod) && isRunning(statusOf(pod, sidecarOf(pod.spec, controller.role)?.name)) && crashingOf(pod, controller, now).length === 0;
  if (items.length === 0 || items.some(isSound)) return undefined;
  const broken = items.flatMap((pod) => crashingOf(pod, controller, now).slice(0, 1).map((status) => ({ pod, status })))[0];
  if (!broken) return undefined;
  const { pod, status } = broken;
  const namespace = pod.metadata.namespace ?? '';
  const last = status.lastState?.terminated ?? status.state?.terminated;
  const end = last?.reason === 'OOMKilled' ? ': out of memory' : last?.exitCode === undefined ? '' : ` with exit code ${last.exitCode}`;
  return {
    kind: 'crashing',
    confidence: 'certain',
    words: `does not work: container ${status.name ?? ''} of pod/${pod.metadata.name} (namespace ${namespace}) keeps crashing${end}`,
    evidence: [...crashEvidence(pod, status), ...crashingOf(pod, controller, now).slice(1).flatMap((other) => crashEvidence(pod, other)), ...leaseEvidence(controller)],
    fix: [fix('read why it died: credentials, the storage API, memory', `kubectl ${inNamespace(namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name ?? '')} --previous --tail=50`), logsFix(controller)],
  };
}

/** The driver's container first: when it dies it takes the sidecars with it (csi-lib-utils ExitOnConnectionLoss). */
function crashingOf(pod: Pod, controller: DriverController, now: number): ContainerStatus[] {
  const names = [driverContainerOf(pod.spec)?.name, sidecarOf(pod.spec, controller.role)?.name];
  return names.map((name) => statusOf(pod, name)).filter((status) => status !== undefined).filter((status) => isCrashing(status, now));
}

function down(controller: DriverController): ControllerTrouble | undefined {
  const { pods, workload, lease } = controller;
  if (lease.state === 'fresh' || pods.items.some((pod) => runsSidecar(pod, controller))) return undefined;
  const [pod] = pods.items;
  const more = [...(workload?.object ? [field(workload.object, 'spec.replicas')] : []), ...leaseEvidence(controller)];
  if (pod) {
    return {
      kind: 'down',
      confidence: 'certain',
      words: `does not run: pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
      evidence: [podEvidence(pod), ...pods.items.slice(1, 3).map(podEvidence), ...more],
      fix: [fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`)],
    };
  }
  if (!workload?.object || (!pods.complete && workload.object.spec?.replicas !== 0)) return undefined;
  const { kind, namespace, name } = workload;
  const isZero = workload.object.spec?.replicas === 0;
  return {
    kind: 'down',
    confidence: 'certain',
    words: `does not run: ${kind.toLowerCase()}/${name} in namespace ${namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
    evidence: [note(workload.object, isZero ? 'wants no pods' : 'has no pods'), ...more],
    fix: [isZero ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind.toLowerCase()} ${shellWord(name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind.toLowerCase()} ${shellWord(name)}`)],
  };
}

/** A lease of 15 s is renewed every 5 s: what was done much later was done by one who needs no lease. */
const leftoverMs = 15_000;

function withoutLeader(controller: DriverController, now: number, heardAt: number | undefined): ControllerTrouble | undefined {
  const { lease, pods, role, driver } = controller;
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (lease.state !== 'stale' || !lease.object || renewed === undefined || leadsWithoutLease(controller)) return undefined;
  if (heardAt !== undefined && heardAt > renewed + leftoverMs) return undefined;
  const namespace = lease.object.metadata.namespace ?? '';
  const holder = lease.object.spec?.holderIdentity;
  const idle = pods.items.filter((pod) => runsSidecar(pod, controller));
  const since = `lease ${namespace}/${lease.name} for ${ageText(renewed, now)}${holder ? ` (last held by ${holder})` : ''}`;
  const evidence: [Evidence, ...Evidence[]] = [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity'), ...idle.slice(0, 3).map((pod) => note(pod, 'runs, and has not taken the lease'))];
  if (idle.length > 0) return { kind: 'idle', confidence: 'certain', words: `runs but does not lead: nobody has renewed ${since}`, evidence, fix: [logsFix(controller), logsFix(controller, 'driver')] };
  return {
    kind: 'down',
    confidence: pods.complete ? 'certain' : 'likely',
    words: `does not run: nobody has renewed ${since}`,
    evidence,
    fix: [fix(`start the ${role} of ${driver} again`, `kubectl ${inNamespace(namespace)}get deploy,sts,pods -o wide`), logsFix(controller)],
  };
}

const silenceMs = 600_000;

/** Neither lease nor pod nor workload, where all of them could be read. */
function unseen(controller: DriverController, now: number, heardAt: number | undefined): ControllerTrouble | undefined {
  const { lease, pods, workload, role, driver } = controller;
  if (lease.state !== 'missing' || !pods.complete || pods.items.length > 0 || workload || (heardAt !== undefined && now - heardAt < silenceMs)) return undefined;
  return {
    kind: 'unseen',
    confidence: 'likely',
    words: 'was found nowhere: neither a lease of it nor a pod',
    evidence: [absent('Lease', lease.name)],
    fix: [fix(`find the ${role} of ${driver}, or install the driver again`, 'kubectl get deploy,sts,ds -A | grep -i -e csi -e provisioner')],
  };
}
