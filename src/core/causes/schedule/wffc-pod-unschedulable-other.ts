import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { describeNodeSelector } from '../../kube/selectors.ts';
import { addsNode, storageRefusalOfScaleUp } from '../../facts/pod/autoscaler.ts';
import type { ScaleUpRefusal } from '../../facts/pod/autoscaler.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { fitNodes, refusalsOf, taintText } from '../../facts/node/node-fit.ts';
import type { NodeFit, NodeFits } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  delayedClaims,
  refusalEvidence,
  schedulerSaid,
  tellReasons,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { isWhollyUnderstood, reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import type { SchedulingReason } from '../../facts/pod/scheduling-message.ts';
import { placedVolumes, reaches } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { openNodeFixes } from './open-node.ts';
import { isRequested } from './published-capacity.ts';
import { reasonFixes } from './reason-fixes.ts';
import { orElse } from './remedy.ts';
import { driverOfTaint, startedDriver } from './taint-remedy.ts';

const settleSeconds = 30;
/** Refusals of a new node that other labels on it would end. */
const placeTexts = [storageTexts.nodeAffinity, storageTexts.zone, storageTexts.nothingToBind];

/** The pod cannot be scheduled for a reason other than storage, and its claims merely wait for the pod. */
export const wffcPodUnschedulableOther = podRule({
  cause: 'wffc-pod-unschedulable-other',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const unfit = findUnfit(p);
    const evidence = unfit && evidenceOf(p, unfit);
    if (!unfit || !evidence) return undefined;
    return {
      // Without a claim nothing of storage waits for the pod, as in mount-not-storage.
      ...(claimNamesOf(p.pod).length === 0 && { severity: 'info' as const }),
      confidence: confidenceOf(p, unfit),
      about: aboutPod(p),
      summary: `${reasonText(p, unfit)}${autoscalerText(p)}`,
      evidence,
      fix: adviceFor(p, unfit),
    };
  },
});

interface Unfit {
  /** Names of the claims that wait for the pod. */
  readonly claims: readonly string[];
  readonly fits: NodeFits;
  /** Every node refuses the pod by a constraint that was checked here. */
  readonly isProven: boolean;
  /** Nothing the scheduler says can mean storage. */
  readonly isClear: boolean;
  /** An empty node group could take the pod, except for a volume. */
  readonly scaleUp: ScaleUpRefusal | undefined;
}

function findUnfit(p: PodCase): Unfit | undefined {
  if (p.isScheduled || (p.pod.spec?.schedulingGates ?? []).length > 0) return undefined;
  const message = p.schedulingMessage;
  const claims = delayedClaims(p).map((claim) => `pvc/${claim.name}`);
  // Words about a pool may mean storage. Where no claim waits for a volume, or the pod itself requests the resource, it
  // is not free space.
  const ofPool = reasonsLike(message, storageTexts.poolSpace);
  const isOther = (reason: SchedulingReason): boolean => claims.length === 0 || isRequested(p, reason);
  const isVague = ofPool.some(isOther);
  if (message?.reasons.some((reason) => reason.isStorage && !(ofPool.includes(reason) && isOther(reason))))
    return undefined;
  if (!message && p.ageSeconds < settleSeconds) return undefined;
  const fits = fitNodes(p);
  const isProven = fits.complete && fits.items.length > 0 && fits.items.every(({ refusal }) => refusal);
  if (!message && !isProven) return undefined;
  const isClear = !message || (isWhollyUnderstood(message) && !isVague);
  return { claims, fits, isProven, isClear, scaleUp: isClear ? storageRefusalOfScaleUp(p) : undefined };
}

function confidenceOf(p: PodCase, unfit: Unfit): Confidence {
  const { scaleUp, isClear } = unfit;
  if (scaleUp || driverResourceOf(p, unfit)) return 'likely';
  return isClear ? 'certain' : 'possible';
}

