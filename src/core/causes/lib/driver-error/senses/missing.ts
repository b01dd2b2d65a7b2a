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

export const notAttachedTexts = /(?:not|n't) (?:been |yet |yet been )?attached\b|not ready for workloads/i;

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
