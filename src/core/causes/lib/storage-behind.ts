/**
 * What is known of the storage behind a driver: the team that runs it, what its account needs, and what lists the names
 * that exist there.
 */
interface StorageBehind {
  readonly drivers: RegExp;
  /** The team to ask, in the middle of a sentence. */
  readonly owner: string;
  /** What the identity of the driver needs to create volumes, from the documentation of the driver. */
  readonly rights?: string;
  /** The actions that attaching and detaching need. */
  readonly attachRight?: string;
  /** The Secret from which the usual installation of the driver reads its login. */
  readonly login?: LoginSecret;
  /** By the names of class parameters: the command that lists their possible values. */
  readonly listings?: readonly (readonly [RegExp, string])[];
}

export interface LoginSecret {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

const known: readonly StorageBehind[] = [
  {
    drivers: /^ebs\.csi\.aws\.com$|^kubernetes\.io\/aws-ebs$/,
    owner: 'the AWS owner',
    rights: 'policy AmazonEBSCSIDriverPolicy',
    attachRight: 'ec2:AttachVolume and ec2:DetachVolume',
    listings: [[/^kmskeyid$/i, 'aws kms list-aliases --output table']],
  },
  {
    drivers: /^efs\.csi\.aws\.com$/,
    owner: 'the AWS owner',
    rights: 'policy AmazonEFSCSIDriverPolicy',
    listings: [
      [/^filesystemid$/i, "aws efs describe-file-systems --query 'FileSystems[].[FileSystemId,Name]' --output table"],
    ],
  },
  {
    drivers: /^fsx\.csi\.aws\.com$|^fsx\.openzfs/,
    owner: 'the AWS owner',
    rights: 'policy AmazonFSxFullAccess',
    listings: [[/^subnetid$/i, "aws ec2 describe-subnets --query 'Subnets[].[SubnetId,VpcId]' --output table"]],
  },
  { drivers: /\.aws\.com$/, owner: 'the AWS owner' },
  {
    drivers: /^pd\.csi\.storage\.gke\.io$|^kubernetes\.io\/gce-pd$/,
    owner: 'the owner of the Google Cloud project',
    attachRight: 'compute.instances.attachDisk and compute.disks.use',
    rights: 'roles/compute.storageAdmin, and roles/iam.serviceAccountUser on the account of the nodes',
    listings: [[/^type$/i, 'gcloud compute disk-types list']],
  },
  {
    drivers: /^filestore\.csi\.storage\.gke\.io$/,
    owner: 'the owner of the Google Cloud project',
    rights: 'roles/file.editor',
    listings: [[/^network$/i, 'gcloud compute networks list']],
  },
  { drivers: /\.gke\.io$/, owner: 'the owner of the Google Cloud project' },
  {
    drivers: /^disk\.csi\.azure\.com$|^kubernetes\.io\/azure-disk$/,
    owner: 'the Azure owner',
    rights: 'role Contributor on the resource group of the disks',
    attachRight: 'Microsoft.Compute/virtualMachines/write and Microsoft.Compute/disks/read',
    listings: [
      [/^resourcegroup$/i, 'az group list -o table'],
      [/^diskencryptionsetid$/i, 'az disk-encryption-set list -o table'],
    ],
  },
  {
    drivers: /^(?:file|blob)\.csi\.azure\.com$|^kubernetes\.io\/azure-file$/,
    owner: 'the Azure owner',
    rights: 'role Storage Account Contributor on the resource group of the storage accounts',
    listings: [
      [/^resourcegroup$/i, 'az group list -o table'],
      [/^storageaccount$/i, 'az storage account list -o table'],
    ],
  },
  {
    drivers: /digitalocean/,
    owner: 'the owner of the DigitalOcean account',
    rights: 'a token with write access to block storage',
    login: { namespace: 'kube-system', name: 'digitalocean', key: 'access-token' },
  },
  {
    drivers: /hetzner/,
    owner: 'the owner of the Hetzner Cloud project',
    rights: 'an API token with Read & Write',
    login: { namespace: 'kube-system', name: 'hcloud', key: 'token' },
  },
  {
    drivers: /linode/,
    owner: 'the owner of the Linode account',
    rights: 'a token with the scopes volumes:read_write and linodes:read_write',
    login: { namespace: 'kube-system', name: 'linode', key: 'token' },
  },
  {
    drivers: /vultr/,
    owner: 'the owner of the Vultr account',
    login: { namespace: 'kube-system', name: 'vultr-csi', key: 'api-key' },
  },
  {
    drivers: /scaleway/,
    owner: 'the owner of the Scaleway project',
    rights: 'the permission sets BlockStorageFullAccess and InstancesFullAccess',
  },
  { drivers: /exoscale/, owner: 'the owner of the Exoscale organization' },
  { drivers: /civo/, owner: 'the owner of the Civo account' },
  { drivers: /upcloud/, owner: 'the owner of the UpCloud account' },
  { drivers: /outscale/, owner: 'the owner of the Outscale account' },
  {
    drivers: /oraclecloud|^oracle\.com\/oci$/,
    owner: 'the owner of the Oracle Cloud tenancy',
    rights: 'a policy that lets it manage volume-family in the compartment',
  },
  { drivers: /^(?:block|spectrumscale)\.csi\.ibm\.com$/, owner: 'your storage team' },
  {
    drivers: /\.ibm\.(?:io|com)$/,
    owner: 'the owner of the IBM Cloud account',
  },
  {
    drivers: /alibabacloud/,
    owner: 'the owner of the Alibaba Cloud account',
    rights: 'policy AliyunECSFullAccess or its disk actions',
  },
  { drivers: /tencent/, owner: 'the owner of the Tencent Cloud account' },
  { drivers: /huaweicloud|^everest/, owner: 'the owner of the Huawei Cloud account' },
  {
    drivers: /cinder|kubernetes\.io\/cinder/,
    owner: 'the owner of the OpenStack project',
    rights: 'role member in the project',
    login: { namespace: 'kube-system', name: 'cloud-config', key: 'cloud.conf' },
    listings: [
      [/^type$/i, 'openstack volume type list'],
      [/^availability$/i, 'openstack availability zone list --volume'],
    ],
  },
  {
    drivers: /manila/,
    owner: 'the owner of the OpenStack project',
    rights: 'role member in the project',
    listings: [
      [/^type$/i, 'openstack share type list'],
      [/^sharenetworkid$/i, 'openstack share network list'],
    ],
  },
  {
    drivers: /vsphere/,
    owner: 'the vSphere team',
    rights: 'the privileges Datastore.FileManagement, CNS.Searchable and StorageProfile.View',
    login: { namespace: 'vmware-system-csi', name: 'vsphere-config-secret', key: 'csi-vsphere.conf' },
    listings: [
      [/policy/i, 'govc storage.policy.ls'],
      [/^datastore/i, 'govc datastore.info'],
    ],
  },
  {
    drivers: /rbd\.csi\.ceph\.com$|cephfs\.csi\.ceph\.com$|^ceph\.com\/|^kubernetes\.io\/rbd$/,
    owner: 'the Ceph team',
    listings: [
      [/^(?:data)?pool$/i, 'ceph osd pool ls'],
      [/^fsname$/i, 'ceph fs ls'],
    ],
  },
  {
    drivers: /trident/,
    owner: 'the NetApp team',
    rights: 'the role vsadmin, or one with the rights that the documentation of Trident lists',
  },
  {
    drivers: /longhorn/,
    owner: 'your storage team',
    listings: [[/^backingimage$/i, 'kubectl get backingimages.longhorn.io -A']],
  },
  {
    drivers: /^csi\.san\.synology\.com$/,
    owner: 'your storage team',
    login: { namespace: 'synology-csi', name: 'client-info-secret', key: 'client-info.yml' },
  },
  {
    drivers: /linstor/,
    owner: 'your storage team',
    listings: [
      [/storagepool$/i, 'linstor storage-pool list'],
      [/resourcegroup$/i, 'linstor resource-group list'],
    ],
  },
  {
    drivers: /mayastor/,
    owner: 'your storage team',
    listings: [[/^(?:repl|pool)/i, 'kubectl get diskpools.openebs.io -A']],
  },
  {
    drivers: /^local\.csi\.openebs\.io$/,
    owner: 'your storage team',
    listings: [[/^vol(?:ume)?group$|^vgpattern$/i, 'kubectl get lvmnodes.local.openebs.io -A -o yaml']],
  },
  {
    drivers: /^zfs\.csi\.openebs\.io$/,
    owner: 'your storage team',
    listings: [[/^poolname$/i, 'kubectl get zfsnodes.zfs.openebs.io -A -o yaml']],
  },
];

const behindOf = (driver: string): StorageBehind | undefined => known.find(({ drivers }) => drivers.test(driver));

/** The team to ask about the storage of a driver: `the AWS owner`. */
export function ownerOfStorage(driver: string | undefined): string | undefined {
  return driver === undefined ? undefined : behindOf(driver)?.owner;
}

/** What the identity of the driver needs, as the driver's documentation says. */
export function rightsNeededBy(driver: string | undefined): string | undefined {
  return driver === undefined ? undefined : behindOf(driver)?.rights;
}

/** The actions of the cloud that attaching a volume needs. */
export function attachRightOf(driver: string | undefined): string | undefined {
  return driver === undefined ? undefined : behindOf(driver)?.attachRight;
}

/** Where the usual installation of the driver keeps its login. */
export function usualLoginOf(driver: string | undefined): LoginSecret | undefined {
  return driver === undefined ? undefined : behindOf(driver)?.login;
}

/** The command that lists the values that a parameter of the class may have. */
export function listingOf(driver: string | undefined, parameter: string): string | undefined {
  if (driver === undefined) return undefined;
  return behindOf(driver)?.listings?.find(([name]) => name.test(parameter))?.[1];
}

const anyOwner = /\b(?:the owner of the storage account|the owner of the storage|the storage team|your storage team)\b/;

/** Advice for any storage, with the name of the team that runs this one. */
export function addressed(text: string, driver: string | undefined): string {
  const owner = ownerOfStorage(driver);
  return owner === undefined ? text : text.replace(anyOwner, owner);
}
