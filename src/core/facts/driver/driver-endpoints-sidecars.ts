import type { CallerPatience, HealthListener } from '../../report/driver-endpoints.ts';
import type { Container, Pod } from '../../kube/kinds.ts';
import { parseGoDuration } from '../../kube/duration.ts';
import { parseTime } from '../../kube/time.ts';
import { flagOf, imageName } from './driver-pods.ts';
import { withVariables } from './node-plugin.ts';
import { isRunning } from '../pod/pod-health.ts';
import { containerStatusesOf } from '../pod/pod-state.ts';
import { imageVersion } from './driver-version.ts';

const containersOf = (pod: Pod): readonly Container[] => [
  ...(pod.spec?.containers ?? []),
  ...(pod.spec?.initContainers ?? []),
];
const usualHealthPort = 9808;

/** The livenessprobe sidecar: by image, or by name where images are digests. */
function livenessProbeOf(pod: Pod): Container | undefined {
  const containers = containersOf(pod);
  return (
    containers.find((container) => imageName(container) === 'livenessprobe') ??
    containers.find((container) => /liveness-?probe/.test(`${container.name ?? ''} ${imageName(container)}`))
  );
}

/**
 * Where the livenessprobe listens. `--http-endpoint` overrides `--health-port`, which is on all addresses
 * (livenessprobe main.go).
 */
export function healthOf(pod: Pod, now: number): HealthListener | undefined {
  const container = livenessProbeOf(pod);
  if (container?.name === undefined) return undefined;
  const value = (flag: string): string | undefined => {
    const written = flagOf(container, flag);
    return written === undefined ? undefined : withVariables(written, container, pod);
  };
  const endpoint = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(value('http-endpoint') ?? '');
  const written = endpoint?.[3] ?? value('health-port');
  const port = healthPort(pod, container, written);
  if (port === undefined) return undefined;
  const host = endpoint?.[1] ?? endpoint?.[2] ?? '';
  const status = containerStatusesOf(pod).find(({ name }) => name === container.name);
  const since = parseTime(status?.state?.running?.startedAt);
  return {
    container: container.name,
    port,
    isLocal: host === 'localhost' || host === '::1' || host.startsWith('127.'),
    isRunning: isRunning(status),
    ...(since !== undefined && { runningMs: now - since }),
  };
}

/**
 * A shell hides the arguments, and a variable may have no known value: then the kubelet's check of the driver names the
 * port.
 */
function healthPort(pod: Pod, container: Container, written: string | undefined): number | undefined {
  const isHidden = /(^|\/)[a-z]*sh$/.test(container.command?.[0] ?? '');
  if (written === undefined) return isHidden ? checkedPort(pod) : usualHealthPort;
  return portNumber(written, pod) ?? checkedPort(pod);
}

/** The port that the kubelet checks, which is that of the sidecar. */
function checkedPort(pod: Pod): number | undefined {
  return containersOf(pod)
    .map(({ livenessProbe }) => livenessProbe?.httpGet?.port)
    .map((port) => (port === undefined ? undefined : portNumber(port, pod)))
    .find((port) => port !== undefined);
}

function portNumber(written: string, pod: Pod): number | undefined {
  const named = containersOf(pod)
    .flatMap(({ ports }) => ports ?? [])
    .find(({ name }) => name !== undefined && name === written)?.containerPort;
  const port = named ?? Number(written);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

interface Caller {
  readonly name: string;
  readonly image: RegExp;
  readonly flag: string;
  readonly usualMs: (version: string | undefined) => number;
}

/** How long each sidecar waits for the driver, unless its arguments say otherwise. */
const callers: readonly Caller[] = [
  { name: 'the node-driver-registrar', image: /driver-registrar|registrar/, flag: 'timeout', usualMs: () => 1000 },
  {
    name: 'the livenessprobe',
    image: /liveness-?probe/,
    flag: 'probe-timeout',
    usualMs: (version) => (isBefore(version, 2, 17) ? 1000 : 3000),
  },
  { name: 'the provisioner', image: /provisioner/, flag: 'timeout', usualMs: () => 10_000 },
  { name: 'the resizer', image: /resizer/, flag: 'timeout', usualMs: () => 10_000 },
  { name: 'the attacher', image: /attacher/, flag: 'timeout', usualMs: () => 15_000 },
  { name: 'the health monitor', image: /health-monitor/, flag: 'timeout', usualMs: () => 15_000 },
  { name: 'the snapshotter', image: /snapshotter/, flag: 'timeout', usualMs: () => 60_000 },
];

/** The sidecars of this pod that call the driver, those with the shortest timeout first. */
export function callersOf(pod: Pod): CallerPatience[] {
  const found = callers.flatMap(({ name, image, flag, usualMs }) => {
    const container =
      containersOf(pod).find((candidate) => image.test(imageName(candidate))) ??
      containersOf(pod).find((candidate) => candidate.name !== undefined && image.test(candidate.name));
    if (container === undefined) return [];
    const set = parseGoDuration(flagOf(container, flag) ?? '');
    return [
      { caller: name, milliseconds: set ?? usualMs(imageVersion(container.image)), isDefault: set === undefined },
    ];
  });
  return found.sort((a, b) => a.milliseconds - b.milliseconds);
}

function isBefore(version: string | undefined, major: number, minor: number): boolean {
  const match = /^v?(\d+)\.(\d+)/.exec(version ?? '');
  return match !== null && (Number(match[1]) < major || (Number(match[1]) === major && Number(match[2]) < minor));
}
