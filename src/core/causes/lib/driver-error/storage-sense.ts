import {
  countTexts,
  groupIdsTexts,
  namedQuotaText,
  placementTexts,
  quotaTexts,
  spaceTexts,
  stockoutTexts,
  throttlingTexts,
} from './senses/capacity.ts';
import {
  cephDeniedText,
  credentialTexts,
  directoryDeniedText,
  ghostVolumeTexts,
  keyTexts,
  namedServiceOffText,
  policyTexts,
  serviceOffTexts,
} from './senses/credentials.ts';
import { admissionTexts, objectMissingText } from './senses/kubernetes.ts';
import {
  machineTypeTexts,
  missingOnStorageTexts,
  noSharedDatastoreTexts,
  noSuchZoneTexts,
  noSuitableBackendTexts,
  notReachableFromAllTexts,
  otherZoneTexts,
  ownServiceInvalidText,
  ownServiceMissingText,
  subvolumeGroupText,
  unknownClusterText,
} from './senses/missing.ts';
import { exportRefusedText } from './senses/file-system.ts';
import {
  certificateTexts,
  cephTimeoutText,
  controllerSocketTexts,
  networkTexts,
  unresolvedTexts,
} from './senses/network.ts';
import { crashedTexts, noNodeText, parameterMissingTexts, parameterRefusedTexts } from './senses/request.ts';
import { brokenStateTexts, busyTexts, notAvailableTexts, outageTexts, slowTexts } from './senses/time.ts';

/** A well-known error of a cloud or a storage system, in plain words. */
export interface Sense {
  readonly about:
    | 'socket'
    | 'ghost'
    | 'throttling'
    | 'object'
    | 'admission'
    | 'count'
    | 'space'
    | 'quota'
    | 'stockout'
    | 'credentials'
    | 'key'
    | 'parameter'
    | 'groupIds'
    | 'cluster'
    | 'machine'
    | 'unavailable'
    | 'backend'
    | 'certificate'
    | 'subvolumeGroup'
    | 'missing'
    | 'shared'
    | 'service'
    | 'state'
    | 'zone'
    | 'placement'
    | 'network'
    | 'outage'
    | 'busy'
    | 'crash'
    | 'slow';
  /** What it makes of the error where the code says no more than that something went wrong. */
  readonly kind?: 'background' | 'exhausted' | 'credentials' | 'invalidArgument';
  readonly meaning: string;
  readonly advice?: string;
  /** What shows more, beside the advice. */
  readonly command?: string;
}

/** A sense, and the words in the text that have it. */
export interface FoundSense extends Sense {
  readonly words: string;
}

/**
 * The first that fits counts: a quota of a cloud is refused with 403, and a request limit is no volume limit. `$1` and `$2` stand for
 * what the pattern caught.
 */
