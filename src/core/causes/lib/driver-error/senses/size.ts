import { anyOf } from './wordings.ts';

/**
 * The storage refuses a size that is not more than the volume has: Cinder, Linode, Hetzner, EBS and others. CSI wants
 * success there (ControllerExpandVolume), so it follows a growth outside Kubernetes, or a call whose answer was lost.
 */
export const notLargerTexts = anyOf({
  mustBeGreater:
    /\bsize\b[^.;]{0,40}\b(?:must|has to|should|needs? to) be (?:strictly )?(?:greater|larger|bigger|higher|more) than (?:the |its )?(?:current|existing|actual|present|old|original)\b/,
  notSmaller:
    /\b(?:size|capacity|volume|disk)\b[^.;]{0,40}\b(?:cannot|can not|can't|must not|may not|should not) be (?:smaller|less|lower) than (?:the |its )?(?:current|existing|actual|present|old|original)\b/,
  onlyUp: /\bcan only be (?:resized up|increased|enlarged|upsized)\b(?! (?:when|while|if|after|once|offline))/,
  noShrink:
    /\b(?:shrink(?:ing)?|decreas(?:e|ing)|reduc(?:e|ing)|downsiz(?:e|ing))\b[^.;]{0,40}\b(?:not|n't) (?:supported|allowed|possible|permitted|be (?:decreased|reduced|shrunk))\b|\bcannot be (?:shrunk|decreased|reduced)\b/,
  tooSmall: /\b(?:size|capacity) is too? (?:small|low)\b(?![^.;]{0,40}\b(?:minimum|minimal|at least|smallest)\b)/,
  already:
    /\balready (?:has|is|at) (?:the |that |this )?(?:requested |desired |target )?(?:size|capacity|\d+ ?[GT]i?B)\b/,
});

/** The size that the volume has by the words of the storage, in GiB: Cinder. */
export function currentSizeIn(text: string): number | undefined {
  const size = /\bcurrent(?:ly)?(?: size)?(?: is|:|=)? ?(\d{1,6})\b(?! ?bytes)/i.exec(text)?.[1];
  return size === undefined ? undefined : Number(size);
}

/** The storage refuses the size itself: too large, or not one that it offers. */
export const sizeRefusedTexts = anyOf({
  parameter:
    /\b(?:parameter|value|field|property)\b[^.;]{0,30}["'`]?\b\w*(?:size|capacity)\w*["'`]?[^.;]{0,40}\b(?:not valid|invalid|out of range|not supported|too large)/,
  invalid:
    /\binvalid (?:value (?:for|of) )?(?:field |parameter )?["'`]?\w*(?:disk_?size|new_?size|size_?gb|volume_?size)/,
  tooLarge:
    /\b(?:\w*size\w*|capacity|volume of \S+)\b[^.;]{0,40}\b(?:is |are )?(?:too (?:large|big|high)|out of range)\b|\bexceeds? (?:the )?(?:max\w*|largest) (?:\w+ ){0,3}(?:size|capacity)\b/,
});

/** The size itself is none that the storage offers; a file system or block size is another thing. */
export const sizeUnofferedTexts =
  /\bInvalid(?:Disk|Volume)Size\b|\b(?<!block |sector |page |chunk )(?:disk|volume|requested|specified|provided|storage) ?(?:disk |volume )?(?:size|capacity)\b[^.;,]{0,40}\b(?:is |was )?(?:not (?:supported|valid|allowed|offered|available)|invalid|illegal|unsupported|too (?:small|large|big))/i;

/** Any word about size. */
export const sizeWords = /\b(?:size|capacity|too (?:small|large|big))\b/i;

/** A parameter is allowed only for some sizes. */
export const dependsOnSizeTexts = /\b(?:volume|disk) size\b|\bper (?:GiB?|TiB?)\b|\bsize ratio\b/i;

/** external-provisioner getPVCSource: `requested 5368709120 but source is 10737418240`. */
export const sourceSizeText = /\bsource is (\d{4,20})\b/;

/** `between 50 GB and 16384 GB`, `[size] Must be 10-10240`; sizes without a unit are meant in GB. */
export const sizeRangeText =
  /(?:between|from|range(?: of)?:?|must be|in) (\d{1,8}) ?([KMGTP]i?B?)? ?(?:and|to|-|–|\.\.) ?(\d{1,8}) ?([KMGTP]i?B?)?(?!\w|\.\d)/i;

/** A range of numbers is one of sizes. */
export const sizeOrCapacityWords = /\b(?:size|capacity)\b/i;

const amount = String.raw`[^0-9]{0,60}?(\d+(?:\.\d+)?) ?(bytes?|[KMGTPE]i?B?|[KMGTPE]ibibytes?|)(?![\w])`;

/** A size that is named as the smallest. */
export const leastSizeTexts = new RegExp(
  String.raw`(?:min(?:imum|imal)?\b|at least|(?:starts?|begins?|starting) (?:at|from|with)|no less than|not (?:be )?below|needs? to be|or more than|smaller than|less than|below|greater than or equal to|>=)${amount}`,
  'gi',
);

/** A size that is named as the largest. */
export const mostSizeTexts = new RegExp(
  String.raw`(?:max(?:imum|imal)?\b|at most|no more than|\bpast\b|\bbeyond\b|\bover\b|capped (?:at|to)|cap of|ends? at|larger than|greater than(?! or equal)|exceeds?|above|up to|limit of|limit is|limit:|\bfree ?[=:]|\bavailable ?[=:]|<=)${amount}`,
  'gi',
);
