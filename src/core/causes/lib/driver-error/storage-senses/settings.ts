import { httpStatus } from '../senses/http.ts';
import { anyOf } from '../senses/wordings.ts';
import { subvolumeGroupText, unknownClusterText, noSuchZoneTexts } from '../senses/missing.ts';
import { noNodeText, parameterMissingTexts } from '../senses/request.ts';
import { sizeUnofferedTexts } from '../senses/size.ts';
import type { PatternedSense } from './sense.ts';

export const subvolumeGroup: PatternedSense = {
  about: 'subvolumeGroup',
  pattern: subvolumeGroupText,
  meaning: 'the Ceph file system has no subvolume group "$1"',
};

export const unknownCluster: PatternedSense = {
  about: 'cluster',
  kind: 'invalidArgument',
  pattern: unknownClusterText,
  meaning: 'the configuration of the driver has no Ceph cluster with the id "$1"',
};

/** Each type of machine takes some types of disk only: no retry helps on this node. */
const machineTypeTexts = anyOf({
  google: /disk type cannot be used by \S+|\[[\w-]+\] features are not compatible for creating instance/,
  azure:
    /VM size \S+ does not support|account type \S+ (?:is|are) not supported (?:by|for|on) (?:this|the)(?: requested)? VM|not supported (?:by|for|on) (?:this|the)(?: requested)? VM(?: size)?\b|can be used only when additionalCapabilities/,
  other:
    /(?:instance|machine|server|vm) (?:type|size|family|flavou?r)s?\b.{0,60}(?:not support|cannot (?:use|attach)|incompatible)/,
});

export const machineType: PatternedSense = {
  about: 'machine',
  pattern: machineTypeTexts,
  meaning: 'this type of machine cannot use this type of disk',
};

/** The volume is in another zone than the machine: no retry helps. */
const otherZoneTexts =
  /not in the same (?:availability )?zone|(?:in|are in) (?:a )?different (?:availability )?zones?\b|zone .{0,40}(?:does not match|mismatch)/i;

export const otherZone: PatternedSense = {
  about: 'zone',
  pattern: otherZoneTexts,
  meaning: 'the volume and the machine are in different zones',
};

const noSharedDatastoreTexts = /no (?:compatible|shared) datastores?|shared datastores?/i;

export const noSharedDatastore: PatternedSense = {
  about: 'shared',
  pattern: noSharedDatastoreTexts,
  meaning: 'no datastore fits the storage policy and can be reached from all nodes',
  advice:
    'Ask the vSphere team to give the storage policy of the class a datastore that the hosts of all nodes ' +
    'share; a policy that matches only local datastores does not do. Where there is none, set up topology ' +
    'in the driver. The claim is retried automatically within 5 minutes.',
};

