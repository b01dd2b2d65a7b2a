import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { ControllerStatus, Leader, SidecarStatus } from '../../report/status.ts';
import type { ControllerWorkload } from './controller.ts';
import { findController } from './drivers.ts';
import type { DriverController, SidecarRole } from './drivers.ts';
import { sidecarOf } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import {
  crashLoop,
  leaderTrouble,
  leadsWithoutLease,
  leaseTrouble,
  podTrouble,
  runsSidecar,
  usesLeaderElection,
  workloadTrouble,
} from './controller-health.ts';
import type { ControllerTrouble } from './controller-health.ts';
import { isReady } from '../pod/pod-state.ts';
import { imageVersion } from './driver-version.ts';

interface ControllerSurvey {
  readonly controller: ControllerStatus;
  readonly sidecars: readonly SidecarStatus[];
  /** How to get the first sidecar that is down running again, the same as `why` prints. */
  readonly fix: readonly Fix[];
  /** The pods of the controller, and the specs of pods and templates. */
  readonly pods: readonly Pod[];
  readonly specs: readonly PodSpec[];
}

const roles: readonly SidecarRole[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

/** The controller of a driver, judged by the leases, the pods and the workloads of its sidecars. */
export function surveyController(ask: Inquiry, driver: string): ControllerSurvey {
  const found = roles.map((role) => findController(ask, driver, role));
  const present = found.filter(isPresent);
  const pods = [
    ...new Map(
      present
        .flatMap(({ pods: { items } }) => items)
        .map((pod) => [`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`, pod]),
    ).values(),
  ];
  const workload =
    present.find((controller) => controller.workload?.object)?.workload ??
    present.find((controller) => controller.workload)?.workload;
  const judged = present.map((controller) => ({ controller, health: healthOf(ask, controller) }));
  const sidecars = judged.map(({ controller, health }) => sidecarStatus(controller, health));
  const template = workload?.object?.spec?.template?.spec;
  const specs = [...pods.map(({ spec }) => spec), template].filter((spec) => spec !== undefined);
  return {
    controller: { state: stateOf(found, sidecars), ...placeOf(present, pods, workload) },
    sidecars,
    fix: judged.find(({ health }) => health.trouble !== undefined)?.health.trouble?.fix ?? [],
    pods,
    specs,
  };
}

function isPresent({ lease, pods, workload }: DriverController): boolean {
  return lease.object !== undefined || pods.items.length > 0 || workload !== undefined;
}

function stateOf(found: readonly DriverController[], sidecars: readonly SidecarStatus[]): ControllerStatus['state'] {
  if (sidecars.some(({ state }) => state === 'down')) return 'down';
  if (sidecars.some(({ state }) => state === 'works')) return 'works';
  return sidecars.length === 0 && found.every(({ lease, pods }) => lease.state === 'missing' && pods.complete)
    ? 'none'
    : 'unknown';
}

function placeOf(
  present: readonly DriverController[],
  pods: readonly Pod[],
  workload: ControllerWorkload | undefined,
): Omit<ControllerStatus, 'state'> {
  const namespace =
    workload?.namespace ??
    pods[0]?.metadata.namespace ??
    present.find(({ lease }) => lease.object)?.lease.object?.metadata.namespace;
  const wanted = workload?.object?.spec?.replicas;
  const isCounted = pods.length > 0 || (wanted !== undefined && present.some((controller) => controller.pods.complete));
  return {
    ...(namespace !== undefined && { namespace }),
    ...(workload && { workload: `${workload.kind.toLowerCase()}/${workload.name}` }),
    ...(isCounted && { pods: { ready: pods.filter(isReady).length, total: Math.max(pods.length, wanted ?? 0) } }),
  };
}

function sidecarStatus(controller: DriverController, { state, trouble }: SidecarHealth): SidecarStatus {
  const { lease, leader, pods, role, workload } = controller;
  const image = sidecarOf((leader ?? pods.items[0])?.spec ?? workload?.object?.spec?.template?.spec, role)?.image;
  const version = imageVersion(image);
  const spec = lease.object?.spec;
  return {
    role,
    place: 'controller',
    state,
    ...(image !== undefined && { image }),
    ...(version !== undefined && { version }),
    ...(lease.state === 'fresh' &&
      spec?.holderIdentity && { leader: leaderOf(controller, spec.holderIdentity, spec.acquireTime) }),
    ...(lease.state === 'stale' && !leadsWithoutLease(controller) && { staleLease: staleLeaseOf(controller) }),
    ...(trouble && { why: trouble.words }),
  };
}

function leaderOf({ leader }: DriverController, holder: string, since: string | undefined): Leader {
  const isPod = leader !== undefined && holder.startsWith(leader.metadata.name);
  return { holder: isPod ? leader.metadata.name : holder, isPod, ...(since !== undefined && { since }) };
}

function staleLeaseOf({ lease: { name, object } }: DriverController): NonNullable<SidecarStatus['staleLease']> {
  const namespace = object?.metadata.namespace;
  const { holderIdentity: holder, renewTime: renewedAt } = object?.spec ?? {};
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(holder && { holder }),
    ...(renewedAt !== undefined && { renewedAt }),
  };
}

interface SidecarHealth {
  readonly state: SidecarStatus['state'];
  readonly trouble?: ControllerTrouble;
}

function healthOf(ask: Inquiry, controller: DriverController): SidecarHealth {
  const { lease, pods } = controller;
  if (lease.state === 'fresh') return { state: 'works' };
  const running = pods.items.filter((pod) => runsSidecar(pod, controller));
  // A lease left over from when leader election was on proves nothing about a sidecar that runs without it.
  if (running.some((pod) => isReady(pod) && (lease.state !== 'stale' || !usesLeaderElection(pod, controller))))
    return { state: 'works' };
  const trouble = crashLoop(controller, ask.now) ?? findTrouble(controller, running, ask.now);
  return trouble ? { state: 'down', trouble } : { state: 'unknown' };
}

function findTrouble(
  controller: DriverController,
  running: readonly Pod[],
  now: number,
): ControllerTrouble | undefined {
  if (running.length > 0) return leaderTrouble(controller, running, now);
  const name = `the ${controller.role} of ${controller.driver}`;
  return podTrouble(controller) ?? workloadTrouble(controller) ?? leaseTrouble(controller, name, now);
}
