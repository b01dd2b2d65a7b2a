import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';

/** A volume from the side of its storage: its name there, and the command that shows its state and its users. */
export interface StorageView {
  /** Completes "Ask …". */
  readonly team: string;
  readonly command?: string;
  /** Its objects are in this cluster, and its controllers attach and detach volumes on their own. */
  readonly isInCluster?: true;
  /** What decides in the output of the command; completes "It shows …". */
  readonly shows?: string;
  /** Where the storage keeps the reason why a volume does not grow, if that is another place. */
  readonly growth?: { readonly command: string; readonly shows: string };
}

interface Storage {
  readonly driver: RegExp;
  readonly team: string;
  readonly isInCluster?: true;
  readonly shows: string;
  /** Undefined where the volume does not have the form that the driver gives to its ids. */
  readonly command: (volume: Identity) => string | undefined;
  readonly growth?: { readonly command: (volume: Identity) => string; readonly shows: string };
}

interface Identity {
  readonly name: string;
  readonly handle: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const stateAndHolder = 'its state and the machine that has it';

/** A command with the id that a form of handle holds. */
function withId(form: RegExp, command: (...ids: string[]) => string): Storage['command'] {
  return ({ handle }) => {
    const [, ...ids] = form.exec(handle) ?? [];
    return ids.length === 0 ? undefined : command(...ids.map((id) => shellWord(id)));
  };
}

/** Storage that runs in the cluster keeps the state of a volume in an object of its own, named like the handle. */
function objectOf(resource: string): Storage['command'] {
  return ({ handle }) => `kubectl get ${resource} -A -o yaml --field-selector metadata.name=${shellWord(handle)}`;
}

const aws = 'the owner of the AWS account';
const azure = 'the owner of the Azure subscription';
const inCluster = 'its conditions, its replicas, and in currentNodeID the node that has it';

const storages: readonly Storage[] = [
  {
    driver: /^ebs\.csi\.aws\.com$|^kubernetes\.io\/aws-ebs$/,
    team: aws,
    shows: stateAndHolder,
    command: withId(/(vol-[0-9a-z]+)$/, (id) => `aws ec2 describe-volumes --volume-ids ${id}`),
  },
  {
    driver: /^efs\.csi\.aws\.com$/,
    team: aws,
    shows: 'its mount targets; one has to be in the VPC and zone of the node',
    command: withId(/^(fs-[0-9a-z]+)/, (id) => `aws efs describe-mount-targets --file-system-id ${id}`),
  },
  {
    driver: /^disk\.csi\.azure\.com$|^kubernetes\.io\/azure-disk$/,
    team: azure,
    shows: `${stateAndHolder} (managedBy)`,
    command: withId(
      /^(\/subscriptions\/.+\/disks\/[^/]+)$/i,
      (id) => `az disk show --ids ${id} --query '{state:diskState,managedBy:managedBy}'`,
    ),
  },
  {
    driver: /^pd\.csi\.storage\.gke\.io$/,
    team: 'the owner of the Google Cloud project',
    shows: `${stateAndHolder} (users)`,
    command: withId(
      /^projects\/([^/]+)\/zones\/([^/]+)\/disks\/([^/]+)$/,
      (project, zone, disk) =>
        `gcloud compute disks describe ${disk} --project=${project} --zone=${zone} --format='yaml(status,users)'`,
    ),
  },
  {
    driver: /cinder/,
    team: 'the OpenStack team',
    shows: stateAndHolder,
    command: withId(/^([0-9a-f-]{36})$/, (id) => `openstack volume show ${id} -c status -c attachments`),
  },
  {
    driver: /^csi\.hetzner\.cloud$/,
    team: 'the owner of the Hetzner project',
    shows: stateAndHolder,
    command: withId(/^(\d+)$/, (id) => `hcloud volume describe ${id}`),
  },
  {
    driver: /^dobs\.csi\.digitalocean\.com$/,
    team: 'the owner of the DigitalOcean account',
    shows: 'the droplet that has it',
    command: withId(/^([0-9a-f-]{36})$/, (id) => `doctl compute volume get ${id}`),
  },
  {
    driver: /^linodebs\.csi\.linode\.com$/,
    team: 'the owner of the Linode account',
    shows: stateAndHolder,
    command: withId(/^(\d+)/, (id) => `linode-cli volumes view ${id}`),
  },
  {
    driver: /^block\.csi\.vultr\.com$/,
    team: 'the owner of the Vultr account',
    shows: stateAndHolder,
    command: withId(/^([0-9a-f-]{36})$/, (id) => `vultr-cli block-storage get ${id}`),
  },
  {
    driver: /vsphere/,
    team: 'the vSphere team',
    shows: 'whether vCenter knows it, and on which datastore',
    command: withId(/^([0-9a-f-]{36})$/, (id) => `govc volume.ls -l ${id}`),
  },
  {
    driver: /(?:^|\.)rbd\.csi\.ceph\.com$/,
    team: 'the Ceph team',
    shows: 'whether the image exists, and its watchers: the clients that have it',
    command: ({ attributes: { pool, imageName } }) =>
      pool === undefined || imageName === undefined ? undefined : `rbd status ${shellWord(`${pool}/${imageName}`)}`,
  },
  {
    driver: /(?:^|\.)cephfs\.csi\.ceph\.com$/,
    team: 'the Ceph team',
    shows: 'whether the subvolume exists, and its state',
    command: ({ attributes: { fsName, subvolumeName } }) =>
      fsName === undefined || subvolumeName === undefined
        ? undefined
        : `ceph fs subvolume info ${shellWord(fsName)} ${shellWord(subvolumeName)} csi`,
  },
  {
    driver: /^driver\.longhorn\.io$/,
    isInCluster: true,
    team: 'your storage team',
    shows: inCluster,
    command: objectOf('volumes.longhorn.io'),
    growth: {
      command: ({ handle }) =>
        `kubectl get engines.longhorn.io -A -l longhornvolume=${shellWord(handle)} -o custom-columns=ENGINE:.metadata.name,SIZE:.status.currentSize,IMAGE:.status.currentImage,ERROR:.status.lastExpansionError`,
      shows:
        'the error of the last expansion; if it speaks of an old engine, upgrade the engine of this volume (Longhorn UI, Upgrade Engine: live, for a healthy volume), or stop its pods, since a detached volume grows with any engine',
    },
  },
  {
    driver: /mayastor/,
    isInCluster: true,
    team: 'your storage team',
    shows: 'the pools; those that are not Online hold replicas that cannot be used',
    command: () => 'kubectl get diskpools.openebs.io -A',
  },
  {
    driver: /^zfs\.csi\.openebs\.io$/,
    team: 'your storage team',
    shows: 'its node and its state',
    command: objectOf('zfsvolumes.zfs.openebs.io'),
  },
  {
    driver: /^local\.csi\.openebs\.io$/,
    team: 'your storage team',
    shows: 'its node and its state',
    command: objectOf('lvmvolumes.local.openebs.io'),
  },
  {
    driver: /topolvm/,
    team: 'your storage team',
    shows: 'its node and its status',
    command: ({ name }) => `kubectl get logicalvolumes -o yaml --field-selector metadata.name=${shellWord(name)}`,
  },
  {
    driver: /^csi\.trident\.netapp\.io$/,
    team: 'the NetApp team',
    shows: 'its state and its backend',
    command: objectOf('tridentvolumes.trident.netapp.io'),
  },
  {
    driver: /linstor/,
    isInCluster: true,
    team: 'your storage team',
    shows: 'its replicas, their state, and the node that uses it',
    command: ({ handle }) => `linstor resource list --resources ${shellWord(handle)}`,
  },
  {
    driver: /^diskplugin\.csi\.alibabacloud\.com$/,
    team: 'the owner of the Alibaba Cloud account',
    shows: stateAndHolder,
    command: withId(/^(d-[0-9a-z]+)$/, (id) => `aliyun ecs DescribeDisks --DiskIds '["${id}"]'`),
  },
  {
    driver: /^blockvolume\.csi\.oraclecloud\.com$/,
    team: 'the owner of the Oracle Cloud tenancy',
    shows: 'its state',
    command: withId(/^(ocid1\.volume\.\S+)$/, (id) => `oci bv volume get --volume-id ${id}`),
  },
  {
    driver: /^vpc\.block\.csi\.ibm\.io$/,
    team: 'the owner of the IBM Cloud account',
    shows: stateAndHolder,
    command: withId(/^(\S+)$/, (id) => `ibmcloud is volume ${id}`),
  },
];

/** Undefined for a storage that is not known: then it is "your storage team" that has to be asked. */
export function storageViewOf(driver: string | undefined, volume: Volume | undefined): StorageView {
  const handle = volume && handleOf(volume);
  const storage = driver === undefined ? undefined : storages.find((each) => each.driver.test(driver));
  if (!storage) return { team: 'your storage team' };
  const identity = volume &&
    handle && { name: volume.metadata.name, handle, attributes: volume.spec?.csi?.volumeAttributes ?? {} };
  const command = identity && storage.command(identity);
  const { growth } = storage;
  return {
    team: storage.team,
    ...(storage.isInCluster && { isInCluster: true as const }),
    ...(command !== undefined && { command, shows: storage.shows }),
    ...(growth && identity && { growth: { command: growth.command(identity), shows: growth.shows } }),
  };
}

/** ` The command shows …, if a user with the right runs it.`; empty if no command is known. */
export function viewWords({ shows }: StorageView): string {
  return shows === undefined ? '' : ` The command shows ${shows}.`;
}

export function viewCommands({ command }: StorageView): string[] {
  return command === undefined ? [] : [command];
}
