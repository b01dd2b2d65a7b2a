/** The sidecars whose work depends on what a driver can do. */
export type AssumedSidecar = 'provisioner' | 'attacher' | 'resizer' | 'snapshotter';

/** absent: everything was read, and none was found. unknown: not everything could be read. */
export interface SidecarAssumption {
  readonly role: AssumedSidecar;
  readonly presence: 'found' | 'absent' | 'unknown';
  readonly version?: string;
  /** Its arguments as written; absent when its command line hides them. */
  readonly flags?: Readonly<Record<string, string>>;
}

export interface ClassAssumption {
  readonly name: string;
  readonly allowsExpansion: boolean;
  /** The keys of its allowedTopologies. */
  readonly topologyKeys: readonly string[];
}

/** What the kubelet of a node wrote down when it registered the driver. */
export interface NodeAssumption {
  readonly node: string;
  readonly nodeId?: string;
  /** Absent: no limit. */
  readonly limit?: number;
  readonly topologyKeys: readonly string[];
}

/** The CSIDriver object; where there is none, Kubernetes goes by its defaults. */
export interface DriverObjectAssumption {
  readonly exists: boolean;
  readonly attachRequired: boolean;
  readonly storageCapacity: boolean;
  readonly podInfoOnMount: boolean;
  readonly fsGroupPolicy: string;
  readonly volumeLifecycleModes: readonly string[];
}

/**
 * What the objects of a cluster assume about one driver. A part is absent if it could not be read, never because it is
 * empty.
 */
export interface DriverAssumptions {
  readonly driver: string;
  readonly object?: DriverObjectAssumption;
  readonly classes?: readonly ClassAssumption[];
  readonly snapshotClasses?: readonly string[];
  readonly attributesClasses?: readonly string[];
  /** The nodes on which it is registered. */
  readonly nodes?: readonly NodeAssumption[];
  readonly sidecars: readonly SidecarAssumption[];
  /** Volumes and claims of one pod only, as far as any were read for another reason. */
  readonly onePodVolumes: readonly string[];
}
