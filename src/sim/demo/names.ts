import { uidOf } from './builders.ts';

/** Names that several parts of the demo refer to. */
export const diskDriver = 'disk.csi.example.com';
export const filesDriver = 'files.csi.example.com';
export const diskZoneKey = `topology.${diskDriver}/zone`;
export const storageNamespace = 'storage-system';
export const diskControllerPod = 'disk-controller-5d8f7c9b64-x2k8p';
export const diskProvisioner = `${diskDriver}_${diskControllerPod}_${uidOf('Provisioner', storageNamespace, diskControllerPod)}`;
/** The nodes and the zones they are in. */
export const zoneOfNode: Readonly<Record<string, string>> = { 'worker-1': 'zone-a', 'worker-2': 'zone-a', 'worker-3': 'zone-b' };
export const serverVersion = 'v1.36.4';
