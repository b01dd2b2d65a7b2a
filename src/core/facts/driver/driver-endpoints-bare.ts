import type { DriverPlace, ObjectsVerdict } from '../../report/driver-endpoints.ts';
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
  const pods = isBlind ? 'whether a pod of it runs there could not be read' : 'no pod of it is known there';
  switch (isRegistered) {
    case undefined:
      return {
        status: 'unknown',
        summary: `whether the kubelet of ${node} has registered the driver could not be read, and ${pods}`,
        fix: [],
      };
    case false:
      return {
        status: 'unreachable',
        failure: 'not-registered',
        summary: `the kubelet of ${node} has not registered the driver, and ${pods}`,
        fix: [fix('see why', `kubectl csi why node/${shellWord(node)}`)],
      };
    case true:
      return {
        status: 'unknown',
        summary: `the kubelet of ${node} has registered the driver, but ${pods}${isBlind ? '' : '; it may run outside of pods'}`,
        fix: [fix('ask its socket on the node itself', 'sudo kubectl-csi probe')],
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
      summary: `the kubelet of ${node} has registered the driver, but no DaemonSet of it is known, and on so many nodes its pods were not looked for one by one`,
      fix: [fix('look on one node', `kubectl csi probe ${shellWord(driver)} --node ${shellWord(node)}`)],
    },
  };
}

/** `known` says what the leases of the sidecars show. */
export function bareController(
  driver: string,
  known: readonly string[],
  sidecars: readonly SidecarStatus[],
  isBlind: boolean,
): DriverPlace {
  return {
    driver,
    roles: ['controller'],
    isRunning: false,
    hasEnded: false,
    callers: [],
    known,
    verdict: judgeBareController(driver, sidecars, isBlind),
  };
}

function judgeBareController(driver: string, sidecars: readonly SidecarStatus[], isBlind: boolean): ObjectsVerdict {
  const down = sidecars.find(({ state, why }) => state === 'down' && why !== undefined);
  if (down === undefined || sidecars.some(({ leader }) => leader !== undefined))
    return {
      status: 'unknown',
      summary: `${isBlind ? 'the pods of its controller could not be read' : 'no pod of its controller was found'}; its sidecars show themselves by their leases only`,
      fix: [],
    };
  return {
    status: 'unreachable',
    failure: 'container-not-running',
    summary: `no controller of the driver runs: the ${down.role} ${down.why ?? ''}`,
    fix: [fix('see what hangs on it', `kubectl csi why csidriver/${shellWord(driver)}`)],
  };
}

/** The driver is installed, but neither a pod nor a registration of it was found. */
export function nowhere(driver: string, isBlind: boolean): DriverPlace {
  const verdict: ObjectsVerdict = isBlind
    ? {
        status: 'unknown',
        summary: 'no trace of the driver was found, but not all that could show one could be read',
        fix: [],
      }
    : {
        status: 'unreachable',
        failure: 'not-registered',
        summary: 'the driver is installed, but it is registered on no node and no pod of it was found',
        fix: [fix('see what is wrong with it', `kubectl csi why csidriver/${shellWord(driver)}`)],
      };
  return { driver, roles: [], isRunning: false, hasEnded: false, callers: [], known: [], verdict };
}
