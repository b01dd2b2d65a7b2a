import { anyOf } from './wordings.ts';

export const noSuchZoneTexts =
  /InvalidZone|InvalidAvailabilityZone|availability zone .{0,60}?(?:is |was )?(?:invalid|not valid|unknown|not found|(?:does|do) ?(?:not|n't) exist|could ?(?:not|n't) be found)/i;

const things = 'volume|disk|lun|image|instance(?: id)?|virtual ?machine|vm|server|node|host|droplet|linode|machine';
const clouds = /\bInvalid(Volume|Instance)(?:ID)?\.NotFound\b/i;
/** vCenter has lost the record of the disk, or its datastore. */
const vsphereVolume =
  /failed to retrieve datastore for vol|retrieveVStorageObject|object or item referred to could not be found/i;
const absentThing = new RegExp(
  String.raw`(?:failed|unable) to find (?:the )?(${things})\b|\b(${things})\b[^.:;]{0,60}?(?:not found|do(?:es)?(?:n't| not) exist|was(?:n't| not) found|could not be found)`,
  'gi',
);

/** What a storage does not know, by its own words: a volume, or the machine of a node. */
export function absentThingIn(text: string): 'volume' | 'node' | undefined {
  if (vsphereVolume.test(text)) return 'volume';
  const name =
    clouds.exec(text)?.[1] ??
    [...text.matchAll(absentThing)]
      .at(-1)
      ?.slice(1)
      .find((group) => group !== undefined);
  if (name === undefined) return undefined;
  return /^(?:volume|disk|lun|image)$/i.test(name) ? 'volume' : 'node';
}

/** ceph-csi creates its volumes in a group that has to be there. */
export const subvolumeGroupText = /subvolume ?group '([\w.-]+)' does not exist/i;

/** ceph-csi: the class or the volume names a cluster that is not in the ConfigMap of the driver. */
export const unknownClusterText = /missing configuration for cluster ID \(?"?([^\s")]+)/i;

/** Proves that the node does not see the disk; not that it is deleted or detached. */
export const deviceMissingTexts = anyOf({
  notFound:
    /no such device|device\b.{0,120}\bnot found|(?:unable|failed|could ?not|cannot) to? ?create (?:the )?device\b|(?:could not|cannot|can't|unable to|failed to) (?:find|get|locate|identify) .{0,60}(?:device|disk|path|dev\b)|no (?:disk|device|nvme|multipath)\b.{0,60}(?:found|exist)/,
  path: /timed out waiting for (?:the )?device|\/dev\/\S+.{0,60}(?:no such file|does not exist|not exist)|waiting for device|rescan.*failed|special device .* does not exist/,
  appears:
    /\b(?:device|disk|path|namespace|lun|wwn|serial)\b[^.;]{0,80}\b(?:(?:did|does|has|have|do) ?(?:not|n't) (?:show(?:n)? up|appear(?:ed)?|come up|surface[d]?)|never (?:showed up|appeared|came up)|is not visible|not (?:yet )?visible|(?:has )?vanished|disappeared)\b|\bwait\w* \S{0,12} ?for (?:the |a )?(?:block )?(?:device|disk|lun|path|namespace)\b[^.;]{0,80}\b(?:show up|appear|come up|surface)\b/,
  errno: /\bENXIO\b|\bENODEV\b|no such device or address/,
  timeout: /\bdevice (?:attach|discovery|connect)\w* time(?:d )?-?out\b/,
  drivers:
    /disk: \S+ not attached to node|could not find attached (?:VMDK|PD|disk|volume)|waiting for mount paths to be created/,
});

export const notAttachedTexts =
  /(?:not|n't) (?:been |yet |yet been )?attached\b|not ready for workloads|\bhot-?plug(?:ged)? (?:volume|disk)\b[^.;]{0,80}\bnot ready\b/i;

export const notStagedTexts =
  /not (?:been )?staged|staging (?:target )?path\b.{0,120}(?:not|no such)|volume not staged/i;

/** Proves that this account, region or server does not see the volume or path; not that somebody deleted it. */
export const volumeGoneTexts = anyOf({
  code: /code = NotFound\b/,
  words: /(?:volume|image|disk|share|dataset|export)\b.{0,80}(?:not found|does not exist|no such)/,
  numbers: /mount error\(2\)|mount\.nfs\S*: mounting \S+ failed, reason given by server: No such file/,
});

/** A path of the node, or in the driver's container, is not there: it says nothing about the volume. */
export const pathMissingText = /(?:(?:lstat|stat|open|mkdir|readlink) (\/[^\s:]+): )?no such file or directory/i;

/** What a volume is to be created from does not exist on the storage side. */
export const sourceMissingTexts = anyOf({
  clouds: /\bInvalidSnapshot\.NotFound\b/,
  named:
    /\b(?:snapshot|source (?:volume|image|disk|snapshot)|parent (?:volume|image|snapshot))\b[^.:;]{0,60}(?:not found|(?:does|do|did) ?(?:not|n't) exist|could ?(?:not|n't) be found)/,
});

/** The same, where the volume is a disk: a file share never has a device. */
export const wantsDeviceTexts =
  /device ?path.{0,40}(?:not found|missing|empty)|(?:no such device|(?:could not|couldn't|cannot|failed to) find (?:the )?(?:attached )?(?:device|disk))|(?:block )?device .{0,60}not found/i;

/** The cloud does not know the machine any more, so nothing can use the volume there. */
export const instanceGoneText = /InvalidInstanceID\.NotFound/i;

/** Words that may also speak of another server, or of a machine that the driver looks up by a wrong name. */
export const machineGoneTexts =
  /(?<!\b(?:api|nfs|storage|file|iscsi|metadata|auth\w*|management|dns) )\b(?:instance|server|vm|virtual machine|droplet|linode|node)(?! (?:plugin|stage|publish|service|driver|agent|group|pool|metadata|label|name|config\w*)s?\b)\b(?:(?!\b(?:volumes?|disks?|attachments?|devices?|snapshots?|targets?|paths?)\b)[^.;]){0,60}\b(?:does not exist|not found|no longer exists|was deleted|is not an active)\b|\bno instances? found\b/i;

/** The storage has nothing to detach: no such volume, or not on that machine. */
export const notThereToDetachTexts =
  /\b404\b|not found|does not exist|not attached|must be (?:in-use|attached)\b[^.;]{0,60}\bto (?:be )?detach/i;

/** The zone of the volume, as the storage names it: `Disk zone: '1'`. */
export const volumeZoneText = /(?:disk|volume)(?:'s)? zone(?: is|:)? ["']?([\w-]+)["']?/i;

/** Systems that a driver finds in its own settings, and not on a storage that it could ask. */
export const storageSystemWords = /\b(?:arrays?|appliances?|storage systems?)\b/i;

/** A volume is left on the storage without an object. */
export const orphanedTexts = /volume is orphaned|Please delete manually/i;

/** The path of the node that a system call did not find. */
export const missingPathText = /(?:lstat|stat|open|mkdir|readlink) (\/[^\s:]+):/;

/** A path that mkdir found to exist, while stat could not read it. */
export const pathInTheWayText = /mkdir (\/[^\s:]+): file exists/;

/** A local volume of ZFS, as opposed to LVM. */
export const zfsWords = /zfs|zpool|dataset/i;

/** What a volume is to be created from is there, in a state in which it cannot be copied. */
export const sourceStateTexts =
  /\b(?:snapshot|source (?:volume|image|disk|snapshot)|backup)\b[^.;]{0,40}\b(?:status|state)\b[^.;]{0,30}\b(?:must be|is not|should be|needs to be|invalid)\b/i;