const senses: readonly (Sense & { readonly pattern: RegExp })[] = [
  {
    about: 'socket',
    pattern: controllerSocketTexts,
    meaning: 'no process answers on the socket of the driver next to the provisioner',
    advice: 'Start the driver container again: no process listens on its socket. Its last log names why it ended.',
  },
  {
    about: 'ghost',
    pattern: ghostVolumeTexts,
    meaning:
      'EC2 accepted the request, and the new volume was gone a moment later, which is typical of a role that may not use the KMS key (the text does not name it)',
    advice:
      'Ask the AWS owner to check CloudTrail for KMS AccessDenied at that minute, and to allow the role of the driver kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKey* and kms:ReEncrypt* on the key of the class, or on the default EBS key. The next retry, within 5 minutes, then succeeds.',
  },
  {
    about: 'certificate',
    pattern: certificateTexts,
    meaning: 'the connection was refused because of a certificate, before any login',
    advice:
      'Ask the owner of the storage to renew the certificate if it has expired, or to issue it for the address that the driver uses; if it is signed by a private authority, give the driver that CA certificate in its settings. The call is repeated automatically.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: exportRefusedText,
    meaning: 'the NFS server answered and refused the node on which the controller of the driver runs',
    advice:
      'Ask the owner of the NFS server to admit the nodes of the cluster to the export, also the one with the controller of the driver: it mounts the export to create a directory. The next retry, within 5 minutes, then succeeds.',
  },
  {
    about: 'subvolumeGroup',
    pattern: subvolumeGroupText,
    meaning: 'the Ceph file system has no subvolume group "$1"',
  },
  {
    about: 'network',
    pattern: cephTimeoutText,
    meaning: 'the driver does not reach the monitors of the Ceph cluster in time',
    advice:
      'Ask the Ceph and network teams whether the monitors are up, and to open the path to them from the pod of the driver (ports 3300 and 6789), and to the OSDs (6800 to 7568). The call is repeated automatically.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: cephDeniedText,
    meaning: 'the Ceph user that it logs in with lacks a right (its caps)',
    advice:
      'Ask the Ceph team to give the user in the Secret of the class the rights of profile rbd on the pool (for CephFS: allow rw on the file system, and mgr "allow rw"). The next retry, within 5 minutes, then succeeds.',
  },
  {
    about: 'throttling',
    kind: 'background',
    pattern: throttlingTexts,
    meaning: 'the storage API turns requests away because there are too many of them',
    advice: 'Wait: the call is repeated automatically. If it lasts, spread the load or ask for a higher request rate.',
  },
  {
    about: 'object',
    pattern: objectMissingText,
    meaning: 'Kubernetes object $1 "$2" does not exist',
    advice:
      'Create what the error names in Kubernetes ($1 "$2"), as the documentation of the driver says. The call is repeated automatically.',
  },
  {
    about: 'admission',
    pattern: admissionTexts,
    meaning: 'the API server or an admission webhook refused an object; the storage was not asked',
    advice: 'Let admission accept what the error names, or change what is refused. The call is repeated automatically.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: policyTexts,
    meaning: 'a policy of the cloud account forbids it, whatever rights the caller has',
    advice:
      'Ask the owner of the cloud account to exempt these volumes from the policy that the error names, or set the parameters of the class so that they comply with it. The next retry, within 5 minutes, then succeeds.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: namedServiceOffText,
    meaning: 'the cloud service $1 is not enabled for project $2',
    advice:
      'Ask the owner of project $2 to enable the service. The call is repeated automatically, and succeeds within minutes of that.',
    command: 'gcloud services enable $1 --project=$2',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: serviceOffTexts,
    meaning: 'the cloud service is not enabled for this project or subscription',
    advice:
      'Ask the owner of the cloud project or subscription to enable the service that the error names. The call is repeated automatically, and succeeds within minutes of that.',
  },
  {
    about: 'groupIds',
    kind: 'exhausted',
    pattern: groupIdsTexts,
    meaning: 'no group id is left in the range from which each volume gets one',
  },
  {
    about: 'cluster',
    kind: 'invalidArgument',
    pattern: unknownClusterText,
    meaning: 'the configuration of the driver has no Ceph cluster with the id "$1"',
  },
  {
    about: 'stockout',
    kind: 'exhausted',
    pattern: stockoutTexts,
    meaning:
      'the cloud has no room for it at this place now; this is neither a quota of the account nor a fault of the driver',
    advice:
      'Wait, since the call is repeated automatically, or use another place: a class or a pod for another zone or location, or another disk type. If it lasts, ask the support of the cloud.',
  },
  {
    about: 'count',
    kind: 'exhausted',
    pattern: countTexts,
    meaning: 'the storage allows no more volumes of this kind, whatever their size',
    advice:
      'Ask the owner of the storage to raise the limit that the error names, or delete volumes of this kind that are no longer needed. The claim is then provisioned automatically, within 5 minutes.',
  },
  {
    about: 'placement',
    kind: 'exhausted',
    pattern: placementTexts,
    meaning: 'too few nodes, disks or pools of the storage can take the volume',
    advice:
      'Add nodes, disks or pools to the storage, or bring those back that are down. The claim is then provisioned automatically, within 5 minutes.',
  },
  {
    about: 'space',
    kind: 'exhausted',
    pattern: spaceTexts,
    meaning: 'the storage has too little free space',
    advice:
      'Add space to the storage or the pool that the error names, or free some. The claim is then provisioned automatically, within 5 minutes.',
  },
  {
    about: 'quota',
    kind: 'exhausted',
    pattern: namedQuotaText,
    meaning: 'quota $1 in $3 is used up; the credentials were accepted',
    advice:
      'Ask the owner of the cloud project to raise quota $1 in $3 (now $2), or delete disks there that are no longer needed, volumes in phase Released first. The claim is then provisioned automatically.',
  },
  {
    about: 'quota',
    kind: 'exhausted',
    pattern: quotaTexts,
    meaning: 'a quota or limit of the storage is used up',
    advice:
      'Ask the owner of the storage account to raise the quota or limit that the error names, or delete what is no longer needed there. The claim is then provisioned automatically, within 5 minutes.',
  },
  {
    about: 'key',
    pattern: keyTexts,
    meaning: 'it is about the encryption key',
    advice:
      'Give the role of the driver the use of the encryption key that the class or the storage account names, and check that the key exists and is enabled.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: directoryDeniedText,
    meaning: 'it may not write in the directory for its volumes',
    advice:
      'Give the provisioner the right to write there: owner and mode of the directory, or no_root_squash on an NFS export. The call is repeated automatically.',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: credentialTexts,
    meaning: 'the storage refused the caller',
  },
  {
    about: 'machine',
    pattern: machineTypeTexts,
    meaning: 'this type of machine cannot use this type of disk',
  },
  {
    about: 'zone',
    pattern: otherZoneTexts,
    meaning: 'the volume and the machine are in different zones',
  },
  {
    about: 'state',
    pattern: brokenStateTexts,
    meaning: 'the storage itself does not consider the volume usable',
  },
  {
    about: 'unavailable',
    pattern: notAvailableTexts,
    meaning: 'the storage attaches only volumes in state "available", and this one is in another state',
  },
  {
    about: 'shared',
    pattern: noSharedDatastoreTexts,
    meaning: 'no datastore fits the storage policy and can be reached from all nodes',
    advice:
      'Ask the vSphere team to give the storage policy of the class a datastore that the hosts of all nodes share; a policy that matches only local datastores does not do. Where there is none, set up topology in the driver. The claim is retried automatically within 5 minutes.',
  },
  {
    about: 'service',
    pattern: ownServiceMissingText,
    meaning:
      'its own Service "$1" in namespace $2, which its variable SERVICE_NAME names, does not exist, or it may not read it',
    advice:
      'Set SERVICE_NAME in the workload of the provisioner to the name of its Service in namespace $2 (PLACEHOLDER_WORKLOAD, PLACEHOLDER_SERVICE), and let it read services.',
    command: 'kubectl -n $2 set env PLACEHOLDER_WORKLOAD SERVICE_NAME=PLACEHOLDER_SERVICE',
  },
  {
    about: 'service',
    pattern: ownServiceInvalidText,
    meaning: 'its own Service "$1", which its variable SERVICE_NAME names, does not lead to its pod alone',
    advice:
      'Correct Service "$1": it needs an address, all the ports of the provisioner, and its pod as the only endpoint. The call is repeated automatically.',
  },
  {
    about: 'shared',
    pattern: notReachableFromAllTexts,
    meaning: 'the storage that the class names cannot be reached from all nodes',
    advice: 'Give the class storage that all hosts share, or set up topology.',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern: noSuchZoneTexts,
    meaning: 'the storage has no such zone',
    advice: 'Or set a zone that the storage has in the settings of the driver, where the class names none.',
  },
  {
    about: 'backend',
    pattern: noSuitableBackendTexts,
    meaning: 'no pool or backend of the storage fits what the class asks for',
    advice:
      'Ask your storage team to bring back the pools or backends that are down. If all are up, none has what the class asks for: correct the parameters of the class, or add a backend that fits. The claim is retried automatically within 5 minutes.',
  },
  {
    about: 'missing',
    pattern: missingOnStorageTexts,
    meaning: 'something that the class or the settings of the driver name does not exist on the storage side',
    advice: 'Correct the name in the class or in the settings of the driver, or create it on the storage side.',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern: parameterMissingTexts,
    meaning: 'a parameter is missing that this kind of volume needs',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern: parameterRefusedTexts,
    meaning: 'the storage refuses a parameter, or misses one',
  },
  {
    about: 'parameter',
    pattern: noNodeText,
    meaning: 'it creates volumes on nodes and got none, since the class does not wait for a pod',
    advice: 'Set volumeBindingMode WaitForFirstConsumer in a class for this driver, and use that class.',
  },
  {
    about: 'network',
    pattern: unresolvedTexts,
    meaning: 'the name of the server cannot be resolved where the controller of the driver runs',
    advice:
      'Correct the name of the server in the class, the Secret or the settings of the driver, or make it known in the DNS that the controller of the driver uses. The call is repeated automatically.',
  },
  {
    about: 'busy',
    pattern: busyTexts,
    meaning: 'the storage refuses it until what the error names is finished or released',
    advice:
      'Ask your storage team what the error names (a job, a lock, an object of the same name), and to end, release or wait for it. The call is repeated automatically.',
  },
  {
    about: 'outage',
    pattern: outageTexts,
    meaning: 'the management of the storage answers that it is not available now; this is no fault of the request',
    advice:
      'Ask your storage team to bring back the service that the error names (down, overloaded or in maintenance). The call is repeated automatically.',
  },
  {
    about: 'network',
    pattern: networkTexts,
    meaning: 'the driver cannot reach the storage over the network',
    advice:
      'Ask the network team to open the path from the pod of the driver to the storage (routes, firewall, DNS). The call is repeated automatically.',
  },
  {
    about: 'crash',
    pattern: crashedTexts,
    meaning:
      'this is a fault in the program of the driver or of the storage behind it, and no answer about the request',
    advice:
      'Report it to the vendor of the driver, with its version and the lines of its log around the error. If it began with an upgrade of the driver or of the storage, go back to the release before. The call is repeated automatically.',
  },
  {
    about: 'slow',
    pattern: slowTexts,
    meaning: 'the storage did not answer the driver in time',
    advice: 'Ask the storage team whether the storage is healthy and reachable from the pod of the driver.',
  },
];

export function senseOf(text: string): FoundSense | undefined {
  for (const { pattern, ...sense } of senses) {
    const match = pattern.exec(text);
    if (match) return { ...(match.length === 1 ? sense : fillIn(sense, match)), words: match[0] };
  }
  return undefined;
}

function fillIn(sense: Sense, match: RegExpExecArray): Sense {
  const fill = (words: string): string => words.replace(/\$(\d)/g, (_, index: string) => match[Number(index)] ?? '');
  return {
    ...sense,
    meaning: fill(sense.meaning),
    ...(sense.advice !== undefined && { advice: fill(sense.advice) }),
    ...(sense.command !== undefined && { command: fill(sense.command) }),
  };
}
