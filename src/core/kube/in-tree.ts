/** A plugin that was part of Kubernetes, and whose volumes a CSI driver serves now (csi-translation-lib). */
export interface MigratedPlugin {
  /** The provisioner that classes name. */
  readonly provisioner: string;
  /** The field of a volume's spec. */
  readonly source:
    | 'awsElasticBlockStore'
    | 'gcePersistentDisk'
    | 'azureDisk'
    | 'azureFile'
    | 'cinder'
    | 'vsphereVolume'
    | 'portworxVolume';
  /** The field of the source that identifies the volume in the storage system. */
  readonly identity: string;
  readonly driver: string;
  /** The minor version from which the driver serves the volumes by default. */
  readonly since: number;
}

export const migratedPlugins: readonly MigratedPlugin[] = [
  {
    provisioner: 'kubernetes.io/aws-ebs',
    source: 'awsElasticBlockStore',
    identity: 'volumeID',
    driver: 'ebs.csi.aws.com',
    since: 23,
  },
  {
    provisioner: 'kubernetes.io/gce-pd',
    source: 'gcePersistentDisk',
    identity: 'pdName',
    driver: 'pd.csi.storage.gke.io',
    since: 23,
  },
  {
    provisioner: 'kubernetes.io/azure-disk',
    source: 'azureDisk',
    identity: 'diskURI',
    driver: 'disk.csi.azure.com',
    since: 23,
  },
  {
    provisioner: 'kubernetes.io/azure-file',
    source: 'azureFile',
    identity: 'shareName',
    driver: 'file.csi.azure.com',
    since: 24,
  },
  {
    provisioner: 'kubernetes.io/cinder',
    source: 'cinder',
    identity: 'volumeID',
    driver: 'cinder.csi.openstack.org',
    since: 21,
  },
  {
    provisioner: 'kubernetes.io/vsphere-volume',
    source: 'vsphereVolume',
    identity: 'volumePath',
    driver: 'csi.vsphere.vmware.com',
    since: 25,
  },
  {
    provisioner: 'kubernetes.io/portworx-volume',
    source: 'portworxVolume',
    identity: 'volumeID',
    driver: 'pxd.portworx.com',
    since: 31,
  },
];

/** The driver that has taken over an in-tree provisioner. */
export function driverOfInTree(provisioner: string): string | undefined {
  return migratedPlugins.find((plugin) => plugin.provisioner === provisioner)?.driver;
}

/** The in-tree provisioner that a driver has taken over. */
export function inTreeOfDriver(driver: string): string | undefined {
  return migratedPlugins.find((plugin) => plugin.driver === driver)?.provisioner;
}
