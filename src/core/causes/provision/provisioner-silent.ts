import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import { atLeast } from '../../kube/version.ts';
import { ageText } from '../../kube/time.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { lastSeen } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { selfLinkText } from '../lib/driver-error/sentences/provisioner.ts';
import { lostNamespaceOf } from './lost-namespace.ts';
import { readProvisionerLog } from './provisioner-log.ts';
import { waitsForSource } from './data-source-rules.ts';
import {
  controllerOf,
  failure,
  hasFailed,
  isInTree,
  provisionerOf,
  waitedSeconds,
  waitsForExternal,
} from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';
import { isControllerAlive, lastStart, patienceOf } from './running-call.ts';
import { timesSeen } from './provision-error.ts';

const silenceSeconds = 120;

/** Last in its stage: the provisioner is alive, and has reported neither success nor failure. */
export const provisionerSilent = claimRule({
  cause: 'provisioner-silent',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner || !isExpectedToAnswer(c, provisioner)) return undefined;
    const silence = findSilence(c, provisioner);
    if (!silence) return undefined;
    return {
      confidence: confidenceOf(c, silence),
      about: provisioner.name,
      summary: summaryOf(c, provisioner, silence),
      evidence: evidenceOf(c, silence),
      fix: advise(c, silence),
    };
  },
});

function isExpectedToAnswer(c: PresentClaim, provisioner: Provisioner): boolean {
  return (
    c.askedProvisioner !== undefined &&
    !isInTree(provisioner) &&
    (!hasFailed(c) || needsSelfLink(c) !== undefined) &&
    !isForPopulator(c) &&
    !waitsForSource(c)
  );
}

/** Its library cannot refer to a claim without selfLink, so it records no event: only its log has this. */
function needsSelfLink(c: PresentClaim): KubeEvent | undefined {
  return failure(c, selfLinkText)?.event;
}

/** A volume populator creates the volume instead of the provisioner, which is then silent rightly. */
function isForPopulator(c: PresentClaim): boolean {
  const kind = (c.claim.spec?.dataSourceRef ?? c.claim.spec?.dataSource)?.kind;
  return kind !== undefined && kind !== 'VolumeSnapshot' && kind !== 'PersistentVolumeClaim';
}

interface Silence {
  readonly controller: DriverController;
  readonly isAlive: boolean;
  /** The provisioner reported that it began. */
  readonly started: KubeEvent | undefined;
  /** Its log names selfLink. */
  readonly logged: KubeEvent | undefined;
}

/** The provisioner had long enough to answer: since it began, or, if it is alive, since it was asked. */
function findSilence(c: PresentClaim, provisioner: Provisioner): Silence | undefined {
  const controller = controllerOf(c, provisioner);
  const started = lastStart(c);
  const logged = needsSelfLink(c);
  const isAlive = isControllerAlive(controller);
  const isOverdue = started
    ? (c.now - lastSeen(started)) / 1000 >= patienceOf(controller)
    : isAlive && waitedSeconds(c) >= silenceSeconds;
  return isOverdue || logged ? { controller, isAlive, started, logged } : undefined;
}

/** Only events keep an error of the driver: without them it is not known whether the provisioner was silent. */
function isUnread(c: PresentClaim, { started, logged }: Silence): boolean {
  return !c.events.complete && started === undefined && logged === undefined;
}

function confidenceOf(c: PresentClaim, { controller, isAlive, started, logged }: Silence): Confidence {
  if (logged) return 'likely';
  const isKnown = started !== undefined || controller.lease.state !== 'unknown' || !isAlive;
  return c.events.complete && isKnown ? 'likely' : 'possible';
}

/** Each start after the first is a retry: the calls before it have failed. */
function startText(c: PresentClaim, started: KubeEvent): string {
  const ago = `${ageText(lastSeen(started), c.now)} ago`;
  const times = timesSeen(started);
  return times > 1 ? `${times} times, the last time ${ago},` : ago;
}

function summaryOf(c: PresentClaim, { name }: Provisioner, silence: Silence): string {
  const { started, logged } = silence;
  if (logged)
    return (
      `The provisioner of ${name} cannot create the volume of ${claimText(c)}: it needs selfLink, which Kubernetes ` +
      'has not filled in since 1.20.'
    );
  if (started)
    return (
      `The provisioner of ${name} started to create the volume of ${claimText(c)} ${startText(c, started)} ` +
      `and has reported neither success nor failure${timesSeen(started) > 1 ? '' : ' since'}.${silence.isAlive ? ' It is alive; only its log holds the reason.' : ' Only its log holds the reason.'}`
    );
  if (isUnread(c, silence))
    return (
      `The provisioner of ${name} is alive and has created no volume for ${claimText(c)} yet. Only the ` +
      'events of the claim would show why, and they were not read.'
    );
  const retired = retiredOf(c, silence);
  return (
    `The provisioner of ${name} is alive and has reported nothing about ${claimText(c)}. ` +
    `${
      retired
        ? `Its image ${retired.image} is of a project that was archived before Kubernetes 1.20 removed selfLink ` +
          'from objects, without which it most likely cannot create volumes.'
        : (lostNamespaceOf(c)?.words ?? 'Only its log holds the reason.')
    }`
  );
}