function reasonText(p: PodCase, unfit: Unfit): string {
  const { scaleUp, isClear, isProven, claims } = unfit;
  const { name } = p.pod.metadata;
  const waiting = claims.length === 0 ? '' : `${claims.join(', ')} ${claims.length > 1 ? 'wait' : 'waits'} for `;
  const subject = waiting === '' ? `pod/${name}` : `${waiting}pod/${name}, which`;
  const why = whyNoNode(p, unfit);
  if (scaleUp)
    return (
      `${subject} fits on no existing node: ${why}. The autoscaler adds no node, and a volume is among its ` +
      `reasons: "${tellReasons(scaleUp.reasons)}".`
    );
  const own = driverResourceOf(p, unfit);
  if (own)
    return (
      `${subject} fits on no node: it requests ${own.resource}, a resource of its driver ${own.driver}, and ` +
      'no node offers enough of it. The scheduler counts it like cpu, so the scheduler extender of the ' +
      'driver, which decides about it, is not in use.'
    );
  if (isClear) return `${subject} fits on no node: ${why}. ${storageWords(p, unfit)}`;
  if (isProven) return `${subject} fits on no node: ${why}. Whether that resource stands for storage is not known.`;
  const scheduler = p.pod.spec?.schedulerName ?? 'default-scheduler';
  const raw = p.schedulingMessage?.raw ?? '';
  if (fargateText.test(raw))
    return (
      `${waiting === '' ? '' : `${waiting}pod/${name}. `}Fargate does not take pod/${name}: ` +
      `"${raw.replace(/\.$/, '')}". It runs no pod with a volume that is created for it, and none with a ` +
      'block volume such as EBS.'
    );
  if (gangText.test(raw))
    return (
      `${waiting === '' ? '' : `${waiting}pod/${name}. `}Scheduler ${scheduler} starts the pods of its group ` +
      `only together, and not all of them fit: "${raw.replace(/\.$/, '')}".`
    );
  return `${waiting === '' ? '' : `${waiting}pod/${name}. `}Scheduler ${scheduler} finds no node for pod/${name} and reports only ${why}.`;
}

/** A taint that a driver should have lost when it started is storage's part in it. */
function storageWords(p: PodCase, { fits }: Unfit): string {
  for (const { node } of fits.items) {
    const taints = refusalsOf(p, node).flatMap(({ taint }) => taint ?? []);
    for (const taint of taints) {
      const driver = startedDriver(p.ask, node, taint);
      if (driver !== undefined)
        return `Taint ${taintText(taint)} is left over on ${node.metadata.name}: ${driver} is registered and its node plugin is ready there.`;
      const starting = driverOfTaint(p.ask, taint);
      if (starting !== undefined)
        return `Taint ${taintText(taint)} keeps pods off ${node.metadata.name} until storage driver ${starting} is ready there.`;
    }
  }
  return 'Storage is not the reason.';
}

interface DriverResource {
  readonly resource: string;
  readonly driver: string;
}

/**
 * A resource in the domain of a driver whose volume the pod waits for (`topolvm.io/capacity`): the driver's webhook
 * adds the request for its own scheduler extender, and no node has it. NodeResourcesFit counts a resource unless the
 * extender's settings exempt it.
 */
function driverResourceOf(p: PodCase, { fits }: Unfit): DriverResource | undefined {
  const drivers = delayedClaims(p).flatMap(({ provisioner }) => provisioner ?? []);
  for (const reason of p.schedulingMessage?.reasons ?? []) {
    const resource = /^Insufficient (\S+)$/i.exec(reason.text)?.[1] ?? '';
    const [domain = ''] = resource.split('/');
    const driver = resource.includes('/')
      ? drivers.find((name) => name === domain || name.endsWith(`.${domain}`))
      : undefined;
    if (driver === undefined || !isRequested(p, reason)) continue;
    const isOffered = fits.items.some(({ node }) => node.status?.allocatable?.[resource] !== undefined);
    return isOffered ? undefined : { resource, driver };
  }
  return undefined;
}

/** The request is part of the pod, so a pod that was created with it keeps it. */
function useExtender(p: PodCase, { resource, driver }: DriverResource): Fix {
  return steps(
    `Set up scheduling for ${driver} as its documentation describes: either its scheduler extender, with ` +
      `ignoredByScheduler for ${resource} in the scheduler's configuration; pod/${p.pod.metadata.name} is ` +
      'then scheduled automatically. Or let the driver publish its capacity (storageCapacity: true in its ' +
      'CSIDriver object), switch off its webhook that adds the request, and recreate the pod without it. The ' +
      'lines show which of the two is installed.',
    [
      `kubectl get csidriver ${shellWord(driver)} -o jsonpath='{.spec.storageCapacity}'`,
      `kubectl get mutatingwebhookconfigurations -o yaml | grep -F -e ${shellWord(driver.split('.')[0] ?? driver)}`,
    ],
  );
}

