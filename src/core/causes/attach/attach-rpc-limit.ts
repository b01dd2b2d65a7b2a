import { matchesNodeSelector, untoleratedTaints } from '../../kube/selectors.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { reaches } from '../../facts/volume/volume-reach.ts';
import { holdersOnNode } from '../../facts/volume/slot-holders.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { limitTexts, saysLimit } from '../lib/driver-error/senses/capacity.ts';
import { restartPodCommands, stopPodFix } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { limitSettingEvidence, limitSettingOf, lowerLimitFix, slotsOf } from './machine-limit.ts';
import { driverAnswerOf, refusalText, registrationOf } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** ControllerPublishVolume RESOURCE_EXHAUSTED: the node is full, even if its CSINode promises more slots. */
export const attachRpcLimit = attachRules('attach-rpc-limit', 'blocking', (trouble) => {
  const error = driverAnswerOf(trouble);
  if (!error || !saysLimit(error)) return undefined;
  const { node, driver } = trouble;
  const registration = registrationOf(trouble);
  return {
    confidence: confidenceOf(trouble),
    about: `${driver ?? ''} on ${node}`,
    summary: `${refusalText(trouble, error, 'refuses to attach', limitTexts)}${limitText(trouble, registration)}${holdersText(trouble)}${foreignText(trouble, registration)}${isPinned(trouble) ? ' The volume can only be used there.' : ''}`,
    evidence: [error.evidence, ...limitEvidence(trouble, registration)],
    fix: slotFixes(trouble, slotsOf(trouble).length),
  };
});

/** What the scheduler goes by. */
function limitText({ driver, node }: AttachTrouble, registration: ReturnType<typeof registrationOf>): string {
  if (!registration) return '';
  const limit = registration.entry?.allocatable?.count;
  const who = driver ?? 'the driver';
  return limit === undefined
    ? ` The scheduler knows of no limit: ${who} reports none for ${node}.`
    : ` The scheduler uses a limit of ${limit}, which ${who} reports for ${node}.`;
}

/** The storage counts more than Kubernetes has attached. */
function foreignText(trouble: AttachTrouble, registration: ReturnType<typeof registrationOf>): string {
  const limit = registration?.entry?.allocatable?.count;
  const attached = slotsOf(trouble).length;
  if (limit === undefined || attached === 0 || attached >= limit) return '';
  return (
    ` So the scheduler still saw ${limit - attached === 1 ? 'a free slot' : `${limit - attached} free slots`}: most likely ` +
    'something that Kubernetes does not count takes slots of the machine, such as its own disk or network interfaces.'
  );
}

function limitEvidence(trouble: AttachTrouble, registration: ReturnType<typeof registrationOf>): Evidence[] {
  if (!registration) return [];
  const path = `spec.drivers[${trouble.driver ?? ''}].allocatable.count`;
  const limit = registration.entry?.allocatable?.count;
  const attached = slotsOf(trouble).length;
  const counted = attached > 0 ? `; ${attached} attached` : '';
  return [
    field(registration.csiNode, path, `${limit ?? 'not set'}${counted}`),
    ...limitSettingEvidence(limitSettingOf(trouble)),
  ];
}

/** Pods on the node, other than the waiting one, whose volumes take its slots. */
function slotHolders({ ask, node, driver, use }: AttachTrouble): Pod[] {
  const holds = (name: string): boolean => {
    const volume = ask.get('PersistentVolume', undefined, name, `which pod uses a volume slot of ${node}`);
    return volume.state === 'found' && servingDriver(volume.object) === driver;
  };
  return holdersOnNode(ask, node, holds)
    .map(({ pod }) => pod)
    .filter((pod) => pod !== use?.p.pod);
}

/** No other node that was read can use the volume. */
function isPinned(trouble: AttachTrouble): boolean {
  const volume = volumeObjectOf(trouble);
  const others = trouble.ask.seen('Node').filter(({ metadata }) => metadata.name !== trouble.node);
  return volume !== undefined && others.length > 0 && others.every((node) => !reaches(volume, node));
}

function holdersText(trouble: AttachTrouble): string {
  const names = slotHolders(trouble).map(({ metadata }) => `pod/${metadata.name}`);
  const count = slotsOf(trouble).length;
  if (count === 0) return '';
  const volumes = count === 1 ? '1 volume of this driver is' : `${count} volumes of this driver are`;
  return ` ${volumes} attached there${names.length > 0 ? `, for ${nameAll(names)}` : ''}.`;
}

/** For a node that takes no more volumes. `most` is how many it holds. */
export function slotFixes(trouble: AttachTrouble, most: number): Fix[] {
  return [...moveFixes(trouble), ...freeFixes(trouble), lowerLimitFix(trouble, most) ?? limitFix(trouble)];
}

