import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import {
  leaseTrouble,
  podTrouble,
  runsSidecar,
  startUnseen,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import { flagOf, holdsAllWords, mentionsDriver, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { findDriver, untiedPods } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { leasesAtHand } from '../../facts/driver/driver-lease.ts';
import type { Lease, Pod } from '../../kube/kinds.ts';
import { absent, field, note, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { steps } from '../lib/steps.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
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
import { readProvisionerLog } from './provisioner-log.ts';
import { namesakeOf, renameServer, serverEvidence, serverText, useNamesake } from './served-elsewhere.ts';
import type { Namesake } from './served-elsewhere.ts';

const startSeconds = 20;
const silenceSeconds = 120;

/**
 * pv_controller provisionClaimOperationExternal hands the claim over and waits forever: no event reports that there is
 * no provisioner.
 */
export const provisionerNotRunning = claimRule({
  cause: 'provisioner-not-running',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner) return undefined;
    const controller = controllerOf(c, provisioner);
    if (isRunning(controller) || (waitedSeconds(c) < startSeconds && !isScaledDown(controller))) return undefined;
    return (
      explainPods(provisioner, controller) ??
      explainLease(c, provisioner, controller) ??
      explainFutureLease(c, provisioner, controller) ??
      explainSilence(c, provisioner, controller)
    );
  },
});

/** With --node-deployment there is a provisioner on each node, which provision-node-deployment-unowned judges. */
function isRunning(controller: DriverController): boolean {
  return (
    controller.lease.state === 'fresh' ||
    controller.pods.items.some(
      (pod) => runsSidecar(pod, controller) || flagOf(sidecarOf(pod.spec, 'provisioner'), 'node-deployment') === 'true',
    )
  );
}

/** No replica is wanted: that does not pass with time. */
function isScaledDown({ workload, pods }: DriverController): boolean {
  return workload?.object?.spec?.replicas === 0 && pods.items.length === 0;
}

/** Its pods or its workload could be read, and nothing of it runs. */
function explainPods(provisioner: Provisioner, controller: DriverController): Explanation | undefined {
  const trouble = podTrouble(controller) ?? workloadTrouble(controller);
  return (
    trouble && {
      ...explainDown(provisioner, trouble),
      ...(isKnownByName(provisioner, controller) && { confidence: 'likely' as const }),
    }
  );
}

/** Nothing says for which driver they work, and their names have only a part of its name. */
function isKnownByName({ name }: Provisioner, { lease, pods, workload }: DriverController): boolean {
  const specs = [
    ...pods.items.map(({ metadata, spec }) => ({ of: metadata.name, spec })),
    ...(workload ? [{ of: workload.name, spec: workload.object?.spec?.template?.spec }] : []),
  ];
  return (
    lease.object === undefined &&
    !specs.some(({ of, spec }) => mentionsDriver(spec, name) || holdsAllWords(of, spec, name))
  );
}

/** The leader stopped renewing its lease, and no other instance took it. */
function explainLease(
  c: PresentClaim,
  provisioner: Provisioner,
  controller: DriverController,
): Explanation | undefined {
  const renewTime = controller.lease.object?.spec?.renewTime;
  const renewed = parseTime(renewTime);
  const trouble = leaseTrouble(controller, `the provisioner of ${provisioner.name}`, c.now);
  if (!trouble || renewed === undefined || hasSpokenLately(c, renewTime)) return undefined;
  if (hasProvisionedSince(c, provisioner, renewed)) return undefined;
  const siblings = aliveSiblings(c, provisioner);
  const down = explainDown(provisioner, trouble);
  return {
    ...down,
    summary: siblings.length > 0 ? `${down.summary} The other sidecars of the driver are alive.` : down.summary,
    confidence: controller.pods.complete ? 'certain' : 'likely',
    evidence: [
      ...trouble.evidence,
      ...siblings.map((lease) => field(lease, 'spec.renewTime')),
      ...saidOnClaim(c, waitsForExternal(c)),
    ],
  };
}

/** A renewal that is yet to come was written by a clock that is ahead, or by hand: it proves nothing about life. */
function explainFutureLease(
  c: PresentClaim,
  provisioner: Provisioner,
  { lease: { object: lease }, pods }: DriverController,
): Explanation | undefined {
  const renewed = parseTime(lease?.spec?.renewTime);
  if (!lease || renewed === undefined || renewed <= c.now || waitedSeconds(c) < silenceSeconds) return undefined;
  const said = waitsForExternal(c);
  if (spokenBy(c).length > 0 || (c.askedProvisioner === undefined && !said)) return undefined;
  const { name, namespace = '' } = lease.metadata;
  const holder = lease.spec?.holderIdentity;
  return {
    confidence: pods.complete ? 'likely' : 'possible',
    about: provisioner.name,
    summary:
      `No provisioner of ${provisioner.name} has reported anything in ${waitedText(c)}, and no pod of one was ` +
      `found running. The last renewal of lease ${namespace}/${name} is in the future, so it does not show ` +
      `whether its holder${holder ? ` "${holder}"` : ''} is alive.`,
    evidence: [
      field(lease, 'spec.renewTime'),
      ...(holder ? [field(lease, 'spec.holderIdentity')] : []),
      ...saidOnClaim(c, said),
    ],
    fix: [startUnseen(`the provisioner of ${provisioner.name}`, holder)],
  };
}

const freshSeconds = 30;

/** Leases of the driver's other sidecars that are renewed: then the driver runs, and only the provisioner is down. */
function aliveSiblings(c: PresentClaim, { name }: Provisioner): readonly Lease[] {
  return leasesAtHand(c.ask, name).filter(({ spec }) => {
    const renewed = parseTime(spec?.renewTime);
    return renewed !== undefined && Math.abs(c.now - renewed) / 1000 < freshSeconds;
  });
}

/** The gold form of the sentence: what is missing, and what proves it. */
function explainDown(provisioner: Provisioner, trouble: ControllerTrouble): Explanation {
  const { reason, fix } = trouble;
  const { name } = provisioner;
  return {
    ...explainTrouble(provisioner, trouble),
    summary: `No provisioner is running for ${name}: ${reason ?? trouble.words}.`,
    fix,
  };
}

/**
 * A driver that was redeployed without leader election leaves its old lease behind, and continues to create volumes.
 */
function hasProvisionedSince(c: PresentClaim, { name }: Provisioner, renewed: number): boolean {
  return c.ask.graph.remember(`made since the lease of ${name}`, () =>
    c.ask
      .seen('PersistentVolume')
      .some(
        ({ spec, metadata }) =>
          spec?.csi?.driver === name && (parseTime(metadata.creationTimestamp) ?? 0) > renewed + 60_000,
      ),
  );
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
  const isInstalled = provisioner.isCsi && hasDriverTraces(c, provisioner);
  const namesake = namesakeOf(c, provisioner);
  const [untied] = namesake ? [] : untiedPods(c.ask, provisioner.name, 'provisioner');
  if (untied) return explainUntied(c, provisioner, controller, untied);
  return {
    confidence: isLookedFor && (pods.complete || said) ? 'likely' : 'possible',
    about: provisioner.name,
    summary: isLookedFor
      ? absenceText(c, provisioner, isInstalled, namesake)
      : `No provisioner has answered for ${provisioner.name} in ${waitedText(c)}, and whether one runs could not be read.`,
    evidence: silenceEvidence(c, provisioner, controller, isLookedFor ? namesake : undefined),
    fix: isLookedFor
      ? adviseSilence(c, provisioner, namesake)
      : [
          startUnseen(`the provisioner of ${provisioner.name}`),
          readProvisionerLog(c, controller, 'If it is running, read'),
        ],
  };
}

/** A provisioner runs that names no driver: whether it is the one that is looked for, only its log shows. */
function explainUntied(c: PresentClaim, provisioner: Provisioner, controller: DriverController, pod: Pod): Explanation {
  const { name } = provisioner;
  const { namespace = '' } = pod.metadata;
  const place = `pod/${pod.metadata.name} in namespace ${namespace}`;
  const container = sidecarOf(pod.spec, 'provisioner')?.name ?? '';
  return {
    confidence: 'possible',
    about: name,
    summary:
      `No provisioner of ${name} has reported anything in ${waitedText(c)}. A provisioner runs in ${place}, but it ` +
      `could not be tied to ${name}: nothing in its pod names that driver, nor another one.`,
    evidence: [
      ...silenceEvidence(c, provisioner, controller, undefined),
      note(pod, `container ${container} runs, and names no driver`),
    ],
    fix: [
      steps(
        `Check whether ${place} serves ${name}: its log names the lock or the driver that it works for. If it says ` +
          '"forbidden", reapply the RBAC of the driver\'s release; it then continues within a few minutes.',
        [
          `kubectl -n ${shellWord(namespace)} logs ${shellWord(pod.metadata.name)} -c ${shellWord(container)} | ` +
            `grep -i -F -e ${shellWord(name)} -e ${shellWord(name.replaceAll(/[^A-Za-z0-9]/g, '-'))} -e forbidden`,
        ],
      ),
      startUnseen(`the provisioner of ${name}`),
    ],
  };
}

function hasDriverTraces(c: PresentClaim, { name }: Provisioner): boolean {
  const traces = findDriver(c.ask, name);
  return traces.object.state === 'found' || traces.nodes.items.length > 0;
}

function waitedText(c: PresentClaim): string {
  return ageText(c.now - waitedSeconds(c) * 1000, c.now);
}

function absenceText(
  c: PresentClaim,
  { name }: Provisioner,
  isInstalled: boolean,
  namesake: Namesake | undefined,
): string {
  const installed = isInstalled ? 'The driver is installed, but no' : 'No';
  const other = namesake ? ` The provisioner in ${serverText(namesake.server)} serves ${namesake.server.name}.` : '';
  return `${installed} provisioner of ${name} was found running, and none has reported anything in ${waitedText(c)}.${other}`;
}

function silenceEvidence(
  c: PresentClaim,
  provisioner: Provisioner,
  { lease }: DriverController,
  namesake: Namesake | undefined,
): Explanation['evidence'] {
  const driver = provisioner.isCsi ? findDriver(c.ask, provisioner.name).object : undefined;
  return [
    lease.state === 'missing'
      ? absent('Lease', lease.name)
      : note(c.claim, `asked ${c.askedProvisioner ?? provisioner.name} to provision`),
    ...(namesake ? [serverEvidence(namesake.server)] : []),
    ...(driver?.state === 'found' ? [note(driver.object, 'the driver is installed')] : []),
    ...saidOnClaim(c, waitsForExternal(c)),
  ];
}

function adviseSilence(c: PresentClaim, { name }: Provisioner, namesake: Namesake | undefined): Fix[] {
  const start = startUnseen(`the provisioner of ${name}`);
  if (!namesake?.isLikely) return [start];
  return [useNamesake(c, namesake.server), ...renameServer(namesake.server, name), start];
}