function whyNoNode(p: PodCase, { fits, isProven }: Unfit): string {
  const told = tellRefusals(fits.items);
  const said = tellReasons(p.schedulingMessage?.reasons ?? []);
  if (isProven || said === '') return told || 'no node fits';
  return told ? `"${said}" (${told})` : `"${said}"`;
}

function autoscalerText(p: PodCase): string {
  return addsNode(p) ? ' The autoscaler is adding a node.' : '';
}

function evidenceOf(p: PodCase, { fits, scaleUp }: Unfit): EvidenceList | undefined {
  const [first, ...rest] = [
    ...schedulerSaid(p),
    ...(scaleUp ? [eventSaid(p.pod, scaleUp.event)] : []),
    ...requestEvidence(p, fits.items),
    ...distinct(refusalEvidence(fits.items)),
  ];
  if (!first) return undefined;
  const places = scaleUp ? placesOf(p) : [];
  return [first, ...rest, ...places.map(({ volume, place }) => field(volume, 'spec.nodeAffinity', place))];
}

/** What the pod asks for, where a node has too little of it. */
function requestEvidence({ pod }: PodCase, fits: readonly NodeFit[]): Evidence[] {
  const gaps = fits.flatMap(({ refusal }) => (refusal?.resource ? [refusal.resource] : []));
  const requested = new Map(gaps.map(({ name, requested: amount }) => [name, amount]));
  return [...requested].map(([name, amount]) => field(pod, `spec.containers[*].resources.requests[${name}]`, amount));
}

function distinct(lines: readonly Evidence[]): Evidence[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
}

/** Where the volumes of the pod can be used, for those that are tied to a place. */
function placesOf(p: PodCase): { readonly volume: Volume; readonly place: string }[] {
  return placedVolumes(p).flatMap(({ volume }) => {
    const required = volume.spec?.nodeAffinity?.required;
    return required ? [{ volume, place: describeNodeSelector(required) }] : [];
  });
}

function adviceFor(p: PodCase, unfit: Unfit): Fix[] {
  const { fits, isClear, isProven, scaleUp } = unfit;
  const own = driverResourceOf(p, unfit);
  if (own) return [useExtender(p, own)];
  if (!isClear && !isProven) return readScheduler(p);
  const group = scaleUp?.reasons.some(({ text }) => placeTexts.some((pattern) => pattern.test(text)))
    ? [labelTemplate(p)]
    : [];
  const wait = addsNode(p)
    ? [
        steps(
          `Wait until the new node is Ready, usually a few minutes. pod/${p.pod.metadata.name} is then scheduled automatically.`,
          [],
        ),
      ]
    : [];
  if (wait.length > 0) return wait;
  const after = followText(unfit);
  const reasons = p.schedulingMessage?.reasons ?? [];
  const opened = isProven ? openNodeFixes(p, inReach(p, fits), after) : reasonFixes(p, reasons, { after });
  if (group.length > 0) return [...group, ...opened.slice(0, 1).map(orElse)];
  const hasNode = opened.some(({ text }) => /\badd (?:a|another) node\b/i.test(text));
  return hasNode ? opened : [...opened, addNode(p, opened.length > 0)];
}

/** Of the nodes that refuse the pod, those that could use its volumes. */
function inReach(p: PodCase, { items }: NodeFits): readonly NodeFit[] {
  const volumes = placedVolumes(p);
  const near = items.filter(({ node }) => volumes.every(({ volume }) => reaches(volume, node)));
  return near.length > 0 ? near : items;
}

function followText({ claims }: Unfit): string {
  if (claims.length === 0) return '';
  return ` The ${claims.length > 1 ? 'volumes of' : 'volume of'} ${claims.join(', ')} ${claims.length > 1 ? 'are' : 'is'} then created.`;
}

function addNode(p: PodCase, isAlternative: boolean): Fix {
  const places = placesOf(p).map(({ place }) => place);
  const place = places.length > 0 ? ` with ${[...new Set(places)].join(' and ')}` : '';
  return steps(
    `${isAlternative ? 'Or add' : 'Add'} a node${place} that meets what pod/${p.pod.metadata.name} asks ` +
      'for. The pod is scheduled once the node is Ready.',
    [],
  );
}

/** EKS: the Fargate scheduler takes only volumes that are bound already, and those of EFS. */
const fargateText = /not supported on Fargate/i;

