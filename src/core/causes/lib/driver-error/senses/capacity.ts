import type { DriverError } from '../parse.ts';
import { anyOf } from './wordings.ts';

/**
 * Read more widely for attach: ResourceExhausted with any word about request rates must not be taken for a full node.
 */
const anyThrottling = /RequestLimitExceeded|Throttl|rate ?limit|too many requests/i;

export const noSpace = /no space left|ENOSPC/;

/** What a quota has to be at least, where the text has the numbers: OpenStack, then Azure. */
export function neededQuota(text: string): string | undefined {
  const [, asked, , used] = /Requested (\d+)G?, quota is (\d+)G? and (\d+)G? has been consumed/i.exec(text) ?? [];
  if (asked !== undefined && used !== undefined)
    return `${Number(asked) + Number(used)}${/Requested \d+G/i.test(text) ? 'G' : ''}`;
  return /New Limit Required: (\d+)/i.exec(text)?.[1];
}

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

export const limitTexts = anyOf({
  maximumNumber: /\bmaximum (?:number|amount) of .{0,40}(?:volumes|disks|attachments|devices)/,
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

/** None of a kind that the driver has none of is not "full": there the class asks for the wrong kind. */
export const noneOfNoneText = /\b0 (?:out )?of 0\b/i;

/** The pool, or whatever the storage calls it, that a text about space names. */
export const namedPoolText =
  /\b(?:pool|aggregate|datastore|volume ?group|file ?system|backend|storage domain|cluster)s? ["'([]?(?!in\b|is\b|has\b|to\b|on\b|of\b|for\b|from\b|with\b|and\b|full\b)([a-z0-9][\w.-]*[\w])/i;

/** Any word for a limit: only to find the clause of a text that speaks of it. */
export const limitWords = /\b(?:quotas?|limits?|maximum)\b/i;

/** A limit on snapshots, as opposed to one on volumes. */
export const snapshotWord = /snap/i;

/** The text names a limit. */
export const limitNamedTexts = /maximum|limit/i;
