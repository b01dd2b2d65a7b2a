import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { ProbeItem, ProbeVia } from '../../core/report/probe-report.ts';
import { openBridge } from './bridge.ts';
import type { Bridge } from './bridge.ts';
import { inPod, verdictInPod } from './cluster-words.ts';
import type { RouteResult } from './cluster-words.ts';
import { secondsText, within } from './deadline.ts';
import { probeEndpoint } from './probe-endpoint.ts';
import type { ProbeOptions } from './probe-endpoint.ts';
import { hasBegun, isPlainPath, judgeTunnel, toolOf, tunnelCommand } from './tunnel-command.ts';
import type { TunnelEnd } from './tunnel-command.ts';
import { rightsOf, rightText } from './ways.ts';
import type { PodName } from './pod-conversation.ts';
import type { Ways } from './ways.ts';

export interface TunnelOptions extends ProbeOptions {
  /** The user's own command that connects its standard streams to the socket. */
  readonly tunnelCommand?: string;
  readonly signal?: AbortSignal;
}

/** The container in which the command runs, and the path of the socket there. */
export interface Entrance {
  readonly via: Extract<ProbeVia, 'exec' | 'pod'>;
  readonly pod: PodName;
  readonly container: string;
  readonly socket: string;
}

/** How to enter the driver's container, or why that is impossible. */
export function entranceOf(place: DriverPlace): Entrance | string {
  if (place.pod === undefined || place.namespace === undefined) return 'no pod of the driver is known';
  if (place.container === undefined) return 'which container of the pod is the driver is not known';
  if (place.address !== undefined) return `the driver listens on ${place.address}, which is not a socket file`;
  if (place.socket === undefined) return 'neither its arguments nor its sidecars show where the driver listens';
  if (!isPlainPath(place.socket))
    return `the path of the socket, ${place.socket}, has characters that are not safe in a command`;
  return {
    via: 'exec',
    pod: { namespace: place.namespace, name: place.pod },
    container: place.container,
    socket: place.socket,
  };
}

/** A probe through a command in a container that connects its standard streams to the socket. */
export async function askThroughExec(
  place: DriverPlace,
  entrance: Entrance,
  ways: Ways,
  options: TunnelOptions,
): Promise<RouteResult> {
  const { via, pod, container, socket } = entrance;
  const lacking = await ways.lacks(rightsOf.exec, pod.namespace);
  if (lacking !== undefined)
    return forbidden(
      via,
      `you may not ${rightText(lacking, pod.namespace)}`,
      `Request the right to get and create pods/exec in namespace ${pod.namespace}.`,
    );
  const command = tunnelCommand(socket, options.tunnelCommand);
  const bridge = await openBridge(() => ways.exec(pod, container, command, options.timeoutMs), options.signal).catch(
    (error: Error) => error,
  );
  if (bridge instanceof Error)
    return {
      route: {
        via,
        outcome: 'failed',
        note: `cannot create a local socket for the connection: ${bridge.message}`,
      },
    };
  try {
    const item = await probeEndpoint(
      { type: 'unix', path: bridge.path },
      { ...options, asDriver: true, expectedName: place.driver, callers: place.callers },
    );
    return await settle(place, entrance, item, bridge, options);
  } finally {
    await bridge.close();
  }
}

async function settle(
  place: DriverPlace,
  { via, pod, container }: Entrance,
  item: ProbeItem,
  bridge: Bridge,
  options: TunnelOptions,
): Promise<RouteResult> {
  const where = `container ${container} of ${pod.namespace}/${pod.name}`;
  const isOpen = item.calls.length > 0;
  if (!isOpen) {
    // The exit status of the command arrives a moment after its output.
    const end = await within(bridge.end(), endingMs, undefined);
    if (end !== undefined && 'reason' in end)
      return end.reason === 'forbidden'
        ? forbidden(via, end.message, `Request the right to get and create pods/exec in namespace ${pod.namespace}.`)
        : { route: { via, outcome: 'failed', note: `${where} could not be entered: ${end.message}` } };
    const reason = end && judgeTunnel(end);
    if (reason !== undefined) return ended(place, via, where, reason);
    if (item.failure === 'handshake-hang' && !hasBegun(bridge.errors(), options.tunnelCommand))
      return {
        route: {
          via,
          outcome: 'failed',
          note: `the command in ${where} did not start within ${secondsText(options.timeoutMs)}`,
        },
      };
  }
  const tool = toolOf(bridge.errors());
  const { endpoint: _endpoint, via: _via, protocol: _protocol, ...told } = item;
  return {
    route: { via, outcome: 'answered', note: `gRPC through ${tool ?? 'a command'} in ${where}` },
    told: { ...told, ...inPod(place, item) },
  };
}

const endingMs = 1000;

function ended(place: DriverPlace, via: Entrance['via'], where: string, reason: TunnelEnd): RouteResult {
  if ('doubt' in reason)
    return { route: { via, outcome: 'failed', note: `the command in ${where} failed: ${reason.doubt}` } };
  if ('blocked' in reason)
    return { route: { via, outcome: 'impossible', note: `${reason.note} (${where})` }, failure: reason.blocked };
  return {
    route: { via, outcome: 'answered', note: `the command in ${where} could not connect to the socket` },
    told: verdictInPod(reason, place),
  };
}

function forbidden(via: Entrance['via'], note: string, right: string): RouteResult {
  return {
    route: { via, outcome: 'forbidden', note },
    failure: 'exec-forbidden',
    next: [{ text: `${right} The driver itself can then be queried.`, risk: 'safe' }],
  };
}
