import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { lastSeen } from '../../graph/events.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { runsSidecar, usesLeaderElection } from '../../facts/driver/controller-health.ts';
import {
  controllerOf,
  hasFailed,
  isInTree,
  provisionerOf,
  spokenBy,
  waitedSeconds,
  waitsForExternal,
} from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';
import { waitsForSource } from './data-source-rules.ts';

const silenceSeconds = 120;
/** A call that runs into its time limit is told at once; nothing told some time after it means that something else hangs. */
const usualTimeoutSeconds = 20;
const afterTimeoutSeconds = 20;

/** Last in its stage: the provisioner lives, and has said neither why nor that it failed. */
export const provisionerSilent = claimRule({
  cause: 'provisioner-silent',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (
      !provisioner ||
      c.askedProvisioner === undefined ||
      isInTree(provisioner) ||
      hasFailed(c) ||
      isForPopulator(c) ||
      waitsForSource(c)
    )
      return undefined;
    const controller = controllerOf(c, provisioner);
    const started = spokenBy(c)
      .filter((event) => event.reason === 'Provisioning')
      .sort((a, b) => lastSeen(b) - lastSeen(a))[0];
    // Where leader election is on, a pod that runs without the lease is not at work.
    const isAlive =
      controller.lease.state === 'fresh' ||
      controller.pods.items.some(
        (pod) =>
          runsSidecar(pod, controller) &&
          isReady(pod) &&
          (controller.lease.state === 'unknown' || !usesLeaderElection(pod, controller)),
      );
    const waited = waitedSeconds(c);
    if (
      started === undefined
        ? !isAlive || waited < silenceSeconds
        : (c.now - lastSeen(started)) / 1000 < patienceOf(c, provisioner)
    )
      return undefined;
    const said = waitsForExternal(c);
    const { lease, leader } = controller;
    const evidence: [Evidence, ...Evidence[]] = [
      note(c.claim, `no volume after ${ageText(c.now - waited * 1000, c.now)}`),
      ...(lease.object ? [field(lease.object, 'spec.renewTime')] : []),
      ...(leader ? [note(leader, 'runs')] : []),
      ...(started ? [eventSaid(c.claim, started)] : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ];
    // An error of the driver is kept in events only: whether it was silent is not known without them.
    const isUnread = !c.events.complete && started === undefined;
    const account = (leader ?? controller.pods.items[0])?.spec?.serviceAccountName;
    const namespace = (leader ?? controller.pods.items[0])?.metadata.namespace;
    return {
      confidence:
        c.events.complete && (started || controller.lease.state !== 'unknown' || !isAlive) ? 'likely' : 'possible',
      about: provisioner.name,
      summary: started
        ? `the provisioner of ${provisioner.name} began to make the volume ${ageText(lastSeen(started), c.now)} ago and has told neither success nor failure since: it may lack the right to create volumes`
        : isUnread
          ? `the provisioner of ${provisioner.name} is alive and has made no volume yet; why, only the events of the claim would tell, and they were not read`
          : `the provisioner of ${provisioner.name} is alive but has not said a word about the claim: it may lack rights, serve another name, or be too old for this server`,
      evidence,
      fix: [
        ...(isUnread
          ? [
              fix(
                'read the events of the claim: what the driver answers stands nowhere else',
                `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
              ),
            ]
          : []),
        logsFix(controller),
        ...(isUnread && controller.driverContainer !== undefined ? [logsFix(controller, 'driver')] : []),
        ...(account !== undefined && namespace !== undefined
          ? [
              fix(
                'see whether it may create volumes',
                `kubectl auth can-i create persistentvolumes --as=system:serviceaccount:${namespace}:${account}`,
              ),
            ]
          : []),
      ],
    };
  },
});

/** How long a call may take before the provisioner must have said something. */
function patienceOf(c: PresentClaim, provisioner: Provisioner): number {
  const pod = controllerOf(c, provisioner).pods.items[0];
  const seconds = secondsOf(flagOf(sidecarOf(pod?.spec, 'provisioner'), 'timeout')) ?? usualTimeoutSeconds;
  return Math.max(usualTimeoutSeconds, seconds) + afterTimeoutSeconds;
}

function secondsOf(duration: string | undefined): number | undefined {
  const match = duration === undefined ? null : /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration);
  if (!match || duration === '') return undefined;
  return Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
}

/** A volume populator makes the volume in place of the provisioner, which then keeps silent rightly. */
function isForPopulator(c: PresentClaim): boolean {
  const kind = (c.claim.spec?.dataSourceRef ?? c.claim.spec?.dataSource)?.kind;
  return kind !== undefined && kind !== 'VolumeSnapshot' && kind !== 'PersistentVolumeClaim';
}
