import { uidOf } from './builders.ts';

/** Names that several parts of the demo refer to. */
export const diskDriver = 'disk.csi.example.com';
export const filesDriver = 'files.csi.example.com';
export const diskZoneKey = `topology.${diskDriver}/zone`;
export const storageNamespace = 'storage-system';
export const diskControllerPod = 'disk-controller-5d8f7c9b64-x2k8p';
export const diskProvisioner = `${diskDriver}_${diskControllerPod}_${uidOf('Provisioner', storageNamespace, diskControllerPod)}`;
/** The nodes and the zones they are in. */
export const zoneOfNode: Readonly<Record<string, string>> = {
  'worker-1': 'zone-a',
  'worker-2': 'zone-a',
  'worker-3': 'zone-b',
};
export const serverVersion = 'v1.36.4';
/** The health of the files driver can be queried only inside its pods. */
export const healthPorts: Readonly<Record<string, number>> = { disk: 9808, files: 9809 };
export const livenessFlags: Readonly<Record<string, readonly string[]>> = {
  disk: ['--probe-timeout=1s'],
  files: ['--http-endpoint=127.0.0.1:9809', '--probe-timeout=1s'],
};
export const pluginDirectory = (driver: string): string => `/var/lib/kubelet/plugins/${driver}`;
/** worker-3 is a small machine and can hold three disks. */
export const diskLimits: Readonly<Record<string, number>> = { 'worker-1': 25, 'worker-2': 25, 'worker-3': 3 };
