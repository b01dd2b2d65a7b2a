import { controllerContainerOf, findSnapshotController, snapshotControllerLogs } from '../../graph/snapshot-controller.ts';
import type { SnapshotController } from '../../graph/snapshot-controller.ts';
import { componentOf } from '../../graph/events.ts';
import type { Pod } from '../../model/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../model/report.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { isReady } from '../../journey/pod-state.ts';
import type { SnapshotCase } from '../../journey/snapshot-case.ts';
import { isRunning, podEvidence, statusOf, whyNotRunning } from '../provision/controller-health.ts';

/** Why the snapshot controller does not act, as a part of a sentence, with its proof. */
export interface ControllerTrouble {
  readonly confidence: Confidence;
  readonly words: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
}

const takeOverSeconds = 60;

/** Proven by its lease, its pods or its workload. A missing lease alone proves nothing: leader election is optional. */
export function provenTrouble(s: SnapshotCase): ControllerTrouble | undefined {
  const controller = findSnapshotController(s.ask);
  const { lease, pods, workload } = controller;
  if (lease.state === 'fresh' || hasActedWithout(s, controller)) return undefined;
  const running = pods.items.filter(runsController);
  const leaseProof = lease.object ? [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')] : [];
  if (running.length > 0) {
    const idle = running.filter((pod) => s.secondsSince(statusOf(pod, controllerContainerOf(pod.spec)?.name)?.state?.running?.startedAt) > takeOverSeconds);
    const [pod] = idle;
    if (lease.state !== 'stale' || !lease.object || !pod) return undefined;
    return {
      confidence: 'certain',
      words: `runs but does not lead (nobody has renewed lease ${lease.object.metadata.namespace ?? ''}/${lease.name} for ${leaseAge(s, controller)})`,
      evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity'), ...idle.slice(0, 2).map((candidate) => note(candidate, 'runs, and has not taken the lease'))],
      fix: [snapshotControllerLogs(controller), fix('restart it', `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`, 'disruptive')],
    };
  }
  const [pod] = pods.items;
  if (pod) {
    return {
      confidence: pods.complete || lease.state === 'stale' ? 'certain' : 'likely',
      words: `does not run: pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
      evidence: [podEvidence(pod), ...leaseProof],
      fix: [fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`), snapshotControllerLogs(controller)],
    };
  }
  if (workload && (pods.complete || workload.spec?.replicas === 0)) {
    const kind = workload.kind.toLowerCase();
    const { name, namespace } = workload.metadata;
    const isZero = workload.spec?.replicas === 0;
    return {
      confidence: 'certain',
      words: `does not run: ${kind}/${name} in namespace ${namespace ?? ''} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
      evidence: [field(workload, 'spec.replicas'), ...leaseProof],
      fix: [isZero ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind} ${shellWord(name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind} ${shellWord(name)}`)],
    };
  }
  if (lease.state !== 'stale' || !lease.object) return undefined;
  const holder = lease.object.spec?.holderIdentity;
  return {
    confidence: 'certain',
    words: `does not run: nobody has renewed lease ${lease.object.metadata.namespace ?? ''}/${lease.name} for ${leaseAge(s, controller)}${holder ? ` (last held by ${holder})` : ''}`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
    fix: [fix('start the snapshot controller again: it takes up by itself what was left', `kubectl ${inNamespace(lease.object.metadata.namespace)}get deploy,pods -o wide`), snapshotControllerLogs(controller)],
  };
}

/** Nothing of it was found, and it has not said a word. */
export function silentTrouble(s: SnapshotCase): ControllerTrouble | undefined {
  const controller = findSnapshotController(s.ask);
  const { lease, pods } = controller;
  if (lease.object || pods.items.length > 0 || !s.snapshot || s.ask.isUnasked('Lease', { fieldSelector: `metadata.name=${lease.name}` })) return undefined;
  const spoken = s.ask.eventsOf(s.snapshot).items.some((event) => /snapshot-controller/.test(componentOf(event)));
  if (spoken) return undefined;
  return {
    confidence: 'likely',
    words: controller.isNowhere ? 'is not installed: there is neither its lease nor a workload of it' : 'does not answer, and whether it runs could not be seen',
    evidence: [lease.state === 'missing' ? absent('Lease', lease.name) : note(s.snapshot, 'has neither a status nor a finalizer of the snapshot controller')],
    fix: [
      fix('install the snapshot controller: it is not part of any CSI driver, and a cluster needs one', 'kubectl get deploy -A | grep -i snapshot-controller'),
      fix('where the provider runs it out of sight, ask there whether snapshots are switched on'),
    ],
  };
}

/** It has written something since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithout(s: SnapshotCase, { lease }: SnapshotController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined) return false;
  const own = s.error?.object.kind === 'VolumeSnapshot' ? s.error.time : undefined;
  const made = s.isPreProvisioned ? undefined : s.content?.metadata.creationTimestamp;
  return [own, made].some((time) => (parseTime(time) ?? 0) > renewed + takeOverSeconds * 1000);
}

function runsController(pod: Pod): boolean {
  const status = statusOf(pod, controllerContainerOf(pod.spec)?.name);
  return status ? isRunning(status) && status.ready !== false : pod.status?.phase === 'Running' && isReady(pod);
}

function leaseAge(s: SnapshotCase, { lease }: SnapshotController): string {
  return ageText(parseTime(lease.object?.spec?.renewTime) ?? 0, s.now);
}
