import * as messages from './messages.ts';
import type { MessageTable } from './wire.ts';
import { encodeNumbers } from './wire.ts';

export interface Method<M extends MessageTable = MessageTable> {
  readonly path: string;
  readonly answer: M;
  readonly request: Buffer;
}

const nothing = Buffer.alloc(0);
const method = <M extends MessageTable>(path: string, answer: M, request: Buffer = nothing): Method<M> => ({
  path,
  answer,
  request,
});

/** max_entries, which has the same number in both requests: only one page, since cloud APIs may charge for lists. */
const firstPage = encodeNumbers({ 1: 100 });

/** Every call that can be made. All of them only read. */
export const methods = {
  getPluginInfo: method('/csi.v1.Identity/GetPluginInfo', messages.pluginInfo),
  getPluginCapabilities: method('/csi.v1.Identity/GetPluginCapabilities', messages.pluginCapabilities),
  probe: method('/csi.v1.Identity/Probe', messages.probeAnswer),
  controllerGetCapabilities: method('/csi.v1.Controller/ControllerGetCapabilities', messages.controllerCapabilities),
  getCapacity: method('/csi.v1.Controller/GetCapacity', messages.capacity),
  listVolumes: method('/csi.v1.Controller/ListVolumes', messages.volumeList, firstPage),
  listSnapshots: method('/csi.v1.Controller/ListSnapshots', messages.snapshotList, firstPage),
  controllerListVolumeHealth: method(
    '/csi.v1.Controller/ControllerListVolumeHealth',
    messages.volumeHealthList,
    firstPage,
  ),
  groupControllerGetCapabilities: method(
    '/csi.v1.GroupController/GroupControllerGetCapabilities',
    messages.groupControllerCapabilities,
  ),
  nodeGetInfo: method('/csi.v1.Node/NodeGetInfo', messages.nodeInfo),
  nodeGetCapabilities: method('/csi.v1.Node/NodeGetCapabilities', messages.nodeCapabilities),
  nodeGetVolumeStats: method('/csi.v1.Node/NodeGetVolumeStats', messages.volumeStats),
  nodeGetStorageHealth: method('/csi.v1.Node/NodeGetStorageHealth', messages.storageHealth),
  registrationGetInfo: method('/pluginregistration.Registration/GetInfo', messages.registrationInfo),
  getPluginInfoV0: method('/csi.v0.Identity/GetPluginInfo', messages.pluginInfoV0),
  cosiGetInfo: method('/cosi.v1alpha1.Identity/DriverGetInfo', messages.cosiInfo),
  cosiGetInfoV2: method('/sigs.k8s.io.cosi.v1alpha2.Identity/DriverGetInfo', messages.cosiInfoV2),
} as const;

const allowed: ReadonlySet<Method> = new Set(Object.values(methods));

/** By identity, not by path: a method object from elsewhere is refused even if its path is the same. */
export function isAllowed(method: Method): boolean {
  return allowed.has(method);
}

export const shortNameOf = (method: Method): string => method.path.slice(method.path.lastIndexOf('/') + 1);
