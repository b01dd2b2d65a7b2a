import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { capabilityNames } from '../../core/kube/capability-names.ts';
import type { CapabilityGroup } from '../../core/kube/capability-names.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import {
  chunk,
  leaveStale,
  nodeInfo,
  pluginCapabilities,
  pluginInfo,
  rpcCapabilities,
  startDriver,
  varint,
} from '../csi-driver.ts';
import type { Answer, Answers, RunningDriver } from '../csi-driver.ts';
import { textAt } from '../fields.ts';
import { livenessProbe } from '../liveness-probe.ts';
import { placeOf, saying, socketNamedIn, tunnelTo, withoutShell, withoutTools } from '../pod-programs.ts';
import { listenerOf } from '../pod-streams.ts';
import type { PodContents } from '../pod-api.ts';
import {
  diskDriver,
  diskLimits,
  diskZoneKey,
  filesDriver,
  healthPorts,
  pluginDirectory,
  storageNamespace,
  zoneOfNode,
} from './names.ts';

export interface DemoDrivers {
  /** What the pods of the demo cluster run. */
  readonly contents: PodContents;
  /** A pod that was restarted runs a driver that works, as far as a restart can help. */
  readonly restart: (pod: RawObject) => Promise<void>;
  readonly stop: () => void;
}

const nodeNames = Object.keys(zoneOfNode);
const probeTimeoutMs = 1000;
const version = '1.4.0';
const ready = Buffer.alloc(0);
/** ready=false, which is a wrapper without its default value. */
const notReady = chunk(1, '');

const numbers = (group: CapabilityGroup, names: readonly string[]): number[] =>
  names.map((name) => (capabilityNames[group] as readonly string[]).indexOf(name));
const identity = (name: string, own: string, services: readonly string[], probe: Answer): Answers => ({
  '/csi.v1.Identity/GetPluginInfo': pluginInfo(name, own),
  '/csi.v1.Identity/GetPluginCapabilities': pluginCapabilities(
    numbers('plugin', services),
    numbers('expansion', ['ONLINE']),
  ),
  '/csi.v1.Identity/Probe': probe,
});
const nodeService = (nodeId: string, limit: number, topology: Readonly<Record<string, string>>): Answers => ({
  '/csi.v1.Node/NodeGetInfo': nodeInfo(nodeId, limit, topology),
  '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities(
    numbers('node', ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS', 'EXPAND_VOLUME', 'SINGLE_NODE_MULTI_WRITER']),
  ),
});
const diskServices = ['CONTROLLER_SERVICE', 'VOLUME_ACCESSIBILITY_CONSTRAINTS'];

const diskController: Answers = {
  ...identity(diskDriver, version, diskServices, ready),
  '/csi.v1.Controller/ControllerGetCapabilities': rpcCapabilities(
    numbers('controller', [
      'CREATE_DELETE_VOLUME',
      'PUBLISH_UNPUBLISH_VOLUME',
      'GET_CAPACITY',
      'CREATE_DELETE_SNAPSHOT',
      'CLONE_VOLUME',
      'EXPAND_VOLUME',
      'SINGLE_NODE_MULTI_WRITER',
    ]),
  ),
  '/csi.v1.Controller/GetCapacity': varint(1, 1340 * 2 ** 30),
};

const filesIdentity = (probe: Answer): Answers => identity(filesDriver, '0.9.2', ['CONTROLLER_SERVICE'], probe);
const filesController: Answers = {
  ...filesIdentity(ready),
  '/csi.v1.Controller/ControllerGetCapabilities': rpcCapabilities(
    numbers('controller', ['CREATE_DELETE_VOLUME', 'EXPAND_VOLUME']),
  ),
};

/** What a driver answers after its pod was replaced; a file server that does not answer is not cured by that. */
function afterRestart(short: string, node: string | undefined): Answers {
  if (node === undefined) return short === 'disk' ? diskController : filesController;
  if (short === 'disk')
    return {
      ...identity(diskDriver, version, diskServices, ready),
      ...nodeService(node, diskLimits[node] ?? 0, { [diskZoneKey]: zoneOfNode[node] ?? '' }),
    };
  const probe = filesProbes[node];
  const isCured = probe === 'stale' || probe === notReady || probe === undefined;
  return { ...filesIdentity(isCured ? ready : probe), ...nodeService(node, 0, {}) };
}