/** Other nodes that are up and take the pod, have a free slot and can use the volume, as far as they were read. */
function otherNodes(trouble: AttachTrouble): string[] {
  const volume = volumeObjectOf(trouble);
  const pod = trouble.use?.p.pod;
  return trouble.ask
    .seen('Node')
    .filter(
      (node) =>
        node.metadata.name !== trouble.node &&
        node.spec?.unschedulable !== true &&
        conditionOf(node.status?.conditions, 'Ready')?.status === 'True' &&
        takesPod(node, pod) &&
        hasFreeSlot(trouble, node.metadata.name) &&
        volume !== undefined &&
        reaches(volume, node),
    )
    .map(({ metadata }) => metadata.name);
}

function takesPod({ metadata, spec }: Node, pod: Pod | undefined): boolean {
  const labels = metadata.labels ?? {};
  const required = pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(pod?.spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    matchesNodeSelector(required, labels, { 'metadata.name': metadata.name }) &&
    untoleratedTaints(pod?.spec?.tolerations, spec?.taints).length === 0
  );
}

/** A node whose driver announces a limit that is used up would refuse the volume, too. */
function hasFreeSlot(trouble: AttachTrouble, node: string): boolean {
  const entry = trouble.ask.graph
    .find('CSINode', undefined, node)
    ?.spec?.drivers?.find(({ name }) => name === trouble.driver);
  const limit = entry?.allocatable?.count;
  return limit === undefined || slotsOf({ ...trouble, node }).length < limit;
}

/** The pod has not run yet, so it loses nothing on another node. */
function moveFixes(trouble: AttachTrouble): Fix[] {
  const pod = trouble.use?.p.pod;
  const others = otherNodes(trouble);
  if (!pod || others.length === 0) return [];
  const node = shellWord(trouble.node);
  const isCordoned = trouble.ask.graph.find('Node', undefined, trouble.node)?.spec?.unschedulable === true;
  const restart = restartPodCommands(pod);
  const move = `Start the pod on another node; the volume can also be used on ${nameAll(others)}. The pod has not run yet.`;
  if (isCordoned) return [steps(move, restart)];
  return [
    steps(`${move} Keep new pods off ${trouble.node} meanwhile.`, [`kubectl cordon ${node}`, ...restart]),
    // In one go, the pod could be scheduled back to the node before the scheduler has seen it.
    steps(`Allow new pods on ${trouble.node} again, once the pod is scheduled on another node.`, [
      `kubectl uncordon ${node}`,
    ]),
  ];
}

/** A slot becomes free when a pod with a volume leaves the node for good. */
function freeFixes(trouble: AttachTrouble): Fix[] {
  const holder = slotHolders(trouble).find((pod) => !sharesOwner(pod, trouble.use?.p.pod));
  if (!holder)
    return trouble.use && otherNodes(trouble).length > 0
      ? []
      : [
          steps(
            `Free a slot on ${trouble.node}: decide which pod with a volume of this driver may leave ` +
              '(PLACEHOLDER_NAMESPACE, PLACEHOLDER_POD; the list shows those with claims), and stop or move it. ' +
              'The volume is then attached within about 5 minutes.',
            [
              `kubectl get pods -A --field-selector spec.nodeName=${shellWord(trouble.node)} -o ` +
                `custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CLAIMS:.spec.volumes[*].persistentVolumeClaim.claimName'`,
              'kubectl -n PLACEHOLDER_NAMESPACE delete pod PLACEHOLDER_POD',
            ],
            'disruptive',
          ),
        ];
  return [
    stopPodFix(
      holder,
      (what) =>
        `Free a slot on ${trouble.node}, if the new pod matters more: ${what}. ` +
        `Its volume is then detached, and ${trouble.volumeText} is attached within about 5 minutes. ` +
        'To run both, add a node and recreate the new pod.',
    ),
  ];
}

/** Scaling down the controller of the waiting pod would stop the waiting pod too. */
function sharesOwner(pod: Pod, waiting: Pod | undefined): boolean {
  const [one, other] = [ownerOf(pod), waiting && ownerOf(waiting)];
  return (
    one !== undefined &&
    one.kind === other?.kind &&
    one.name === other.name &&
    pod.metadata.namespace === waiting?.metadata.namespace
  );
}

/** From 1.35 on the kubelet can refresh a limit that the driver reports (KEP-4876, on by default). */
function limitFix(trouble: AttachTrouble): Fix {
  const { ask, driver, node } = trouble;
  const object = driver === undefined ? undefined : ask.graph.find('CSIDriver', undefined, driver);
  const isReported = registrationOf(trouble)?.entry?.allocatable?.count !== undefined;
  const canRefresh = atLeast(parseServerVersion(ask.graph.snapshot.serverVersion), 1, 35) === true;
  if (object && isReported && canRefresh)
    return steps(
      `Let the kubelets refresh the limit every minute, if ${object.metadata.name} reports it rightly; ` +
        'otherwise set the attach limit in the driver to what the machine really takes.',
      [patchCommand(object, { spec: { nodeAllocatableUpdatePeriodSeconds: 60 } })],
    );
  return steps(
    `Set the attach limit of ${driver ?? 'the driver'} to what the machine of ${node} really takes (network ` +
      'cards and foreign disks use slots, too), let the driver report it, and restart its node plugin there: ' +
      'the scheduler then places no more pods than fit.',
    [],
    'disruptive',
  );
}
