import type { DriverError } from '../parse.ts';
import { httpStatus } from './http.ts';
import { anyOf } from './wordings.ts';

/** Too many requests to an API, which says nothing about volumes. */
export const throttlingTexts = anyOf({
  cloudNames: /RequestLimitExceeded|Throttl(?:ing|ed)|Too ?Many ?Requests|rateLimitExceeded|userRateLimit|SlowDown\b/,
  rateExceeded: /\b(?!VolumeModification)\w+RateExceeded\b|request rate has been exceeded/,
  rateLimit: /(?:rate|request) ?limit ?(?:has been |was |is )?(?:exceeded|reached|hit)/,
  httpStatus: /(?:error|status ?code|http\w*)\W{0,5}429\b/,
  anyStatus: httpStatus(429),
});

/** Read more widely for attach: ResourceExhausted with any word about request rates must not be taken for a full node. */
const anyThrottling = /RequestLimitExceeded|Throttl|rate ?limit|too many requests/i;

const noSpace = /no space left|ENOSPC/;

/** Proves that no more volumes, shares or access points may be created, however small; not that space is missing. */
const tooMany = {
  countLimits: /(?:AccessPoint|Volume|Disk|FileSystem|Share|Snapshot)\w*LimitExceeded\b/,
  maximumNumber: /maximum number of (?:\w+ )?(?:volumes|disks|shares|access points|exports|snapshots)/,
  maximumReached: /max(?:imum)? volumes? .{0,30}reached/,
  counted:
    /\b(?:volumes?|disks?|luns?|shares?|snapshots?|snaps?|exports?|slots?)\b[^.;]{0,40}?\b(\d{1,6}) ?(?:\/|of|out of) ?\1\b|\b(\d{1,6}) ?(?:\/|of|out of) ?\2\b[^.;]{0,20}\b(?:volumes?|disks?|luns?|shares?|snapshots?|exports?|slots?)\b/,
};
export const countTexts = anyOf(tooMany);

/** Proves that space is missing. */
const space = {
  outOfSpace:
    /out of (?:capacity|space|disk)|insufficient (?:free |disk |storage |available )*(?:capacity|space|storage|resources|disk)|Insufficient\w*Capacity/,
  noSpace,
  ranOut:
    /\br[au]n(?:s|ning)? out of (?:free |disk |storage |physical )*(?:space|capacity|storage|room|blocks|extents|bytes|segments)\b|\bno (?:more |free |usable |available |remaining )+(?:space|capacity|room|blocks|extents)\b|\b(?:space|capacity|room|blocks|extents) (?:is |are |was |has been |have been )?(?:all )?(?:exhausted|depleted|used up)\b/,
  reserved:
    /(?:could ?(?:not|n't)|cannot|can't|failed to|unable to) (?:reserve|allocate) (?:\S+ ){0,3}(?:bytes|blocks|extents|space|capacity|[KMGTP]i?B)\b|\b(?:reserve|space|capacity|budget)\b[^.;]{0,40}\b(?:is|are|was|has been|have been) (?:fully |all |completely )?(?:consumed|exhausted|used up|full|spent|taken)\b/,
  almostFull:
    /\b(?:pool|array|aggregate|datastore|volume group|vg|storage|tier|backend|filesystem|file system)\b[^;]{0,40}\b(?:9[5-9]|100)(?:\.\d+)? ?%/,
  onlyLeft:
    /\b(?:only|just) [\d.]+ ?(?:[KMGTP]i?B|bytes)\b.{0,20}\b(?:free|left|available|remain\w*)\b|\b[\d.]+ ?(?:[KMGTP]i?B|bytes) (?:is |are )?(?:free|left|remain\w*)\b|\binsufficient (?:\w+ ){0,2}(?:extents|blocks)\b/,
  httpStatus: httpStatus(507),
  notEnough: /not? enough (?:free |disk |available |storage )*(?:space|capacity|storage)/,
  full: /(?:disk|pool|volume group|aggregate|datastore)\b.{0,40} (?:is |has been )?(?:full|filled up|exhausted|depleted)\b|exceeds? (?:the )?(?:remaining|available|free|total) (?:capacity|space)/,
};
export const spaceTexts = anyOf(space);

/** Proves that a quota or the space is used up, even behind a 403; not that a right is missing. */
/** Google Cloud names the quota, its limit and the place. */
export const namedQuotaText = /Quota '([^']+)' exceeded\.\s+Limit: ([\d.]+?)(?:\.0)? in ((?:region|zone) [a-z0-9-]+)/;