function evidenceOf(c: PresentClaim, silence: Silence): Explanation['evidence'] {
  const { controller, started, logged } = silence;
  const { lease, leader } = controller;
  const retired = retiredOf(c, silence);
  const lost = lostNamespaceOf(c);
  return [
    note(c.claim, `no volume after ${ageText(c.now - waitedSeconds(c) * 1000, c.now)}`),
    ...(lease.object ? [field(lease.object, 'spec.renewTime')] : []),
    ...(leader ? [note(leader, 'runs')] : []),
    ...(retired ? [field(retired.pod, `spec.containers[${retired.container}].image`, retired.image)] : []),
    ...(lost ? [lost.evidence] : []),
    ...(started ? [eventSaid(c.claim, started)] : []),
    ...(logged ? [eventSaid(c.claim, logged)] : []),
    ...saidOnClaim(c, waitsForExternal(c)),
  ];
}

/** Only the log shows the reason, so the step names what to do for each of the usual lines. */
function advise(c: PresentClaim, silence: Silence): Fix[] {
  const { controller } = silence;
  if (isUnread(c, silence))
    return [
      fix(
        'Read the events of the claim: the answer of the driver is kept nowhere else.',
        `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
      ),
      readProvisionerLog(c, controller),
    ];
  const retired = retiredOf(c, silence);
  return [
    retired && replaceFix(retired),
    lostNamespaceOf(c)?.fix,
    readProvisionerLog(c, controller),
    restart(controller),
  ].filter((each) => each !== undefined);
}

interface Retired {
  readonly pod: Pod;
  readonly container: string;
  readonly image: string;
  readonly isArchived: boolean;
}

/** What replaced the provisioners of the archived repository external-storage, by the name of the old image. */
const successors: Readonly<Record<string, string>> = {
  'nfs-client-provisioner': 'registry.k8s.io/sig-storage/nfs-subdir-external-provisioner:v4.0.2',
  'nfs-provisioner': 'registry.k8s.io/sig-storage/nfs-provisioner:v4.0.8',
};

/**
 * The images of the archived repositories external-storage and kubernetes-incubator: from 1.20 on the API server fills
 * in no selfLink, without which their library cannot refer to a claim.
 */
function retiredOf(c: PresentClaim, { controller, logged }: Silence): Retired | undefined {
  const { leader, pods, container } = controller;
  const pod = leader ?? pods.items[0];
  if (!pod || (!logged && atLeast(c.ask.graph.serverVersion, 1, 20) !== true)) return undefined;
  const images = (pod.spec?.containers ?? []).map(({ name = '', image = '' }) => ({ pod, container: name, image }));
  const archived = images.find(({ image }) => /(?:^|\/)(?:external_storage|kubernetes_incubator)\//.test(image));
  if (archived) return { ...archived, isArchived: true };
  const own = logged && images.find((each) => each.container === container);
  return own && { ...own, isArchived: false };
}

function replaceFix({ pod, container, image, isArchived }: Retired): Fix {
  const name = /([^/:@]+)(?:[:@].*)?$/.exec(image)?.[1] ?? '';
  const next = Object.hasOwn(successors, name) ? successors[name] : undefined;
  const owner = ownerOf(pod);
  const workload = owner ? `${owner.kind.toLowerCase()}/${owner.name}` : `pod/${pod.metadata.name}`;
  return steps(
    `Replace the image of ${workload} with ${next ?? 'that of a newer release or its successor (PLACEHOLDER_IMAGE)'}: ` +
      `${image} ${isArchived ? 'is no longer maintained and ' : ''}needs selfLink, which Kubernetes has not had since 1.20 (its log ` +
      'says "selfLink was empty"). Its volumes stay. Waiting claims are then provisioned within a few ' +
      'minutes; if the log says "forbidden", apply the RBAC of the new release too.',
    [
      `kubectl ${inNamespace(pod.metadata.namespace)}set image ${shellWord(workload)} ` +
        `${shellWord(`${container}=${next ?? 'PLACEHOLDER_IMAGE'}`)}`,
    ],
    'disruptive',
  );
}

function restart({ leader, pods, workload }: DriverController): Fix | undefined {
  const pod = leader ?? pods.items[0];
  return pod && restartFix(pod, workload, 'If the log names no reason, a fresh process takes up all waiting claims.');
}
