import type { SidecarStatus } from '../../report/status.ts';
import type { Container, Pod } from '../../kube/kinds.ts';
import { imageName } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';
import { isRunning, statusOf } from '../pod/pod-health.ts';
import { imageVersion } from './driver-version.ts';

/** The sidecars that elect no leader, and by what their image or container is known. */
const quietRoles: readonly (readonly [role: string, pattern: RegExp])[] = [
  ['registrar', /driver-registrar|registrar/],
  ['livenessprobe', /liveness-?probe/],
  ['health-monitor', /health-monitor/],
  ['snapshot-metadata', /snapshot-metadata/],
];

/** Those of some pods that are alike, or of the template that would make them. */
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
  const state = statuses.length === 0 ? 'unknown' : statuses.some(isRunning) ? 'works' : 'down';
  return { role, place, state, ...(image !== undefined && { image }), ...(version !== undefined && { version }) };
}
