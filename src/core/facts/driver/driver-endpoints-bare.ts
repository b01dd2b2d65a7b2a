import type { DriverPlace, ObjectsVerdict } from '../../report/driver-endpoints.ts';
import type { Fix } from '../../report/report.ts';
import type { SidecarStatus } from '../../report/status.ts';
import { fix, shellWord } from '../evidence.ts';

/*
 * Places of a driver where no pod of it is known. `isBlind`: something that would have shown a pod could not be read.
 */

/** A driver may run as a plain process of the node, and a registration may be left over. */
export function bareNode(
  driver: string,
  node: string,
  isRegistered: boolean | undefined,
  isBlind: boolean,
): DriverPlace {
  return {
    driver,
    roles: ['node'],
    node,
    isRunning: isRegistered !== false,
    hasEnded: false,
    callers: [],
    known: isRegistered === true ? [`the kubelet of ${node} has registered it`] : [],
    verdict: judgeBareNode(node, isRegistered, isBlind),
  };
}

function judgeBareNode(node: string, isRegistered: boolean | undefined, isBlind: boolean): ObjectsVerdict {
  const pods = isBlind ? 'its pods there could not be read' : 'it has no pod there';
  switch (isRegistered) {
    case undefined:
      return {
        status: 'unknown',
        summary: `Whether the kubelet of ${node} has registered the driver could not be read, and ${pods}.`,
        fix: [],
      };
    case false:
      return {
        status: 'unreachable',
        failure: 'not-registered',
        summary: `The kubelet of ${node} has not registered the driver, and ${pods}.`,
        fix: [fix('Find out why it is not registered.', `kubectl csi why node/${shellWord(node)}`)],
      };
    case true:
      return {
        status: 'unknown',
        summary: `The kubelet of ${node} has registered the driver, but ${pods}.${isBlind ? '' : ' It may run outside a pod.'}`,
        fix: [fix('Probe its socket on the node.', 'sudo kubectl-csi probe')],
      };
  }
}

/** A node with the driver whose pods were not searched: it is not known whether it has one. */
export function unsearchedNode(driver: string, node: string): DriverPlace {
  return {
    driver,
    roles: ['node'],
    node,
    isRunning: true,
    hasEnded: false,
    callers: [],
    known: [`the kubelet of ${node} has registered it`],
    verdict: {
      status: 'unknown',
      summary:
        `The kubelet of ${node} has registered the driver, but no DaemonSet of it was found, and there are too ` +
        'many nodes to search their pods one by one.',
      fix: [fix('Probe one node.', `kubectl csi probe ${shellWord(driver)} --node ${shellWord(node)}`)],
    },
  };
}

/** A controller without pods: the state of its sidecars, and how to start them. */
interface BareController {
  readonly sidecars: readonly SidecarStatus[];
  readonly fix: readonly Fix[];
}

/** `known` lists what the leases of the sidecars show. */
export function bareController(
  driver: string,
  known: readonly string[],
  controller: BareController,
  isBlind: boolean,
): DriverPlace {
  return {
    driver,
    roles: ['controller'],
    isRunning: false,
    hasEnded: false,
    callers: [],
    known,
    verdict: judgeBareController(driver, controller, isBlind),
  };
}

function judgeBareController(
  driver: string,
  { sidecars, fix: startFix }: BareController,
  isBlind: boolean,
): ObjectsVerdict {
  const down = sidecars.find(({ state, why }) => state === 'down' && why !== undefined);
  if (down === undefined || sidecars.some(({ leader }) => leader !== undefined))
    return {
      status: 'unknown',
      summary:
        `${isBlind ? 'The pods of its controller could not be read' : 'No pod of its controller was found'}. ` +
        'Only the leases of its sidecars are known.',
      fix: [],
    };
  return {
    status: 'unreachable',
    failure: 'container-not-running',
    summary: `The ${down.role} of the driver ${down.why ?? ''}.`,
    fix: [
      ...startFix,
      fix('List the claims and pods that wait for it.', `kubectl csi why csidriver/${shellWord(driver)}`),
    ],
  };
}

/** The driver is installed, but neither a pod nor a registration of it was found. */
export function nowhere(driver: string, isBlind: boolean): DriverPlace {
  const verdict: ObjectsVerdict = isBlind
    ? {
        status: 'unknown',
        summary: 'Neither a pod nor a registration of the driver was found, but not everything could be read.',
        fix: [],
      }
    : {
        status: 'unreachable',
        failure: 'not-registered',
        summary: 'The driver is installed, but it is not registered on any node, and no pod of it was found.',
        fix: [fix('Find out what is wrong with it.', `kubectl csi why csidriver/${shellWord(driver)}`)],
      };
  return { driver, roles: [], isRunning: false, hasEnded: false, callers: [], known: [], verdict };
}
