import type { World } from './world.ts';

/** Grpc codes, as numbers on the wire. */
const codes = {
  unknown: 2,
  invalidArgument: 3,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A fault that no object and no event tells: only a line in the log of a sidecar or of the driver. */
export interface LogFault {
  readonly name: string;
  /** The causes that the line may lead to. */
  readonly causes: readonly string[];
  /** Words of the line. */
  readonly mention: string;
  /** Breaks it, and returns what to ask about. */
  readonly break: (place: LogPlace) => Promise<string>;
}

/** What all these faults share: a namespace, and a driver whose sidecars and node plugin run in pods. */
interface LogPlace {
  readonly world: World;
  readonly driver: string;
  /** The driver refuses a call whose request holds a text. */
  readonly refuse: (method: string, code: number, message: string, within: string) => void;
}

function refusedVolume(name: string, code: keyof typeof codes, message: string, cause: string): LogFault {
  return {
    name: `logs-${name}`,
    causes: [cause],
    mention: message,
    break: async ({ world, driver, refuse }) => {
      const array = `array-${name}`;
      await world.storageClass(`e2e-logs-${name}`, driver, { parameters: { array } });
      refuse('CreateVolume', codes[code], message, array);
      await world.claim(name, `e2e-logs-${name}`);
      return `pvc/${name}`;
    },
  };
}

function refusedDeletion(name: string, code: keyof typeof codes, message: string): LogFault {
  return {
    name: `logs-${name}`,
    causes: ['pv-delete-rpc-failed'],
    mention: message,
    break: async ({ world, driver, refuse }) => {
      await world.storageClass(`e2e-logs-${name}`, driver, { reclaimPolicy: 'Delete' });
      const volume = await world.boundClaim(name, `e2e-logs-${name}`);
      refuse('DeleteVolume', codes[code], message, volume['spec'].csi.volumeHandle as string);
      await world.remove('v1', 'PersistentVolumeClaim', name);
      return `pv/${volume.metadata.name}`;
    },
  };
}

/** A volume by hand that the driver has never heard of: its node plugin says so to the kubelet, and to its log. */
function unknownVolume(name: string, spec: Readonly<Record<string, unknown>> = {}): LogFault {
  return {
    name: `logs-${name}`,
    // Staging or publishing fails first, depending on the capabilities of the driver.
    causes: ['mount-stage-rpc', 'mount-publish-rpc'],
    mention: name,
    break: async ({ world, driver }) => {
      const { hostPath: _, ...fields } = spec;
      const { volumeMode } = spec as { readonly volumeMode?: string };
      await world.manualClass(`e2e-logs-${name}`);
      await world.volume(`e2e-logs-${name}`, `e2e-logs-${name}`, {
        hostPath: null,
        csi: { driver, volumeHandle: `handle-of-${name}` },
        ...fields,
      });
      await world.claim(name, `e2e-logs-${name}`, volumeMode === undefined ? {} : { volumeMode });
      await world.bound(name);
      await world.pod(name, [name]);
      return `pod/${name}`;
    },
  };
}

export const logFaults: readonly LogFault[] = [
  refusedVolume('exhausted', 'resourceExhausted', 'pool ssd-1 has 3 GiB free', 'provision-resource-exhausted'),
  refusedVolume(
    'range',
    'outOfRange',
    'Requested capacity 1073741824 exceeds maximum allowed 1048576',
    'provision-out-of-range',
  ),
  refusedVolume('argument', 'invalidArgument', 'unknown array x7', 'provision-invalid-argument'),
  refusedVolume(
    'exists',
    'alreadyExists',
    'a volume of this name but with different size already exists',
    'provision-already-exists',
  ),
  refusedVolume('unimplemented', 'unimplemented', 'this array makes no volumes', 'provision-unimplemented'),
  refusedVolume('denied', 'permissionDenied', 'the account may not create volumes', 'provision-credentials'),
  refusedVolume('login', 'unauthenticated', 'the token has expired', 'provision-credentials'),
  refusedVolume('internal', 'internal', 'checksum of the image does not match', 'provision-internal'),
  refusedVolume('precondition', 'failedPrecondition', 'the array is in maintenance', 'provision-internal'),
  refusedVolume('unknown', 'unknown', 'the array answered 500', 'provision-internal'),
  refusedVolume('quota', 'internal', 'QuotaExceeded: quota of 10 volumes is used up', 'provision-resource-exhausted'),
  refusedVolume(
    'signature',
    'internal',
    'api error SignatureDoesNotMatch: check your secret access key',
    'provision-credentials',
  ),
  refusedDeletion('dependents', 'failedPrecondition', 'the volume has dependent clones'),
  refusedDeletion('stuck-deletion', 'internal', 'the array answered 503 to the deletion'),
  unknownVolume('strange-disk'),
  unknownVolume('strange-share', { accessModes: ['ReadWriteOnce'] }),
];
