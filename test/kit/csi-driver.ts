import { chunk, nodeInfo, pluginCapabilities, pluginInfo, rpcCapabilities, varint } from '../../src/sim/csi-driver.ts';
import type { Answers } from '../../src/sim/csi-driver.ts';

export { chunk, pluginInfo, registrationInfo, rpcCapabilities, startDriver, varint } from '../../src/sim/csi-driver.ts';
export type { Answers } from '../../src/sim/csi-driver.ts';

export const healthy: Answers = {
  '/csi.v1.Identity/GetPluginInfo': pluginInfo('disk.example.com', 'v1.2.3'),
  '/csi.v1.Identity/GetPluginCapabilities': pluginCapabilities([1, 2], [1]),
  '/csi.v1.Identity/Probe': Buffer.alloc(0),
};

export const deepAnswers: Answers = {
  ...healthy,
  '/csi.v1.Controller/ControllerGetCapabilities': rpcCapabilities([1, 2, 3, 4, 6, 9, 13]),
  '/csi.v1.Controller/GetCapacity': varint(1, 1_000_000_000),
  '/csi.v1.Controller/ListVolumes': Buffer.concat([
    chunk(1, chunk(1, chunk(2, 'volume-1'))),
    chunk(1, chunk(1, chunk(2, 'volume-2'))),
    chunk(2, 'next'),
  ]),
  '/csi.v1.Controller/ListSnapshots': Buffer.alloc(0),
  '/csi.v1.Node/NodeGetInfo': nodeInfo('worker-1', 25, { 'topology.example.com/zone': 'a' }),
  '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([1, 2, 3, 5, 99]),
};
