import type { AttachError } from './attach-error.ts';

export const limitTexts =
  /\bmaximum (?:number|amount) of .{0,40}(?:volumes|disks|attachments)|(?:attach\w*|volumes?|disks?|slots?).{0,40}limit .{0,30}(?:exceeded|reached)|exceed\w* (?:the )?(?:\w+ )?limit\W.{0,40}(?:volumes|disks|attachments)|AttachmentLimitExceeded|VolumeAttachmentLimit|max(?:imum)? .{0,20}(?:volumes|disks|attachments).{0,30}(?:attached|reached|exceeded)|too many (?:volumes|disks)|no (?:more |free |available )+(?:slots?|device names?)|cannot attach any more/i;
export const elsewhereTexts =
  /already (?:being |been )?(?:attached|in[ -]?use|published|used)|is in use by|(?:volume|disk|resource|image|lun)\b.{0,60} is (?:currently |still )?in use\b|\bstatus\W{1,3}(?:is\W{1,3}|was\W{1,3})?in[-_ ]?use\b|(?:attached|published|in use|used) (?:to|on|at|by) (?:a |an |the )?(?:different|other|another) (?:node|instance|host|vm|server|droplet|machine)|RESOURCE_?IN_?USE|VolumeInUse|DiskInUse|multi-?attach/i;
export const credentialTexts =
  /PermissionDenied|Unauthenticated|UnauthorizedOperation|Access ?Denied|\bUnauthorized\b|not authorized|AuthorizationFailed|AuthFailure|InvalidClientTokenId|ExpiredToken|NoCredentialProviders|invalid_(?:client|grant)|authentication (?:failed|required)|(?:error|status ?code|http\w*)\W{0,5}40[13]\b/i;

/** The node is full; a request limit of a cloud is not meant. */
export function saysLimit({ code, raw }: AttachError): boolean {
  if (/RequestLimitExceeded|Throttl|rate ?limit|too many requests/i.test(raw)) return false;
  return code === 'ResourceExhausted' || limitTexts.test(raw);
}

/** The storage says that the volume is on another node. */
export function saysAttachedElsewhere(error: AttachError): boolean {
  return !saysLimit(error) && (error.code === 'FailedPrecondition' || elsewhereTexts.test(error.raw));
}

export function saysCredentials({ code, raw }: AttachError): boolean {
  return code === 'PermissionDenied' || code === 'Unauthenticated' || credentialTexts.test(raw);
}

export function saysTimeout({ code, raw }: AttachError): boolean {
  return code === 'DeadlineExceeded' || /context deadline exceeded/i.test(raw);
}

const noAnswerText = /timed out waiting for external-attacher of (\S+) CSI driver to (?:attach|detach) volume/;
/** Before 1.22 the driver is not named. */
const noAnswerOldText = /attachment timeout for volume/;

/** The controller waited in vain for the attacher: it says nothing about the storage. */
export function saysNoAnswer({ raw }: AttachError): boolean {
  return noAnswerText.test(raw) || noAnswerOldText.test(raw);
}

/** The driver whose attacher was waited for, where the controller names it. */
export function unansweredDriver({ raw }: AttachError): string | undefined {
  return noAnswerText.exec(raw)?.[1];
}

export const beingDeletedText = /volume attachment is being deleted/;
export const csiNodeMissingText = /csinodes?\.storage\.k8s\.io "([^"]+)" not found/;
export const driverNotOnNodeText =
  /CSINode (\S+) does not contain driver (\S+)|node "?([^" ]+)"? has no NodeID annotation|no NodeID (?:annotation|found)/i;
export const volumeMissingText = /persistentvolumes? "([^"]+)" not found/;
