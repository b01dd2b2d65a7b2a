import type { CsiDriver, CsiNode, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import { parseTime } from '../../kube/time.ts';
import type { Controller, ControllerWorkload, LeavingPod } from './controller.ts';
import { findLease, leasesAtHand } from './driver-lease.ts';
import type { LeaderLease, SidecarRole } from './driver-lease.ts';
import {
  driverContainerOf,
  isCsiSidecar,
  likeness,
  mentionsDriver,
  namesAnother,
  ownerOf,
  sidecarOf,
} from './driver-pods.ts';
import type { Workload } from './driver-pods.ts';
import type { Inquiry, Listing, Lookup } from '../../graph/inquiry.ts';
import { fix, shellWord } from '../evidence.ts';
import { isRunning, statusOf } from '../pod/pod-health.ts';
import { isUnplaced } from './fitting-selector.ts';
import { isNearestDriver } from './nearest-driver.ts';

export type { SidecarRole } from './driver-lease.ts';

/** One sidecar of a driver's controller: its lease, its pods, and the workload that creates them. */
export interface DriverController extends Controller {
  readonly driver: string;
  readonly role: SidecarRole;
  /** The pod that holds the lease, or the only one there is. */
  readonly leader?: Pod;
  /** The name of the sidecar's container. */
  readonly container?: string;
  readonly driverContainer?: string;
}

/** Where a driver appears: its object, and the nodes on which the kubelet registered it. */
interface DriverTraces {
  readonly object: Lookup<CsiDriver>;
  readonly nodes: Listing<CsiNode>;
}

export function findDriver(ask: Inquiry, driver: string): DriverTraces {
  return {
    object: ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`),
    // A list of all nodes, so it is read only on use, and not before the object has been read.
    get nodes() {
      if (ask.isUnasked('CSIDriver', { name: driver })) return nothingYet;
      const { complete } = ask.list('CSINode', undefined, `on which nodes ${driver} is registered`);
      const byDriver = ask.graph.group('CSINode', 'driver', (node) => [
        ...new Set((node.spec?.drivers ?? []).map(({ name }) => name ?? '')),
      ]);
      return { items: byDriver.get(driver) ?? [], complete };
    },
  };
}

/** The moment of deletion includes the grace period; a kubelet that works needs little more. */
const overdueSeconds = 60;

const nothingYet = { items: [], complete: false } as const;

/** Asks from the narrowest question to the widest: each waits for the answer to the one before. */
export function findController(ask: Inquiry, driver: string, role: SidecarRole): DriverController {
  return ask.once(`controller ${role} ${driver}`, (own) => searchController(own, driver, role));
}

function searchController(ask: Inquiry, driver: string, role: SidecarRole): DriverController {
  const lease = findLease(ask, driver, role);
  if (!lease.object && ask.isUnasked('Lease', { fieldSelector: `metadata.name=${lease.name}` }))
    return { driver, role, lease, pods: nothingYet };
  const home = lease.object?.metadata.namespace ?? homeAtHand(ask, driver, role) ?? homeByWorkload(ask, driver, role);
  if (typeof home !== 'string') return { driver, role, lease, pods: { items: [], complete: home?.complete ?? false } };
  const listing = ask.list('Pod', home, `whether the ${role} of ${driver} runs in namespace ${home}`);
  if (ask.isUnasked('Pod', { namespace: home })) return { driver, role, lease, pods: nothingYet };
  const here = podsOf(ask, driver, role, listing.items, lease);
  // When a driver moves to another namespace, its lease is left behind.
  const items =
    here.length > 0 || lease.state === 'fresh'
      ? here
      : podsThatMention(ask, driver).filter(
          (pod) => pod.metadata.deletionTimestamp === undefined && sidecarOf(pod.spec, role),
        );
  const pods = { items, complete: listing.complete };
  const leader = leaderOf(lease, pods.items);
  const [anyPod] = items;
  const workload = anyPod
    ? workloadOfPod(ask, anyPod)
    : (workloadIn(ask, home, driver, role) ??
      (lease.state === 'fresh' ? undefined : workloadElsewhere(ask, driver, role)));
  const spec = (leader ?? anyPod)?.spec ?? workload?.object?.spec?.template?.spec;
  const container = sidecarOf(spec, role)?.name;
  const driverContainer = driverContainerOf(spec)?.name;
  return {
    driver,
    role,
    lease,
    pods,
    ...(leader && { leader }),
    ...(container !== undefined && { container }),
    ...(driverContainer !== undefined && { driverContainer }),
    ...(workload && { workload }),
    ...leavingOf(ask, driver, role, items.length > 0 ? [] : listing.items, lease),
    ...(items.some(isUnplaced) && {
      nodes: ask.list('Node', undefined, `which node the ${role} of ${driver} fits on`).items,
    }),
  };
}

/**
 * The namespace that leases and pods in the snapshot or the driver object point to; only the driver object is read for
 * it.
 */
function homeAtHand(ask: Inquiry, driver: string, role: SidecarRole): string | undefined {
  const lease = leasesAtHand(ask, driver)[0];
  if (lease?.metadata.namespace !== undefined) return lease.metadata.namespace;
  const pods = podsThatMention(ask, driver);
  const pod =
    pods.find((candidate) => sidecarOf(candidate.spec, role)) ??
    pods[0] ??
    podsWith(ask, role).find((candidate) => likeness(candidate.metadata.name, candidate.spec, driver) === 1) ??
    podsWith(ask, role).find((candidate) => isNearestDriver(ask, driver, candidate.metadata.name, candidate.spec));
  if (pod?.metadata.namespace !== undefined) return pod.metadata.namespace;
  const object = driver.includes('/')
    ? undefined
    : ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
  return object?.state === 'found' ? object.object.metadata.annotations?.['meta.helm.sh/release-namespace'] : undefined;
}

/** Searched once for a snapshot, for all claims that need it. */
function podsThatMention(ask: Inquiry, driver: string): readonly Pod[] {
  return (
    ask.graph.group('Pod', `mentions ${driver}`, (pod) => (mentionsDriver(pod.spec, driver) ? [''] : [])).get('') ?? []
  );
}

function podsWith(ask: Inquiry, role: SidecarRole): readonly Pod[] {
  return ask.graph.group('Pod', `has ${role}`, (pod) => (sidecarOf(pod.spec, role) ? [''] : [])).get('') ?? [];
}

/**
 * Pods with the sidecar that run, and that nothing ties to any driver: one of them may be the controller that is looked
 * for. Only pods that were read for something else are seen.
 */
export function untiedPods(ask: Inquiry, driver: string, role: SidecarRole): readonly Pod[] {
  const others = ask.seen('CSIDriver').map(({ metadata }) => metadata.name);
  const isCsi = !driver.includes('/');
  return podsWith(ask, role).filter((pod) => {
    const { metadata, spec, status } = pod;
    const sidecar = sidecarOf(spec, role);
    if (!sidecar || isCsiSidecar(sidecar) !== isCsi || status?.phase !== 'Running') return false;
    if (!isRunning(statusOf(pod, sidecar.name)) || namesAnother(spec, driver)) return false;
    return others.every((other) => !mentionsDriver(spec, other) && likeness(metadata.name, spec, other) < leastTie);
  });
}

/** Half of the words of a driver's name tie a pod to it. */
const leastTie = 0.5;

/** The last resort: the workloads of all namespaces. */
function homeByWorkload(ask: Inquiry, driver: string, role: SidecarRole): string | { readonly complete: boolean } {
  if (!driver.includes('/') && ask.isUnasked('CSIDriver', { name: driver })) return nothingYet;
  const { workloads, complete } = allWorkloads(ask, driver, role);
  const found =
    workloadWith(workloads, driver, role) ??
    workloads.find(({ spec }) => mentionsDriver(spec?.template?.spec, driver)) ??
    workloads.find((workload) => isNamedLike(ask, workload, driver, role));
  return found?.metadata.namespace ?? { complete };
}

/**
 * A lease may have been left in another namespace, if the controller was deployed again or keeps its leases elsewhere.
 */
function workloadElsewhere(ask: Inquiry, driver: string, role: SidecarRole): ControllerWorkload | undefined {
  const { workloads } = allWorkloads(ask, driver, role);
  const object =
    workloadWith(workloads, driver, role) ?? workloads.find((workload) => isNamedLike(ask, workload, driver, role));
  const { namespace, name } = object?.metadata ?? {};
  return object && namespace !== undefined && name !== undefined
    ? { kind: object.kind, namespace, name, object }
    : undefined;
}

function workloadWith(workloads: readonly Workload[], driver: string, role: SidecarRole): Workload | undefined {
  return workloads.find(
    ({ spec }) => mentionsDriver(spec?.template?.spec, driver) && sidecarOf(spec?.template?.spec, role),
  );
}

/** Every word of the driver's name is in the name of the workload or of its images, or it is like no other driver. */
function isNamedLike(ask: Inquiry, { metadata, spec }: Workload, driver: string, role: SidecarRole): boolean {
  const template = spec?.template?.spec;
  return (
    sidecarOf(template, role) !== undefined &&
    (likeness(metadata.name, template, driver) === 1 || isNearestDriver(ask, driver, metadata.name, template))
  );
}

function allWorkloads(
  ask: Inquiry,
  driver: string,
  role: SidecarRole,
): { readonly workloads: readonly Workload[]; readonly complete: boolean } {
  const listings = workloadKinds.map((kind) => ask.list(kind, undefined, `where the ${role} of ${driver} is deployed`));
  return {
    workloads: listings.flatMap((listing): readonly Workload[] => listing.items),
    complete: listings.every(({ complete }) => complete),
  };
}

const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

/** The pods of the namespace with the sidecar for this driver and not for another. */
function podsOf(
  ask: Inquiry,
  driver: string,
  role: SidecarRole,
  pods: readonly Pod[],
  lease: LeaderLease,
): readonly Pod[] {
  const present = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return podsAmong(ask, driver, role, present, lease);
}

/** Without any other pod of the controller. */
function leavingOf(
  ask: Inquiry,
  driver: string,
  role: SidecarRole,
  pods: readonly Pod[],
  lease: LeaderLease,
): { readonly leaving?: LeavingPod } {
  const leaving = pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  const [pod] = podsAmong(ask, driver, role, leaving, lease);
  if (!pod) return {};
  const { nodeName } = pod.spec ?? {};
  const node = nodeName ? ask.get('Node', undefined, nodeName, `whether node ${nodeName} can end its pods`) : undefined;
  const end = parseTime(pod.metadata.deletionTimestamp) ?? ask.now;
  return { leaving: { pod, node, isOverdue: (ask.now - end) / 1000 > overdueSeconds } };
}

function podsAmong(
  ask: Inquiry,
  driver: string,
  role: SidecarRole,
  pods: readonly Pod[],
  lease: LeaderLease,
): readonly Pod[] {
  const candidates = pods.filter((pod) => pod.status?.phase !== 'Succeeded' && sidecarOf(pod.spec, role));
  const holders = new Set(
    [lease.object, ...leasesAtHand(ask, driver)].flatMap((held) => holderNames(held?.spec?.holderIdentity)),
  );
  const proven = candidates.filter((pod) => holders.has(pod.metadata.name) || mentionsDriver(pod.spec, driver));
  if (proven.length > 0) {
    const owners = new Set(
      proven.map((pod) => pod.metadata.ownerReferences?.[0]?.uid).filter((uid) => uid !== undefined),
    );
    return candidates.filter((pod) => proven.includes(pod) || owners.has(pod.metadata.ownerReferences?.[0]?.uid ?? ''));
  }
  const leaders = ask.graph.group('Lease', 'holder', (held) => holderNames(held.spec?.holderIdentity));
  const others = otherDrivers(ask, driver);
  return mostAlike(
    candidates.filter(
      (pod) => !leaders.has(pod.metadata.name) && !others.some((other) => mentionsDriver(pod.spec, other)),
    ),
    (pod) => likeness(pod.metadata.name, pod.spec, driver),
  );
}

function otherDrivers(ask: Inquiry, driver: string): string[] {
  return ask
    .seen('CSIDriver')
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== driver);
}

/** The candidates with the highest similarity, if it is at least one half. */
function mostAlike<T>(candidates: readonly T[], likenessOf: (candidate: T) => number): T[] {
  const best = Math.max(0.5, ...candidates.map(likenessOf));
  return candidates.filter((candidate) => likenessOf(candidate) === best);
}

/** The holder of a lease is a pod's name, NAME_UUID, or for older sidecars TIMESTAMP-PID-driver, which names no pod. */
export function holderNames(identity: string | undefined): string[] {
  if (!identity) return [];
  return [identity, identity.split('_')[0] ?? identity];
}

function leaderOf(lease: LeaderLease, pods: readonly Pod[]): Pod | undefined {
  const names = lease.state === 'fresh' ? holderNames(lease.object?.spec?.holderIdentity) : [];
  return pods.find((pod) => names.includes(pod.metadata.name)) ?? (pods.length === 1 ? pods[0] : undefined);
}

function workloadOfPod(ask: Inquiry, pod: Pod): ControllerWorkload | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const owner = ownerOf(pod);
  const seen = workloadKinds
    .flatMap((kind): readonly Workload[] => ask.seen(kind))
    .filter((workload) => workload.metadata.namespace === namespace);
  const object = owner
    ? seen.find((workload) => workload.kind === owner.kind && workload.metadata.name === owner.name)
    : seen.find((workload) => matchesLabelSelector(workload.spec?.selector, pod.metadata.labels ?? {}));
  if (owner) return { ...owner, namespace, ...(object && { object }) };
  return object && { kind: object.kind, namespace, name: object.metadata.name, object };
}

function workloadIn(
  ask: Inquiry,
  namespace: string,
  driver: string,
  role: SidecarRole,
): ControllerWorkload | undefined {
  const workloads = workloadKinds.flatMap(
    (kind): readonly Workload[] => ask.list(kind, namespace, `where the ${role} of ${driver} is deployed`).items,
  );
  const candidates = workloads.filter((workload) => sidecarOf(workload.spec?.template?.spec, role));
  const others = otherDrivers(ask, driver);
  const object =
    candidates.find((workload) => mentionsDriver(workload.spec?.template?.spec, driver)) ??
    mostAlike(
      candidates.filter((workload) => !others.some((other) => mentionsDriver(workload.spec?.template?.spec, other))),
      (workload) => likeness(workload.metadata.name, workload.spec?.template?.spec, driver),
    )[0];
  return object && { kind: object.kind, namespace, name: object.metadata.name, object };
}

const workloadWords: Readonly<Record<string, string>> = { Deployment: 'deploy', StatefulSet: 'sts', DaemonSet: 'ds' };

/** The log, where its pod or workload is known; a list of all pods would be no step. */
export function knownLogs(controller: DriverController, what: 'sidecar' | 'driver' = 'sidecar'): Fix[] {
  const { leader, pods, workload } = controller;
  return leader || pods.items.length > 0 || workload ? [logsFix(controller, what)] : [];
}

/** The command that shows the log; a search for the pod where it is not known. */
export function logsFix(
  controller: DriverController,
  what: 'sidecar' | 'driver' = 'sidecar',
  extent: '--tail=50' | '--since=1h' | '' = '--tail=50',
): Fix {
  const { role, leader, pods, workload } = controller;
  const container = what === 'sidecar' ? controller.container : (controller.driverContainer ?? controller.container);
  const text =
    what === 'sidecar' ? `Read the log of the ${role}.` : `Read the log of the driver that runs next to the ${role}.`;
  const options = `${container === undefined ? '' : ` -c ${shellWord(container)}`}${extent === '' ? '' : ` ${extent}`}`;
  const pod = leader ?? pods.items[0];
  if (pod) {
    const { namespace = 'default', name } = pod.metadata;
    return fix(text, `kubectl -n ${shellWord(namespace)} logs ${shellWord(name)}${options}`);
  }
  if (workload) {
    const target = `${workloadWords[workload.kind] ?? workload.kind.toLowerCase()}/${shellWord(workload.name)}`;
    return fix(text, `kubectl -n ${shellWord(workload.namespace)} logs ${target}${options}`);
  }
  return searchedLogs(controller, what, extent);
}

/** The pod is not known: the first line finds it by the name of the sidecar's container. */
function searchedLogs({ driver, role, lease }: DriverController, what: 'sidecar' | 'driver', extent: string): Fix {
  const namespace = lease.object?.metadata.namespace;
  const place = namespace === undefined ? '-A' : `-n ${shellWord(namespace)}`;
  const unknown = namespace === undefined ? 'PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are' : 'PLACEHOLDER_POD is';
  const commands = [
    `kubectl get pods ${place} -o ` +
      `custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i ${role}`,
    `kubectl -n ${namespace === undefined ? 'PLACEHOLDER_NAMESPACE' : shellWord(namespace)} logs ` +
      `PLACEHOLDER_POD --all-containers ${extent || '--tail=50'}`,
  ] as const;
  const whose = what === 'sidecar' ? `the ${role} of ${driver}` : `${driver} next to its ${role}`;
  return {
    text: `Read the log of ${whose}, and correct what it names. ${unknown} in the first line's output.`,
    command: commands[0],
    commands,
    risk: 'safe',
  };
}
