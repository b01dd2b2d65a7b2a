import { driverContainerOf, sidecarOf } from '../../graph/driver-pods.ts';
import { findController, logsFix } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import type { Explanation } from '../../journey/rule.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { crashEvidence, isCrashing, leaseEvidence, podEvidence, runsSidecar, statusOf, whyNotRunning } from '../provision/controller-health.ts';

/** What is known of the sidecar that grows and changes volumes. */
export type ResizerHealth = { readonly state: 'runs' | 'unseen'; readonly controller: DriverController } | ({ readonly state: 'down' } & Pick<Explanation, 'confidence' | 'summary' | 'evidence' | 'fix'> & { readonly controller: DriverController });

/** external-resizer speaks and leaves conditions only while it lives: its lease, its pods and its workload tell whether it does. */
export function resizerHealth(ask: Inquiry, driver: string): ResizerHealth {
  const controller = findController(ask, driver, 'resizer');
  const { lease, pods } = controller;
  if (lease.state === 'fresh') return { state: 'runs', controller };
  const crashed = pods.items.flatMap((pod) => [driverContainerOf(pod.spec)?.name, sidecarOf(pod.spec, 'resizer')?.name].map((name) => ({ pod, status: statusOf(pod, name) }))).find(({ status }) => isCrashing(status, ask.now));
  const running = pods.items.find((pod) => runsSidecar(pod, controller));
  if (crashed?.status && (!running || running === crashed.pod)) {
    const { pod, status } = crashed;
    const container = status.name ?? '';
    return {
      state: 'down',
      controller,
      summary: `container ${container} of pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) keeps crashing`,
      evidence: [...crashEvidence(pod, status), ...leaseEvidence(controller)],
      fix: [fix('read why it died', `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(container)} --previous --tail=50`)],
    };
  }
  if (running && lease.state !== 'stale') return { state: 'runs', controller };
  return running ? leaderGone(controller, ask.now) : notRunning(controller, ask.now);
}

function leaderGone(controller: DriverController, now: number): ResizerHealth {
  const { lease, workload } = controller;
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (!lease.object || renewed === undefined) return { state: 'runs', controller };
  return {
    state: 'down',
    confidence: 'likely',
    controller,
    summary: `it runs but does not lead: lease ${lease.object.metadata.namespace ?? ''}/${lease.name} was last renewed ${ageText(renewed, now)} ago`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
    fix: [logsFix(controller), ...(workload ? [fix('restart the controller', `kubectl ${inNamespace(workload.namespace)}rollout restart ${workload.kind.toLowerCase()} ${shellWord(workload.name)}`, 'disruptive')] : [])],
  };
}

function notRunning(controller: DriverController, now: number): ResizerHealth {
  const { driver, lease, pods, workload } = controller;
  const [pod] = pods.items;
  if (pod) {
    return {
      state: 'down',
      controller,
      summary: `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
      evidence: [podEvidence(pod), ...leaseEvidence(controller)],
      fix: [fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`)],
    };
  }
  if (workload?.object && (pods.complete || workload.object.spec?.replicas === 0)) {
    const { kind, namespace, name, object } = workload;
    const isZero = object.spec?.replicas === 0;
    return {
      state: 'down',
      controller,
      summary: `${kind.toLowerCase()}/${name} in namespace ${namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
      evidence: [field(object, 'spec.replicas'), ...leaseEvidence(controller)],
      fix: [isZero ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind.toLowerCase()} ${shellWord(name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind.toLowerCase()} ${shellWord(name)}`)],
    };
  }
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (lease.state === 'stale' && lease.object && renewed !== undefined) {
    const namespace = lease.object.metadata.namespace ?? '';
    return {
      state: 'down',
      controller,
      summary: `nobody has renewed lease ${namespace}/${lease.name} for ${ageText(renewed, now)}`,
      evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
      fix: [fix(`start the controller of ${driver} again`, `kubectl ${inNamespace(namespace)}get deploy,sts,pods -o wide`)],
    };
  }
  if (lease.state === 'missing' || pods.complete) {
    const beside = neighbourOf(controller, pods.complete);
    return {
      state: 'down',
      confidence: 'likely',
      controller,
      summary: `no csi-resizer was found${beside}`,
      evidence: [lease.state === 'missing' ? absent('Lease', lease.name) : note({ kind: 'CSIDriver', metadata: { name: driver } }, 'no pod holds a csi-resizer container for it')],
      fix: [fix(`deploy the csi-resizer sidecar beside the controller of ${driver}, if the driver can grow volumes at all`, 'kubectl get deploy,sts,ds -A | grep -i -e csi -e resizer')],
    };
  }
  return { state: 'unseen', controller };
}

function neighbourOf({ workload }: DriverController, isComplete: boolean): string {
  if (workload) return ` in ${workload.kind.toLowerCase()}/${workload.name}`;
  return isComplete ? ' beside the driver' : '';
}