function leaveFargate({ pod }: PodCase): Fix {
  const profile = pod.metadata.labels?.['eks.amazonaws.com/fargate-profile'];
  return steps(
    `Let pod/${pod.metadata.name} run on EC2 nodes: recreate Fargate profile ` +
      `${profile === undefined ? 'PLACEHOLDER_PROFILE' : `"${profile}"`} with selectors that do not match it ` +
      '(PLACEHOLDER_CLUSTER; the first line shows them), or move the pod to another namespace. Then delete ' +
      'the pod; its replacement goes to the usual scheduler, and its volume is created. On Fargate, only a ' +
      'volume of EFS that was created by hand can be used.',
    [
      'aws eks describe-fargate-profile --cluster-name PLACEHOLDER_CLUSTER --fargate-profile-name ' +
        `${profile === undefined ? 'PLACEHOLDER_PROFILE' : shellWord(profile)} --query ` +
        'fargateProfile.selectors',
      ...(ownerOf(pod) ? [kubectl('delete', pod)] : []),
    ],
    'disruptive',
  );
}

/** Volcano, the coscheduling plugin, YuniKorn and others start the pods of a group only together. */
const gangText = /\bgang\b|pod ?group|minAvailable|minMember/i;

function completeGang(p: PodCase): Fix {
  const { namespace, name, labels = {}, annotations = {} } = p.pod.metadata;
  const group = Object.entries({ ...labels, ...annotations }).find(([key]) =>
    /(?:^|[/.-])(?:pod-group|group-name|podgroup)/.test(key),
  )?.[1];
  return steps(
    `Find the pods of the group${group ? ` ${group}` : ''} that fit on no node, and give them room: free ` +
      'the resources they ask for, add nodes, or lower its minMember (the last line). All pods of the group ' +
      `are then scheduled together, pod/${name} too. The group's conditions and events say what is ` +
      `short.${group ? '' : ' PLACEHOLDER_GROUP is their group, from the second line.'}`,
    [
      `kubectl ${inNamespace(namespace)}get pods -o wide --field-selector status.phase=Pending`,
      `kubectl ${inNamespace(namespace)}describe podgroups${group ? ` ${shellWord(group)}` : ''}`,
      `kubectl ${inNamespace(namespace)}edit podgroup ${group ? shellWord(group) : 'PLACEHOLDER_GROUP'}`,
    ],
  );
}

/** Its own scheduler knows more than it says: the log decides whether storage or something else is short. */
function readScheduler(p: PodCase): Fix[] {
  if (fargateText.test(p.schedulingMessage?.raw ?? '')) return [leaveFargate(p)];
  if (gangText.test(p.schedulingMessage?.raw ?? '')) return [completeGang(p)];
  const name = p.pod.spec?.schedulerName ?? 'default-scheduler';
  const pod = p.ask
    .seen('Pod')
    .find(({ metadata, status }) => metadata.name.startsWith(name) && status?.phase === 'Running');
  const lines = pod
    ? [
        `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} --tail=200 | ` +
          `grep -F -e ${shellWord(p.pod.metadata.name)}`,
      ]
    : [
        `kubectl get pods -A -o wide | grep -F -e ${shellWord(name)}`,
        `kubectl -n PLACEHOLDER_NS logs PLACEHOLDER_POD --all-containers --tail=200 | grep -F -e ${shellWord(p.pod.metadata.name)}`,
      ];
  const hint = pod ? '' : ' PLACEHOLDER_NS and PLACEHOLDER_POD are in the output of the first line.';
  return [
    steps(
      `Read why scheduler ${name} rejects the nodes: its log names the reason for each. If it is too ` +
        'little capacity, add space to the pool on that node or recreate the claim with less; if it is ' +
        `something else, change that in the pod.${hint}`,
      lines,
    ),
  ];
}

/** Of a group without nodes the autoscaler knows only the template. */
function labelTemplate(p: PodCase): Fix {
  const places = [...new Set(placesOf(p).map(({ place }) => place))];
  const labels = places.length > 0 ? ` (${places.join('; ')})` : '';
  return steps(
    `Set the minimum size of the node group that should take pod/${p.pod.metadata.name} to 1, where its ` +
      `volume is${labels}: the new node gets its labels, and the pod is scheduled. To scale from zero later, ` +
      'put these labels on the template of the group.',
    [],
  );
}
