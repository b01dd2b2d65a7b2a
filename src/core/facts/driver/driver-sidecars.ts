import type { SidecarStatus } from '../../report/status.ts';
import type { Container, ContainerStatus, Pod } from '../../kube/kinds.ts';
import { imageName } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';
import { isRunning, statusOf } from '../pod/pod-health.ts';
import { imageVersion } from './driver-version.ts';

/** The sidecars without leader election, and how their image or container is recognised. */
const quietRoles: readonly (readonly [role: string, pattern: RegExp])[] = [
  ['registrar', /driver-registrar|registrar/],
  ['livenessprobe', /liveness-?probe/],
  ['health-monitor', /health-monitor/],
  ['snapshot-metadata', /snapshot-metadata/],
];

/** The sidecars without leader election in pods of the same kind, or in the template that would create such pods. */
export function quietSidecars(
  pods: readonly Pod[],
  template: PodSpec | undefined,
  place: SidecarStatus['place'],
): SidecarStatus[] {
  const spec = pods[0]?.spec ?? template;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return quietRoles.flatMap(([role, pattern]) => {
    const container =
      containers.find((candidate) => pattern.test(imageName(candidate))) ??
      containers.find(({ name }) => name !== undefined && pattern.test(name));
    return container ? [sidecarOf(role, place, container, pods)] : [];
  });
}

function sidecarOf(
  role: string,
  place: SidecarStatus['place'],
  { name, image }: Container,
  pods: readonly Pod[],
): SidecarStatus {
  const version = imageVersion(image);
  const statuses = pods.map((pod) => statusOf(pod, name)).filter((status) => status !== undefined);
  return {
    role,
    place,
    state: stateOf(statuses),
    ...(image !== undefined && { image }),
    ...(version !== undefined && { version }),
  };
}

function stateOf(statuses: readonly ContainerStatus[]): SidecarStatus['state'] {
  if (statuses.length === 0) return 'unknown';
  return statuses.some(isRunning) ? 'works' : 'down';
}