const notReachableFromAllTexts =
  /(?:not|n't) (?:be )?(?:accessible|reachable|visible|shared) (?:to|from|by|on|among|between) (?:all|every|each)\b/i;

export const notReachableFromAll: PatternedSense = {
  about: 'shared',
  pattern: notReachableFromAllTexts,
  meaning: 'the storage that the class names cannot be reached from all nodes',
  advice: 'Give the class storage that all hosts share, or set up topology.',
};

export const noSuchZone: PatternedSense = {
  about: 'parameter',
  kind: 'invalidArgument',
  pattern: noSuchZoneTexts,
  meaning: 'the storage has no such zone',
  advice: 'Or set a zone that the storage has in the settings of the driver, where the class names none.',
};

/** All that the driver knows were tried: why each failed, only its log says. */
export const noneCreated: PatternedSense = {
  isOfCreation: true,
  about: 'unsaid',
  pattern: /(?:could not|couldn't|cannot|unable to) find any (?:\w+ )?(?:host|system|array|server) available\b/i,
  meaning:
    'the driver tried the storage systems that it knows, and none of them created the volume; the text does not say why',
};

/** The cloud has this kind of volume, and not at this place. */
const notOfferedTexts = anyOf({
  names: /InvalidDataDiskCategory\.NotSupported|NotSupportedInZone|NotAvailableInZone|UnsupportedAvailabilityZone/,
  words:
    /(?:\bnot|n't) (?:be )?(?:supported?|available|offered|provided) (?:in|at|by) (?:the |this |that )?(?:specified |selected |requested |current )?(?:availability )?(?:zone|region|location|data ?center)\b|\b(?:zone|region|location|data ?center)\b[^.;]{0,40}(?:\bnot|n't) (?:support|offer|provide|have)\b|\b(?:unsupported|unavailable) (?:\w+ )?(?:zone|region|location)\b/,
});

export const notOffered: PatternedSense = {
  isOfCreation: true,
  about: 'offer',
  kind: 'invalidArgument',
  pattern: notOfferedTexts,
  meaning: 'the cloud does not offer this kind of volume at this place',
  advice:
    'Or use a zone or location that offers it: a class (allowedTopologies) or a pod for another one, which ' +
    'only a claim that waits for its pod can follow.',
};

/** The schedulers of Cinder and Manila; their capacity filter is the only one about space. */
export const zoneFilter: PatternedSense = {
  isOfCreation: true,
  about: 'filter',
  pattern:
    /\bavailability ?zone ?filter (?:didn't|did not) succeed|\bavailabilityzonefilter\b[^.;]{0,40}\breturned 0 hosts\b/i,
  meaning:
    'no backend for this type is up in the availability zone that was asked for; neither space nor a quota is the reason',
};

export const otherFilter: PatternedSense = {
  isOfCreation: true,
  about: 'filter',
  pattern: /\b(?!capacity)([a-z]{3,30}) ?filter (?:didn't|did not) succeed/i,
  meaning: 'no backend of the storage passed its filter "$1"; neither space nor a quota is the reason',
  advice:
    'Ask your storage team to bring back the backends that are down. If all are up, none has what the class asks for: correct the parameters of the class, or add a backend that fits. The claim is retried automatically within 5 minutes.',
};

const noSuitableBackendTexts =
  /\bno (?:available|suitable|eligible|matching|valid|usable|compatible) (?:storage )?(?:backends?|pools?|hosts?|aggregates?)\b|(?:could not|couldn't|cannot|unable to) find any (?:\w+ )?(?:backend|pool|host|aggregate)s?\b/i;

export const noSuitableBackend: PatternedSense = {
  about: 'backend',
  pattern: noSuitableBackendTexts,
  meaning: 'no pool or backend of the storage fits what the class asks for',
  advice:
    'Ask your storage team to bring back the pools or backends that are down. If all are up, none has what ' +
    'the class asks for: correct the parameters of the class, or add a backend that fits. The claim is ' +
    'retried automatically within 5 minutes.',
};

const absence = String.raw`(?:not found|(?:does|do|did) ?(?:not|n't) exist|could ?(?:not|n't) be found|no such)`;

/** Something that the class or the driver's settings name does not exist on the storage side. */
const missingOnStorageTexts = anyOf({
  namedFirst: new RegExp(
    String.raw`\b(?:pool|datastore|resource ?group|storage ?account|subnet|storage ?policy|volume ?type|file ?system|backend|availability ?zone|zone|vpc|network|share|aggregate|volume group|service|project|disk type|(?:disk|node) tags?)\b.{0,80}?${absence}`,
  ),
  namedLast:
    /(?:no such|(?:could not|couldn't|cannot|can't|unable to|failed to) find) .{0,40}\b(?:pool|datastore|resource ?group|storage ?account|subnet|policy|volume ?type|file ?system|backend|zone|volume group|service|array|appliance)\b/,
  ceph: /could not be found in fsmap/,
  httpStatus: httpStatus(404),
  unknownThing:
    /\b(?:unknown|undefined|nonexistent|non-existent) (?:storage ?)?(?:pool|datastore|backend|tier|volume group|aggregate|policy|profile|zone|tenant|project)\b/,
  onNode: /\bstorage '[^']+' (?:does not exist|is not available)\b/,
  noneFound:
    /\bno (?:[\w-]+ ){0,2}(?:pools?|datastores?|resource ?groups?|storage ?accounts?|subnets?|polic(?:y|ies)|profiles?|volume ?types?|file ?systems?|backends?|volume groups?) (?:was |were |is |are )?found\b/,
});

export const missingOnStorage: PatternedSense = {
  about: 'missing',
  pattern: missingOnStorageTexts,
  meaning: 'something that the class or the settings of the driver name does not exist on the storage side',
  advice: 'Correct the name in the class or in the settings of the driver, or create it on the storage side.',
};

/** Any other thing that is not found; files, devices and programs of a node are none of the storage. */
export const absent: PatternedSense = {
  isOfCreation: true,
  about: 'absent',
  pattern:
    /(?<!command |file |path |device )\b(?:not found(?! in \$PATH)|(?:does|do|did) ?(?:not|n't) exist|could ?(?:not|n't) be found)\b|\b(?:no such|(?:could not|couldn't|cannot|can't|unable to|failed to) find) (?!file or|device|process)\w/i,
  meaning: 'what it names does not exist where the driver looks, or is not shown to the driver',
  advice:
    'Ask your storage team for what the error says is missing: create it, let the account of the driver ' +
    'see it, or correct its name in the class or in the settings of the driver. The claim is retried ' +
    'automatically within 5 minutes.',
};

export const parameterMissing: PatternedSense = {
  about: 'parameter',
  kind: 'invalidArgument',
  pattern: parameterMissingTexts,
  meaning: 'a parameter is missing that this kind of volume needs',
};

const parameterRefusedTexts = anyOf({
  cloudNames: /InvalidParameter\w*|UnknownParameter|UnknownVolumeType|VolumeTypeNotFound|SkuNotAvailable/,
  unknown:
    /(?:invalid|unknown|unsupported|unrecogni[sz]ed|missing|illegal) (?:storage ?class |class |volume )?(?:parameters?|option|attribute|value for|disk type|sku|volume type)/,
  parameter:
    /parameter .{0,60}(?:must|is (?:required|missing|invalid|not)|not (?:valid|supported|recogni[sz]ed|specified))/,
  badRequest: /bad ?request/,
  unprocessable: httpStatus(400, 422),
  key: /\b(?:param|key|attribute|setting)s? ["'`]?[\w./-]+["'`]?(?: is| was)? (?:unknown|unsupported|not (?:known|recogni[sz]ed|supported|allowed|understood)|unexpected)\b/,
  notValid: /not (?:a )?valid (?:value|parameter|type)/,
});

export const parameterRefused: PatternedSense = {
  about: 'parameter',
  kind: 'invalidArgument',
  pattern: parameterRefusedTexts,
  meaning: 'the storage refuses a parameter, or misses one',
};

/** Nothing but the size is refused. */
export const sizeRefused: PatternedSense = {
  isOfCreation: true,
  about: 'size',
  kind: 'invalidArgument',
  pattern: sizeUnofferedTexts,
  meaning: 'the storage does not offer volumes of this size',
};

export const noNode: PatternedSense = {
  about: 'parameter',
  pattern: noNodeText,
  meaning: 'it creates volumes on nodes and got none, since the class does not wait for a pod',
  advice: 'Set volumeBindingMode WaitForFirstConsumer in a class for this driver, and use that class.',
};

/** zfs create: the dataset above the volume is not there. */
export const parentDataset: PatternedSense = {
  isOfCreation: true,
  about: 'dataset',
  pattern: /cannot create '([^'\s]+)\/[^'/\s]+': parent does not exist/,
  meaning: 'dataset "$1", in which the driver creates its volumes, does not exist on the storage',
  advice:
    'Ask your storage team to create the dataset, or correct its name in the class or in the settings of the driver. The claim is retried automatically within 5 minutes.',
  command: 'zfs create -p $1',
};

/** vSphere: the driver looks for the virtual machine of each node by its provider id. */
export const noNodeMachines: PatternedSense = {
  isOfCreation: true,
  about: 'machines',
  pattern: /empty list of node ?vms\b|no node ?vms? (?:was |were )?(?:found|returned)/i,
  meaning: 'the driver knows no virtual machine of any node; datastores were not looked at yet',
  advice:
    'Give each node the providerID vsphere://UUID of its machine (the vSphere cloud provider sets it; the command shows who has none), and let the account of the driver see these machines in vCenter. Then restart the controller of the driver.',
  command: "kubectl get nodes -o custom-columns='NODE:.metadata.name,PROVIDER:.spec.providerID'",
};