export const quotaTexts = anyOf({
  cloudNames: /\w*LimitExceeded\b|limit exceeded|OverQuota|InsufficientQuota/,
  quota:
    /Quota\w*[ '_A-Z0-9:()-]{0,60}(?:is |was |has been )?(?:exceeded|exhausted|used up|reached)|exceed\w*(?: \S+){0,5} quota|\bEDQUOT\b|\b(?:over|above|beyond) (?:the |its |your |our )?(?:\w+ ){0,2}quota\b/,
  ...space,
  ...tooMany,
  licence:
    /\blicen[sc]ed? (?:\w+ ){0,4}(?:exceeded|reached|used up|exhausted|limit\w*|capacity)\b|\b(?:plan|subscription|licen[sc]e|contract|tier) (?:only )?(?:allows?|permits?|includes?) (?:only |at most |up to |no more than )?\d/,
  limitReached:
    /(?<!\b(?:retry|retries|time|timeout|attempts?) )\blimit (?:\(?\d+\)? )?(?:(?:has|have) been |was |is )?(?:reached|hit)\b|reached (?:an?|the|your|its|our) (?:\w+ ){0,4}(?:limit|quota|maximum)\b/,
});

/** EFS gives each access point a group id of its own, and never the same twice. */
export const groupIdsTexts = /(?:locate|find|allocate) a free GID|no (?:free|available) GIDs?\b/i;

/** What a quota has to be at least, where the text has the numbers: OpenStack, then Azure. */
export function neededQuota(text: string): string | undefined {
  const [, asked, , used] = /Requested (\d+)G?, quota is (\d+)G? and (\d+)G? has been consumed/i.exec(text) ?? [];
  if (asked !== undefined && used !== undefined)
    return `${Number(asked) + Number(used)}${/Requested \d+G/i.test(text) ? 'G' : ''}`;
  return /New Limit Required: (\d+)/i.exec(text)?.[1];
}

/** The cloud itself has no room at this place, whatever the account may use. */
export const stockoutTexts = anyOf({
  names: /RESOURCE_POOL_EXHAUSTED|\bstockout\b|resource_unavailable|InsufficientVolumeCapacity|ZonalAllocationFailed/,
  words: /error during placement/,
});

/** The storage changes a volume only once in a while. */
export const changeRateTexts = anyOf({
  aws: /VolumeModificationRateExceeded|maximum modification rate|wait at least \d+ hours/,
  google: /(?:modified|changed|updated) more than (?:once|\d+ times) in \d+ hours/,
});

/** The hours that must lie between two changes, where the text names them. */
export function changeRateWords(text: string): string {
  const hours = /(?:at least|in) (\d+) hours/i.exec(text)?.[1];
  return hours === undefined ? '6 hours after the last one on EBS' : `${hours} hours after the last one`;
}

/** On a node: of the node's disk or of the volume. */
export const nodeFullTexts = anyOf(noSpace, /disk quota exceeded/);

/** A storage system that spreads volumes over machines finds too few of them. */
export const placementTexts =
  /\black of (?:\w+ )?(?:nodes|disks|pools|space|storage)\b|(?:\bnot|(?:\bnot|n't|unable to|failed to) find) enough (?:(?:available|free|eligible|healthy|suitable|online|storage) )*(?:nodes|disks|pools|devices|hosts|servers)\b/i;

export const limitTexts = anyOf({
  maximumNumber: /\bmaximum (?:number|amount) of .{0,40}(?:volumes|disks|attachments)/,
  limitExceeded:
    /(?:attach\w*|volumes?|disks?|slots?).{0,40}limit .{0,30}(?:exceeded|reached)|exceed\w* (?:the )?(?:\w+ )?limit\W.{0,40}(?:volumes|disks|attachments)/,
  cloudNames: /AttachmentLimitExceeded|VolumeAttachmentLimit/,
  maximumReached: /max(?:imum)? .{0,20}(?:volumes|disks|attachments).{0,30}(?:attached|reached|exceeded)/,
  tooMany:
    /too many (?:volumes|disks)|no (?:more |free |available |disk )+(?:slots?|device names?)(?! (?:type|class))|cannot attach any more/,
  counted:
    /\b(\d{1,4}) ?(?:\/|of|out of) ?\1\b[^.;]{0,20}\b(?:slots?|volumes|disks|luns|devices|attachments)\b|\b(?:slots?|volumes|disks|luns|devices|attachments)\b[^.;]{0,30}\b(\d{1,4}) ?(?:\/|of|out of) ?\2\b|\ball (?:\d+ )?(?:\w+ )?(?:slots|attachment points) (?:are |were )?(?:taken|used|occupied|in use|full)\b/,
});

/** The node takes no more volumes. */
export function saysLimit({ code, raw }: DriverError): boolean {
  if (anyThrottling.test(raw)) return false;
  return code === 'ResourceExhausted' || limitTexts.test(raw);
}
