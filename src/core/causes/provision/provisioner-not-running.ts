import { findDriver, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import {
  leaseTrouble,
  podTrouble,
  runsSidecar,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import { absent, eventSaid, fix, note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import {
  controllerOf,
  explainTrouble,
  externalProvisionerOf,
  hasSpokenLately,
  spokenBy,
  waitedSeconds,
  waitsForExternal,
} from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';
import { namesakeOf, renameServer, serverEvidence, serverText } from './served-elsewhere.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/** pv_controller provisionClaimOperationExternal hands the claim over and waits for ever: nothing tells that nobody is there. */
export const provisionerNotRunning = claimRule({
  cause: 'provisioner-not-running',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner || waitedSeconds(c) < startSeconds) return undefined;
    const controller = controllerOf(c, provisioner);
    const { lease, pods } = controller;
    if (
      lease.state === 'fresh' ||
      pods.items.some(
        (pod) =>
          runsSidecar(pod, controller) || flagOf(sidecarOf(pod.spec, 'provisioner'), 'node-deployment') === 'true',
      )
    )
      return undefined;
    return (
      explainPods(provisioner, controller) ??
      explainLease(c, provisioner, controller) ??
      explainSilence(c, provisioner, controller)
    );
  },
});

/** Its pods or its workload are there to see, and nothing of it runs. */
function explainPods(provisioner: Provisioner, controller: DriverController): Explanation | undefined {
  const trouble = podTrouble(controller) ?? workloadTrouble(controller);
  return trouble && explainTrouble(provisioner, trouble);
}

/** The leader stopped renewing its lease, and nobody else took it. */
function explainLease(
  c: PresentClaim,
  provisioner: Provisioner,
  controller: DriverController,
): Explanation | undefined {
  const { name } = provisioner;
  const renewTime = controller.lease.object?.spec?.renewTime;
  const renewed = parseTime(renewTime);
  const trouble = leaseTrouble(controller, `the provisioner of ${name}`, c.now);
  if (!trouble || renewed === undefined || hasSpokenLately(c, renewTime)) return undefined;
  // A driver that was set up again without leader election leaves its lease behind.
  const hasMadeSince = (): boolean =>
    c.ask
      .seen('PersistentVolume')
      .some(
        (volume) =>
          volume.spec?.csi?.driver === name && (parseTime(volume.metadata.creationTimestamp) ?? 0) > renewed + 60_000,
      );
  if (c.ask.graph.remember(`made since the lease of ${name}`, hasMadeSince)) return undefined;
  const said = waitsForExternal(c);
  return {
    ...explainTrouble(provisioner, withLogs(trouble, logsFix(controller))),
    confidence: controller.pods.complete ? 'certain' : 'likely',
    evidence: [...trouble.evidence, ...(said ? [eventSaid(c.claim, said.event)] : [])],
  };
}

/** Neither lease nor pod: proven only as far as everything could be read. */
function explainSilence(
  c: PresentClaim,
  provisioner: Provisioner,
  controller: DriverController,
): Explanation | undefined {
  const { lease, pods } = controller;
  if (lease.object || waitedSeconds(c) < silenceSeconds || spokenBy(c).length > 0) return undefined;
  const said = waitsForExternal(c);
  const isLookedFor = lease.state === 'missing' || pods.complete;
  if (!isLookedFor && !(said && c.events.complete)) return undefined;
  if (c.askedProvisioner === undefined && !said) return undefined;
  const traces = provisioner.isCsi ? findDriver(c.ask, provisioner.name) : undefined;
  const waited = ageText(c.now - waitedSeconds(c) * 1000, c.now);
  const isInstalled = traces?.object.state === 'found' || (traces?.nodes.items.length ?? 0) > 0;
  const namesake = namesakeOf(c, provisioner);
  return {
    confidence: isLookedFor && (pods.complete || said) ? 'likely' : 'possible',
    about: provisioner.name,
    summary: isLookedFor
      ? `nobody answers for ${provisioner.name}: ${isInstalled ? 'the driver is installed, but ' : ''}no provisioner of it was found running, and none has said a word in ${waited}${namesake ? `; ${serverText(namesake.server)} serves ${namesake.server.name}` : ''}`
      : `nobody has answered for ${provisioner.name} in ${waited}, and whether its provisioner runs could not be read`,
    evidence: [
      lease.state === 'missing'
        ? absent('Lease', lease.name)
        : note(c.claim, `asked ${c.askedProvisioner ?? provisioner.name} to provision`),
      ...(isLookedFor && namesake ? [serverEvidence(namesake.server)] : []),
      ...(traces?.object.state === 'found' ? [note(traces.object.object, 'the driver is installed')] : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      fix(
        `find the controller of ${provisioner.name} and start it`,
        'kubectl get deploy,sts,ds -A | grep -i -e csi -e provisioner',
      ),
      logsFix(controller),
      ...(isLookedFor && namesake?.isLikely ? [renameServer(namesake.server, provisioner.name)] : []),
    ],
  };
}
