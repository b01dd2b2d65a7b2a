import type {
  AssumedSidecar,
  ClassAssumption,
  DriverAssumptions,
  DriverObjectAssumption,
  NodeAssumption,
  SidecarAssumption,
} from '../../report/driver-assumptions.ts';
import type { Container, CsiDriver, StorageClass } from '../../kube/kinds.ts';
import { flagsOf, sidecarOf } from './driver-pods.ts';
import { findController } from './drivers.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { resolveClass } from '../class/storage-class.ts';
import { servingDriver } from '../volume/volume-slots.ts';
import { driverOfClass } from './driver-names.ts';
import { imageVersion } from './driver-version.ts';

/** What the cluster assumes about a driver, to be compared with what the driver reports about itself. */
export function assumptionsOf(ask: Inquiry, driver: string): DriverAssumptions {
  const classes = ask.list('StorageClass', undefined, `what the classes of ${driver} promise`);
  const snapshotClasses = ask.list('VolumeSnapshotClass', undefined, `whether snapshots are wanted of ${driver}`);
  const attributesClasses = ask.list(
    'VolumeAttributesClass',
    undefined,
    `whether volumes of ${driver} are to be modified`,
  );
  const csiNodes = ask.list('CSINode', undefined, `what the kubelets know of ${driver}`);
  const object = objectOf(ask.get('CSIDriver', undefined, driver, `what the cluster assumes of ${driver}`));
  const own = classes.items.filter((candidate) => driverOfClass(candidate) === driver);
  return {
    driver,
    ...(object && { object }),
    ...(classes.complete && { classes: own.map(classAssumption) }),
    ...(snapshotClasses.complete && {
      snapshotClasses: snapshotClasses.items
        .filter((candidate) => candidate.driver === driver)
        .map(({ metadata }) => metadata.name),
    }),
    ...(attributesClasses.complete && {
      attributesClasses: attributesClasses.items
        .filter((candidate) => candidate.driverName === driver)
        .map(({ metadata }) => metadata.name),
    }),
    ...(csiNodes.complete && {
      nodes: csiNodes.items.flatMap(({ metadata, spec }) =>
        nodeOf(
          metadata.name,
          spec?.drivers?.find(({ name }) => name === driver),
        ),
      ),
    }),
    sidecars: roles.map((role) => sidecarAssumption(ask, driver, role)),
    onePodVolumes: onePodVolumes(ask, driver, new Set(own.map(({ metadata }) => metadata.name))),
  };
}

function classAssumption({ metadata, allowVolumeExpansion, allowedTopologies }: StorageClass): ClassAssumption {
  const keys = (allowedTopologies ?? []).flatMap((term) =>
    (term.matchLabelExpressions ?? []).flatMap(({ key }) => key ?? []),
  );
  return {
    name: metadata.name,
    allowsExpansion: allowVolumeExpansion === true,
    topologyKeys: [...new Set(keys)],
  };
}

const roles: readonly AssumedSidecar[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

/** Without an object the kubelet and the controllers assume the defaults of the API (pkg/apis/storage/v1 defaults). */
function objectOf(lookup: Lookup<CsiDriver>): DriverObjectAssumption | undefined {
  if (lookup.state === 'unknown') return undefined;
  const spec = lookup.state === 'found' ? lookup.object.spec : undefined;
  return {
    exists: lookup.state === 'found',
    attachRequired: spec?.attachRequired ?? true,
    storageCapacity: spec?.storageCapacity ?? false,
    podInfoOnMount: spec?.podInfoOnMount ?? false,
    fsGroupPolicy: spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: spec?.volumeLifecycleModes ?? ['Persistent'],
  };
}

interface Registration {
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: { readonly count?: number };
}

function nodeOf(node: string, registration: Registration | undefined): NodeAssumption[] {
  if (registration === undefined) return [];
  const { nodeID, allocatable, topologyKeys = [] } = registration;
  return [
    {
      node,
      ...(nodeID !== undefined && { nodeId: nodeID }),
      ...(allocatable?.count !== undefined && { limit: allocatable.count }),
      topologyKeys,
    },
  ];
}

function sidecarAssumption(ask: Inquiry, driver: string, role: AssumedSidecar): SidecarAssumption {
  const { lease, leader, pods, workload } = findController(ask, driver, role);
  const container = sidecarOf((leader ?? pods.items[0])?.spec ?? workload?.object?.spec?.template?.spec, role);
  if (container) return { role, presence: 'found', ...described(container) };
  // A lease without a pod proves that there was one, but not whether it still runs.
  if (lease.object || workload) return { role, presence: lease.state === 'fresh' ? 'found' : 'unknown' };
  return { role, presence: lease.state === 'missing' && pods.complete ? 'absent' : 'unknown' };
}

function described(container: Container): Pick<SidecarAssumption, 'version' | 'flags'> {
  const version = imageVersion(container.image);
  const flags = flagsOf(container);
  return { ...(version !== undefined && { version }), ...(flags.size > 0 && { flags: Object.fromEntries(flags) }) };
}

/** Only from the snapshot: reading all volumes would cost too much for this check. */
function onePodVolumes(ask: Inquiry, driver: string, classes: ReadonlySet<string>): string[] {
  const isOnePod = (modes: readonly string[] | undefined): boolean => modes?.includes('ReadWriteOncePod') === true;
  const volumes = ask
    .seen('PersistentVolume')
    .filter((volume) => isOnePod(volume.spec?.accessModes) && servingDriver(volume) === driver);
  const claims = ask
    .seen('PersistentVolumeClaim')
    .filter(
      (claim) => isOnePod(claim.spec?.accessModes) && !claim.spec?.volumeName && classes.has(resolveClass(claim).name),
    );
  return [
    ...volumes.map(({ metadata }) => `pv/${metadata.name}`),
    ...claims.map(({ metadata }) => `pvc/${metadata.name}`),
  ];
}
