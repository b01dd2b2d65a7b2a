import { findDriver, logsFix } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import { flagOf, sidecarOf } from '../../graph/driver-pods.ts';
import { ageText, parseTime } from '../../model/time.ts';
import type { Evidence } from '../../model/report.ts';
import { absent, eventSaid, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { claimRule } from '../../journey/rule.ts';
import type { Explanation } from '../../journey/rule.ts';
import type { PresentClaim } from '../../journey/claim-case.ts';
import { leaseEvidence, podEvidence, runsSidecar, whyNotRunning } from './controller-health.ts';
import { controllerOf, hasSpokenLately, isInTree, provisionerOf, spokenBy, waitedSeconds, waitsForExternal } from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/** pv_controller provisionClaimOperationExternal hands the claim over and waits for ever: nothing tells that nobody is there. */
export const provisionerNotRunning = claimRule({
  cause: 'provisioner-not-running',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner || isInTree(provisioner) || waitedSeconds(c) < startSeconds) return undefined;
    const controller = controllerOf(c, provisioner);
    const { lease, pods } = controller;
    if (lease.state === 'fresh' || pods.items.some((pod) => runsSidecar(pod, controller) || flagOf(sidecarOf(pod.spec, 'provisioner'), 'node-deployment') === 'true')) return undefined;
    return explainPods(provisioner, controller) ?? explainLease(c, provisioner, controller) ?? explainSilence(c, provisioner, controller);
  },
});

/** Its pods or its workload are there to see, and nothing of it runs. */
function explainPods(provisioner: Provisioner, controller: DriverController): Explanation | undefined {
  const { pods, workload } = controller;
  const [pod] = pods.items;
  const more = [...(workload?.object ? [field(workload.object, 'spec.replicas'), ...workloadTrouble(workload.object)] : []), ...leaseEvidence(controller)];
  const about = provisioner.name;
  if (pod) {
    return {
      about,
      summary: `the provisioner of ${provisioner.name} does not run: pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
      evidence: [podEvidence(pod), ...pods.items.slice(1, 3).map(podEvidence), ...more],
      fix: [fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`)],
    };
  }
  if (!workload?.object || (!pods.complete && workload.object.spec?.replicas !== 0)) return undefined;
  const { kind, namespace, name } = workload;
  const isZero = workload.object.spec?.replicas === 0;
  return {
    about,
    summary: `the provisioner of ${provisioner.name} does not run: ${kind.toLowerCase()}/${name} in namespace ${namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
    evidence: [note(workload.object, isZero ? 'wants no pods' : 'has no pods'), ...more],
    fix: [
      isZero ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind.toLowerCase()} ${shellWord(name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind.toLowerCase()} ${shellWord(name)}`),
    ],
  };
}

/** The leader stopped renewing its lease, and nobody else took it. */
function explainLease(c: PresentClaim, provisioner: Provisioner, controller: DriverController): Explanation | undefined {
  const { lease, pods } = controller;
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (lease.state !== 'stale' || !lease.object || renewed === undefined || hasSpokenLately(c, lease.object.spec?.renewTime)) return undefined;
  // A driver that was set up again without leader election leaves its lease behind.
  const madeSince = c.ask.seen('PersistentVolume').some((volume) => volume.spec?.csi?.driver === provisioner.name && (parseTime(volume.metadata.creationTimestamp) ?? 0) > renewed + 60_000);
  if (madeSince) return undefined;
  const namespace = lease.object.metadata.namespace ?? '';
  const holder = lease.object.spec?.holderIdentity;
  const said = waitsForExternal(c);
  return {
    confidence: pods.complete ? 'certain' : 'likely',
    about: provisioner.name,
    summary: `the provisioner of ${provisioner.name} does not run: nobody has renewed lease ${namespace}/${lease.name} for ${ageText(renewed, c.now)}${holder ? ` (last held by ${holder})` : ''}`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity'), ...(said ? [eventSaid(c.claim, said.event)] : [])],
    fix: [fix(`look for the controller of ${provisioner.name} and start it again: the claim then goes on by itself`, `kubectl ${inNamespace(namespace)}get deploy,sts,pods -o wide`), logsFix(controller)],
  };
}

/** Neither lease nor pod: proven only as far as everything could be read. */
function explainSilence(c: PresentClaim, provisioner: Provisioner, controller: DriverController): Explanation | undefined {
  const { lease, pods } = controller;
  if (lease.object || waitedSeconds(c) < silenceSeconds || spokenBy(c).length > 0) return undefined;
  const said = waitsForExternal(c);
  const isLookedFor = lease.state === 'missing' || pods.complete;
  if (!isLookedFor && !(said && c.events.complete)) return undefined;
  if (c.askedProvisioner === undefined && !said) return undefined;
  const traces = provisioner.isCsi ? findDriver(c.ask, provisioner.name) : undefined;
  const waited = ageText(c.now - waitedSeconds(c) * 1000, c.now);
  const isInstalled = traces?.object.state === 'found' || (traces?.nodes.items.length ?? 0) > 0;
  return {
    confidence: isLookedFor && (pods.complete || said) ? 'likely' : 'possible',
    about: provisioner.name,
    summary: isLookedFor
      ? `nobody answers for ${provisioner.name}: ${isInstalled ? 'the driver is installed, but ' : ''}no provisioner of it was found running, and none has said a word in ${waited}`
      : `nobody has answered for ${provisioner.name} in ${waited}, and whether its provisioner runs could not be read`,
    evidence: [
      lease.state === 'missing' ? absent('Lease', lease.name) : note(c.claim, `asked ${c.askedProvisioner ?? provisioner.name} to provision`),
      ...(traces?.object.state === 'found' ? [note(traces.object.object, 'the driver is installed')] : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [fix(`find the controller of ${provisioner.name} and start it`, 'kubectl get deploy,sts,ds -A | grep -i -e csi -e provisioner'), logsFix(controller)],
  };
}

function workloadTrouble(workload: NonNullable<NonNullable<DriverController['workload']>['object']>): Evidence[] {
  const failure = workload.status?.conditions?.find((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True');
  return failure ? [field(workload, 'status.conditions[ReplicaFailure]', failure.message ?? failure.reason)] : [];
}