/** The disks work, except for worker-2, which an upgrade left behind, and worker-3, whose driver has begun to hang. */
function diskNode(node: string): Answers {
  const isOld = node === 'worker-2';
  return {
    ...identity(diskDriver, isOld ? '1.3.9' : version, diskServices, node === 'worker-3' ? 'hang' : ready),
    ...nodeService(node, isOld ? 16 : (diskLimits[node] ?? 0), { [diskZoneKey]: zoneOfNode[node] ?? '' }),
  };
}

/** The files driver has a bad day on every node. */
const filesProbes: Readonly<Record<string, Answer | 'stale'>> = {
  'worker-1': notReady,
  'worker-2': { code: 'FAILED_PRECONDITION', message: 'the file server files-1.example.com does not answer' },
  'worker-3': 'stale',
};

/** Starts the drivers of the demo cluster on sockets in this directory, each in a state of its own. */
export async function startDemoDrivers(directory: string): Promise<DemoDrivers> {
  const socketOf = (short: string, where: string): string => join(directory, `${short}-${where}.sock`);
  const running = new Map<string, RunningDriver>();
  const start = async (socket: string, answers: Answers): Promise<void> => {
    running.get(socket)?.stop();
    await rm(socket, { force: true });
    running.set(socket, await startDriver(socket, answers));
  };
  await start(socketOf('disk', 'controller'), diskController);
  for (const node of nodeNames) {
    await start(socketOf('disk', node), diskNode(node));
    const probe = filesProbes[node];
    if (probe === 'stale' || probe === undefined) await leaveStale(socketOf('files', node));
    else await start(socketOf('files', node), { ...filesIdentity(probe), ...nodeService(node, 0, {}) });
  }

  /** The socket of this machine that a path in a container of the cluster represents. */
  const socketAt = (pod: RawObject, container: string, path: string): string | undefined => {
    const place = placeOf(pod, container, path);
    if (place === undefined) return undefined;
    if ('volume' in place) {
      const socket = socketOf(shortOf(pod) ?? '', 'controller');
      const isSocket = place.volume === 'socket-dir' && place.path === '/csi.sock';
      return isSocket && running.has(socket) ? socket : undefined;
    }
    const short = [...Object.entries(shortNames)].find(
      ([driver]) => place.path === `${pluginDirectory(driver)}/csi.sock`,
    )?.[1];
    return short === undefined || !nodeNames.includes(place.node) ? undefined : socketOf(short, place.node);
  };

  const probes = new Map<string, Server>();
  return {
    contents: {
      streams: (pod, container, command) => {
        const path = socketNamedIn(command);
        if (pod.metadata.namespace === storageNamespace && shortOf(pod) !== undefined) {
          // The image of the disk driver has socat, that of the files driver a shell only; sidecars have nothing.
          if (container === 'files-driver') return withoutTools;
          if (container !== 'disk-driver') return withoutShell(command);
        }
        return path === undefined ? saying({}) : tunnelTo(socketAt(pod, container, path), path);
      },
      listeners: (pod, port) => {
        const short = shortOf(pod);
        const socket = socketAt(pod, 'liveness-probe', '/csi/csi.sock');
        if (short === undefined || socket === undefined || port !== healthPorts[short]) return undefined;
        const server = probes.get(socket) ?? livenessProbe(socket, probeTimeoutMs);
        probes.set(socket, server);
        return listenerOf(server, short === 'files');
      },
    },
    restart: async (pod) => {
      const short = shortOf(pod);
      if (short === undefined || pod.metadata.namespace !== storageNamespace) return;
      const node = pod.metadata.name.startsWith(`${short}-node-`) ? textAt(pod, 'spec', 'nodeName') : undefined;
      await start(socketOf(short, node ?? 'controller'), afterRestart(short, node));
    },
    stop: () => {
      for (const driver of running.values()) driver.stop();
    },
  };
}

const shortNames: Readonly<Record<string, string>> = { [diskDriver]: 'disk', [filesDriver]: 'files' };

function shortOf(pod: RawObject): string | undefined {
  return Object.values(shortNames).find(
    (short) => pod.metadata.name.startsWith(`${short}-controller-`) || pod.metadata.name.startsWith(`${short}-node-`),
  );
}
