import { field, message, repeated } from './wire.ts';

/** The answers of drivers, as in proto/; a test compares the two. */
export const pluginInfo = message('csi.v1.GetPluginInfoResponse', {
  name: field(1, 'string'),
  vendorVersion: field(2, 'string'),
  manifest: field(3, 'textMap'),
});

const service = message('csi.v1.PluginCapability.Service', { type: field(1, 'enum') });
const volumeExpansion = message('csi.v1.PluginCapability.VolumeExpansion', { type: field(1, 'enum') });
const pluginCapability = message('csi.v1.PluginCapability', {
  service: field(1, service),
  volumeExpansion: field(2, volumeExpansion),
});
export const pluginCapabilities = message('csi.v1.GetPluginCapabilitiesResponse', {
  capabilities: repeated(1, pluginCapability),
});

const boolValue = message('csi.v1.BoolValue', { value: field(1, 'bool') });
const int64Value = message('csi.v1.Int64Value', { value: field(1, 'int64') });
export const probeAnswer = message('csi.v1.ProbeResponse', { ready: field(1, boolValue) });

const controllerRpc = message('csi.v1.ControllerServiceCapability.RPC', { type: field(1, 'enum') });
const controllerCapability = message('csi.v1.ControllerServiceCapability', { rpc: field(1, controllerRpc) });
export const controllerCapabilities = message('csi.v1.ControllerGetCapabilitiesResponse', {
  capabilities: repeated(1, controllerCapability),
});

const groupControllerRpc = message('csi.v1.GroupControllerServiceCapability.RPC', { type: field(1, 'enum') });
const groupControllerCapability = message('csi.v1.GroupControllerServiceCapability', {
  rpc: field(1, groupControllerRpc),
});
export const groupControllerCapabilities = message('csi.v1.GroupControllerGetCapabilitiesResponse', {
  capabilities: repeated(1, groupControllerCapability),
});

const nodeRpc = message('csi.v1.NodeServiceCapability.RPC', { type: field(1, 'enum') });
const nodeCapability = message('csi.v1.NodeServiceCapability', { rpc: field(1, nodeRpc) });
export const nodeCapabilities = message('csi.v1.NodeGetCapabilitiesResponse', {
  capabilities: repeated(1, nodeCapability),
});

const topology = message('csi.v1.Topology', { segments: field(1, 'textMap') });
export const nodeInfo = message('csi.v1.NodeGetInfoResponse', {
  nodeId: field(1, 'string'),
  maxVolumesPerNode: field(2, 'int64'),
  accessibleTopology: field(3, topology),
});

const volumeUsage = message('csi.v1.VolumeUsage', {
  available: field(1, 'int64'),
  total: field(2, 'int64'),
  used: field(3, 'int64'),
  unit: field(4, 'enum'),
});
const volumeCondition = message('csi.v1.VolumeCondition', { abnormal: field(1, 'bool'), message: field(2, 'string') });
export const volumeStats = message('csi.v1.NodeGetVolumeStatsResponse', {
  usage: repeated(1, volumeUsage),
  volumeCondition: field(2, volumeCondition),
});

export const capacity = message('csi.v1.GetCapacityResponse', {
  availableCapacity: field(1, 'int64'),
  maximumVolumeSize: field(2, int64Value),
  minimumVolumeSize: field(3, int64Value),
});

const volumeEntry = message('csi.v1.ListVolumesResponse.Entry', {});
export const volumeList = message('csi.v1.ListVolumesResponse', {
  entries: repeated(1, volumeEntry),
  nextToken: field(2, 'string'),
});

const snapshotEntry = message('csi.v1.ListSnapshotsResponse.Entry', {});
export const snapshotList = message('csi.v1.ListSnapshotsResponse', {
  entries: repeated(1, snapshotEntry),
  nextToken: field(2, 'string'),
});

const volumeHealthEntry = message('csi.v1.VolumeHealth.VolumeHealthEntry', {
  status: field(1, 'enum'),
  reason: field(2, 'string'),
  message: field(3, 'string'),
});
const volumeHealth = message('csi.v1.VolumeHealth', {
  volumeId: field(1, 'string'),
  healthStatuses: repeated(2, volumeHealthEntry),
});
export const volumeHealthList = message('csi.v1.ControllerListVolumeHealthResponse', {
  entries: repeated(1, volumeHealth),
  nextToken: field(2, 'string'),
});

const storageBackendHealth = message('csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth', {
  status: field(1, 'enum'),
  reason: field(2, 'string'),
  message: field(3, 'string'),
});
export const storageHealth = message('csi.v1.NodeGetStorageHealthResponse', {
  backendHealth: repeated(1, storageBackendHealth),
});

export const pluginInfoV0 = message('csi.v0.GetPluginInfoResponse', {
  name: field(1, 'string'),
  vendorVersion: field(2, 'string'),
  manifest: field(3, 'textMap'),
});

export const cosiInfo = message('cosi.v1alpha1.DriverGetInfoResponse', { name: field(1, 'string') });

const objectProtocol = message('sigs.k8s.io.cosi.v1alpha2.ObjectProtocol', { type: field(1, 'enum') });
export const cosiInfoV2 = message('sigs.k8s.io.cosi.v1alpha2.DriverGetInfoResponse', {
  name: field(1, 'string'),
  supportedProtocols: repeated(2, objectProtocol),
});

export const registrationInfo = message('pluginregistration.PluginInfo', {
  type: field(1, 'string'),
  name: field(2, 'string'),
  endpoint: field(3, 'string'),
  supportedVersions: repeated(4, 'string'),
});
