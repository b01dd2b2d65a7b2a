import type { DriverError } from '../parse.ts';
import { saysLimit } from './capacity.ts';
import { isOpaque } from '../quote.ts';
import { anyOf } from './wordings.ts';

/** Proves that the storage counts a user of the volume; not that a pod of this cluster is that user. */
export const elsewhereTexts = anyOf({
  already: /already (?:being |been )?(?:attached|in[ -]?use|published|used)/,
  inUse:
    /is in use by|(?:volume|disk|resource|image|lun)\b.{0,60} is (?:currently |still )?in use\b|\bstatus\W{1,3}(?:is\W{1,3}|was\W{1,3})?in[-_ ]?use\b/,
  otherMachine:
    /(?:attached|published|in use|used) (?:to|on|at|by) (?:a |an |the )?(?:different|other|another) (?:node|instance|host|vm|server|droplet|machine)/,
  wrongMachine: /attached to the wrong (?:droplet|instance|server|node)/,
  cloudNames: /RESOURCE_?IN_?USE|VolumeInUse|DiskInUse|multi-?attach/,
  vsphere: /\bFileLocked\b|failed to lock the file/,
});

/** The storage names the machine that has the volume; an id or the last part of a path. */
export const holderTexts =
  /(?:used|attached) (?:by|to|on) (?:the )?(?:instance|node|server|vm|machine|droplet|linode)?:? ?["']?(?:[\w.:-]+\/)*([a-z][\w.-]*\d[\w.-]*)["']?|\bwrong (?:droplet|instance|server|node)(?:\(s\)|s)? \[?(\d{4,})\]?/i;

/**
 * In the path of a resource, the machine is what follows its kind: its name may have no digit, and the zone before it
 * has one.
 */
const resourceOfMachine = /\/(?:instances|virtualMachines)\/([\w.-]*[\w])/i;

export function holderIn(words: string): string | undefined {
  const path = elsewhereTexts.test(words) ? resourceOfMachine.exec(words)?.[1] : undefined;
  if (path !== undefined) return path;
  const [, name, number] = holderTexts.exec(words) ?? [];
  return name?.replace(/[.-]+$/, '') ?? (number === undefined ? undefined : `machine ${number}`);
}

/**
 * Any word for a volume that somebody has; other words after FAILED_PRECONDITION may speak of the node or the storage.
 */
const useWords =
  /\b(?:in[- ]?use|used|attach\w*|publish\w*|mapped|mapping|mounted|held|holds?|owned|reserved|reservation|exclusive\w*|single|connected|assigned|presented|exported|exposed|locked|busy|another|other|multi\w*|elsewhere)\b/i;

/** The storage has the volume on another machine. CSI spec, ControllerPublishVolume: FAILED_PRECONDITION. */
export function saysAttachedElsewhere(error: DriverError): boolean {
  if (saysLimit(error)) return false;
  if (elsewhereTexts.test(error.raw)) return true;
  return error.code === 'FailedPrecondition' && (isOpaque(error.words) || useWords.test(error.words));
}

/** Another client of the storage system holds the volume, found out while mounting. */
export const heldByClientTexts =
  /\b(?:attached|mounted|in use) (?:on|to|at) (?:an?other|a different) (?:node|host|machine|server)|is still being used|(?:image|volume|disk)\b.{0,60}\bhas watchers|already (?:in use|exclusively|locked)|in use by another|exclusive lock|failed to (?:acquire|break) lock|blocklist/i;

/** Proves that a process or a mount on the node holds the device; it has nothing to do with other nodes. */
export const busyOnNodeTexts =
  /already mounted|mount point busy|(?:device or )?resource busy|apparently in use by the system|\bEBUSY\b/i;

/** Words of a node plugin that misses what only ControllerPublishVolume could have done. */
export const wantsAttachTexts =
  /ControllerPublish\w*|publish ?_?context|(?:not|n't) (?:been )?(?:attached|published)|must be attached/i;

/** The volume has snapshots, and something else is refused because of them. */
export const blockedBySnapshotsTexts = /\b(?:has|have|with|existing|delete)\b(?: \w+){0,2} snapshots?\b/i;

/** The text itself says that the volume has snapshots. */
export const hasSnapshotsText = /\bhas (?:\w+ )*snapshots?\b/i;

/** Longhorn and others take snapshots only of a volume that a node has. */
export const wantsAttachedTexts =
  /\bstate\W{0,3}detached\b|\b(?:must be|needs to be|has to be|only (?:when|while|if)) attached\b|\b(?:volume|disk)\b[^.;]{0,60}\bis (?:detached|not attached)\b/i;

/** Cinder takes a snapshot of a volume in use only with its force option. */
export const wantsAvailableText = /status must be ['"]?available\b[^]*\bin-use/i;

/** The RBD image that another client holds. */
export const heldImageText = /rbd image ([\w./-]+) (?:is still being used|has watchers)/i;

/** The storage asks for the machine to be switched off and on; a reboot from inside is not that. */
export const powerCycleTexts =
  /\bpower(?:ed)? (?:it |the (?:server|machine|instance|vm|node) )?off and (?:back |then |power )*on\b|\bpower[- ]?cycle (?:the |this )?(?:server|machine|instance|vm|node)\b/i;
