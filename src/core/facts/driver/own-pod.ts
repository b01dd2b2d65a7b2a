import type { Inquiry } from '../../graph/inquiry.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { cannotStart, isCrashing, statusOf } from '../pod/pod-health.ts';
import type { SidecarRole } from './driver-lease.ts';
import { driverContainerOf, flagOf, imageName, mentionsDriver, servedNames, sidecarOf } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';
import { driverOfPlugin, driversAtHand, registrarOf } from './node-plugin.ts';

/** A pod that is itself a part of a storage driver, with the container that keeps that part from working. */
export interface BrokenDriverPod {
  /** Undefined where nothing that was read names the driver. */
  readonly driver: string | undefined;
  readonly status: ContainerStatus;
  /** The registrar of a node plugin; the driver next to it may run. */
  readonly isRegistrar: boolean;
  /** What its controller does and now does not do; empty for a node plugin. */
  readonly roles: readonly SidecarRole[];
}

const allRoles: readonly SidecarRole[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

/** Undefined for every other pod, and for one whose driver and sidecars neither crash nor fail to start. */
export function brokenDriverPod(ask: Inquiry, pod: Pod): BrokenDriverPod | undefined {
  const { spec } = pod;
  const status = brokenContainerOf(pod, ask.now);
  if (!status) return undefined;
  const registrar = registrarOf(spec);
  const roles = registrar ? [] : controllerRoles(spec);
  const own = roles.filter((role) => sidecarOf(spec, role)?.name === status.name);
  return {
    driver: registrar ? (driverOfPlugin(ask, spec) ?? flaggedName(spec)) : driverOfController(ask, spec),
    status,
    isRegistrar: registrar !== undefined && status.name === registrar.name,
    roles: own.length > 0 ? own : roles,
  };
}

/** The container of a driver's pod that keeps the driver from working. */
export function brokenContainerOf(pod: Pod, now: number): ContainerStatus | undefined {
  const { spec, status } = pod;
  // Most pods are healthy, and that is seen sooner than whether they are a driver.
  const broken = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter((each) =>
    isBroken(each, now),
  );
  if (broken.length === 0) return undefined;
  const registrar = registrarOf(spec);
  const roles = registrar ? [] : controllerRoles(spec);
  if (!registrar && roles.length === 0) return undefined;
  const sidecars = registrar ? [registrar] : roles.map((role) => sidecarOf(spec, role));
  const watched = [driverContainerOf(spec), ...sidecars].map((container) => statusOf(pod, container?.name));
  return [...(status?.initContainerStatuses ?? []), ...watched].find(
    (each) => each !== undefined && broken.includes(each),
  );
}

function isBroken(status: ContainerStatus, now: number): boolean {
  // An init container that has done its work ends with 0.
  if (status.state?.terminated?.exitCode === 0) return false;
  return cannotStart(status) || isCrashing(status, now);
}

/** The sidecars of a CSI controller, or a provisioner with a name of its own. */
function controllerRoles(spec: PodSpec | undefined): SidecarRole[] {
  const roles = allRoles.filter((role) => {
    const sidecar = sidecarOf(spec, role);
    return sidecar && (imageName(sidecar).includes('csi') || flagOf(sidecar, 'csi-address') !== undefined);
  });
  if (roles.length > 0) return roles;
  return servedNames(spec).length > 0 ? ['provisioner'] : [];
}

function driverOfController(ask: Inquiry, spec: PodSpec | undefined): string | undefined {
  const named = [...driversAtHand(ask)].filter((driver) => mentionsDriver(spec, driver));
  return named.length === 1 ? named[0] : (flaggedName(spec) ?? servedNames(spec)[0]?.name);
}

function flaggedName(spec: PodSpec | undefined): string | undefined {
  const container = driverContainerOf(spec);
  const name = flagOf(container, 'drivername') ?? flagOf(container, 'driver-name');
  return name !== undefined && /^[a-z0-9][a-z0-9.-]*$/i.test(name) && name !== 'true' ? name : undefined;
}
