import { placementTexts, quotaTexts, throttlingTexts } from './senses/capacity.ts';
import { credentialTexts, directoryDeniedText, ghostVolumeTexts, keyTexts } from './senses/credentials.ts';
import {
  missingOnStorageTexts,
  noSharedDatastoreTexts,
  noSuchZoneTexts,
  noSuitableBackendTexts,
  notReachableFromAllTexts,
  ownServiceInvalidText,
  ownServiceMissingText,
} from './senses/missing.ts';
import { controllerSocketTexts, networkTexts } from './senses/network.ts';
import { noNodeText, parameterMissingTexts, parameterRefusedTexts } from './senses/request.ts';
import { slowTexts } from './senses/time.ts';

/** A well-known error of a cloud or a storage system, in plain words. */
export interface Sense {
  readonly about:
    | 'socket'
    | 'ghost'
    | 'throttling'
    | 'quota'
    | 'credentials'
    | 'key'
    | 'parameter'
    | 'missing'
    | 'shared'
    | 'service'
    | 'placement'
    | 'network'
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
    meaning: 'the provisioner cannot reach the socket of the driver beside it',
    advice: 'see whether the driver container runs and serves its socket',
  },
  {
    about: 'ghost',
    pattern: ghostVolumeTexts,
    meaning:
      'EC2 took the request and dropped the new volume again, which it does when the role of the driver may not use the KMS key',
    advice:
      'let the role of the driver use the KMS key (kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKey*)',
  },
  {
    about: 'throttling',
    kind: 'background',
    pattern: throttlingTexts,
    meaning: 'the storage API turns requests away because there are too many of them',
    advice: 'wait, or spread the load: the call is repeated by itself',
  },
  {
    about: 'quota',
    kind: 'exhausted',
    pattern: quotaTexts,
    meaning: 'the storage is full or a quota is used up',
  },
  {
    about: 'placement',
    kind: 'exhausted',
    pattern: placementTexts,
    meaning: 'too few nodes, disks or pools of the storage can take the volume',
    advice: 'see which nodes and pools the storage has, which of them are up, and how much is free there',
  },
  {
    about: 'key',
    pattern: keyTexts,
    meaning: 'the encryption key is missing, disabled, or may not be used by the driver',
    advice: 'check the key that the class names, and who may use it',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: directoryDeniedText,
    meaning:
      'it may not write in the directory for its volumes: an NFS export turns root into nobody, or the directory belongs to somebody else',
    advice: 'let the provisioner write there: see owner and mode of the directory, and no_root_squash on an NFS server',
  },
  {
    about: 'credentials',
    kind: 'credentials',
    pattern: credentialTexts,
    meaning: 'the storage refuses the credentials or the rights of the driver',
  },
  {
    about: 'shared',
    pattern: noSharedDatastoreTexts,
    meaning: 'no datastore fits the storage policy and can be reached from all nodes',
    advice: 'use a policy with a datastore that all hosts share, or set the topology up',
  },
  {
    about: 'service',
    pattern: ownServiceMissingText,
    meaning:
      'its own Service $1 in namespace $2, which its variable SERVICE_NAME names, does not exist, or it may not read it',
    advice:
      'make SERVICE_NAME in the pod of the provisioner the name of its Service, and see that it may read services',
    command: 'kubectl -n $2 get service',
  },
  {
    about: 'service',
    pattern: ownServiceInvalidText,
    meaning: 'its own Service $1, which its variable SERVICE_NAME names, does not lead to its pod alone',
    advice: 'see that the Service has an address, all the ports of the provisioner, and its pod as the only endpoint',
  },
  {
    about: 'shared',
    pattern: notReachableFromAllTexts,
    meaning: 'the storage that the class names cannot be reached from all nodes',
    advice: 'name storage that all hosts share, or set the topology up',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern: noSuchZoneTexts,
    meaning: 'the storage has no such zone',
    advice:
      'give a zone that the storage has: in the class, or in the settings of the driver, which takes one of its own where the class names none',
  },
  {
    about: 'missing',
    pattern: noSuitableBackendTexts,
    meaning: 'no pool or backend of the storage fits what the class asks for',
    advice:
      'compare the parameters of the class, and the settings of the driver, with what the storage has and what of it is up',
  },
  {
    about: 'missing',
    pattern: missingOnStorageTexts,
    meaning: 'something that the class or the driver is set up with does not exist on the storage side',
    advice: 'compare the parameters of the class, and the settings of the driver, with what the storage has',
  },
  {
    about: 'parameter',
    kind: 'invalidArgument',
    pattern: parameterMissingTexts,
    meaning: 'a parameter is missing that this kind of volume needs',
    advice: 'add the missing parameter to the class',
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
    meaning: 'it makes volumes on nodes and was told of none, since the class does not wait for a pod',
    advice: 'use a class with volumeBindingMode WaitForFirstConsumer',
  },
  {
    about: 'network',
    pattern: networkTexts,
    meaning: 'the driver cannot reach the storage over the network',
    advice: 'check routes, firewalls and names between the driver controller and the storage',
  },
  {
    about: 'slow',
    pattern: slowTexts,
    meaning: 'the storage did not answer the driver in time',
    advice: 'see whether the storage is healthy and whether the driver reaches it',
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
    ...(sense.command !== undefined && { command: fill(sense.command) }),
  };
}
