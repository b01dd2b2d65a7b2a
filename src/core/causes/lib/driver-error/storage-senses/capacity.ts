import { noSpace } from '../senses/capacity.ts';
import { httpStatus } from '../senses/http.ts';
import { anyOf } from '../senses/wordings.ts';
import type { PatternedSense } from './sense.ts';

/** Too many requests to an API, which says nothing about volumes. */
const throttlingTexts = anyOf({
  cloudNames: /RequestLimitExceeded|Throttl(?:ing|ed)|Too ?Many ?Requests|rateLimitExceeded|userRateLimit|SlowDown\b/,
  rateExceeded: /\b(?!VolumeModification)\w+RateExceeded\b|request rate has been exceeded/,
  rateLimit: /(?:rate|request) ?limit ?(?:has been |was |is )?(?:exceeded|reached|hit)/,
  atOnce:
    /\b(?:concurrent|simultaneous|parallel|in-?flight)\b[^.;]{0,60}\b(?:limit|maximum|too many)\b|\b(?:limit|maximum|too many)\b[^.;]{0,60}\b(?:concurrent\w*|simultaneous\w*|parallel|in-?flight|at the same time|being (?:created|cloned|copied|deleted|attached|taken|restored))\b/,
  calls:
    /\b(?:requests?|operations?|connections?|sessions?|jobs?|tasks?|api calls?) limit (?:\(?\d+\)? )?(?:has been |was |is )?(?:reached|exceeded|hit)\b|\breached (?:an?|the|its|your) (?:maximum )?(?:requests?|operations?|connections?|sessions?|jobs?|tasks?|api calls?) limit\b/,
  httpStatus: /(?:error|status ?code|http\w*)\W{0,5}429\b/,
  anyStatus: httpStatus(429),
});

export const throttling: PatternedSense = {
  about: 'throttling',
  kind: 'background',
  pattern: throttlingTexts,
  meaning: 'the storage API turns requests away because there are too many of them',
  advice: 'Wait: the call is repeated automatically. If it lasts, spread the load or ask for a higher request rate.',
};

/** EFS gives each access point a group id of its own, and never the same twice. */
const groupIdsTexts = /(?:locate|find|allocate) a free GID|no (?:free|available) GIDs?\b/i;

export const groupIds: PatternedSense = {
  about: 'groupIds',
  kind: 'exhausted',
  pattern: groupIdsTexts,
  meaning: 'no group id is left in the range from which each volume gets one',
};

/** The cloud itself has no room at this place, whatever the account may use. */
const stockoutTexts = anyOf({
  names:
    /RESOURCE_POOL_EXHAUSTED|\bstockout\b|resource_unavailable|InsufficientVolumeCapacity|ZonalAllocationFailed|\bNoStock\b|SoldOut\b|ResourceInsufficient\b/,
  words: /error during placement|\b(?:sold out|out of stock)\b/,
});

export const stockout: PatternedSense = {
  about: 'stockout',
  kind: 'exhausted',
  pattern: stockoutTexts,
  meaning:
    'the cloud has no room for it at this place now; this is neither a quota of the account nor a fault of the driver',
  advice:
    'Wait, since the call is repeated automatically, or use another place: a class or a pod for another ' +
    'zone or location, or another disk type. If it lasts, ask the support of the cloud.',
};

/** `3 of 3` and `97 %` also count how far a job, an attempt or a set of replicas is: then nothing is used up. */
const progress = String.raw`attempts?|retr(?:y|ies)|tr(?:y|ies)|steps?|phases?|stages?|parts?|chunks?|replicas?|nodes?|hosts?|pools|servers|characters|transfer\w*|progress|copy|copied|copying|cop(?:y|ies)|clone[ds]?|cloning|scrub\w*|re-?build\w*|re-?sync\w*|sync\w*|re-?balanc\w*|upgrad\w*|migrat\w*|restor\w*|replicated|format\w*|healthy|ready|done|complete\w*|finished|frozen|remaining|listed`;
const gap = (most: number): string => String.raw`(?:(?!\b(?:${progress})\b)[^.;]){0,${most}}`;
const notOfProgress = String.raw`(?![^.;]{0,12}\b(?:${progress})\b)`;

/** Proves that no more volumes, shares or access points may be created, however small; not that space is missing. */
const tooMany = {
  countLimits: /(?:AccessPoint|Volume|Disk|FileSystem|Share|Snapshot)\w*LimitExceeded\b/,
  maximumNumber: /maximum number of (?:\w+ )?(?:volumes|disks|shares|access points|exports|snapshots)/,
  maximumReached:
    /max(?:imum)? volumes? .{0,30}reached|\bmax(?:imum)? limit of (?:\w+ )?(?:volumes|disks|shares|snapshots)\b|\bno more (?:volumes|disks|shares|snapshots) can be (?:created|taken)\b(?! (?:while|until|during|now)\b)|\btoo many snapshots\b|\bsnapshot (?:count |number )?limit\b.{0,40}\b(?:reached|exceeded|hit)\b|\bnumber of (?:volumes|disks|shares|snapshots)\b[^.;]{0,80}\breached (?:the |its )?(?:\w+ )?(?:maximum|limit)\b/,
  counted: new RegExp(
    String.raw`\b(?:volumes?|disks?|luns?|shares?|snapshots?|snaps?|exports?|slots?)\b${gap(40)}?\b(\d{1,6}) ?(?:\/|of|out of) ?\1\b${notOfProgress}|\b(?<!\b(?:${progress})\W{1,2})(\d{1,6}) ?(?:\/|of|out of) ?\2\b${gap(20)}\b(?:volumes?|disks?|luns?|shares?|snapshots?|exports?|slots?)\b${notOfProgress}`,
  ),
};
const countTexts = anyOf(tooMany);

export const count: PatternedSense = {
  about: 'count',
  kind: 'exhausted',
  pattern: countTexts,
  meaning: 'the storage allows no more volumes of this kind, whatever their size',
  advice:
    'Ask the owner of the storage to raise the limit that the error names. The claim is then provisioned ' +
    'automatically, within 5 minutes.',
  sacrifice: 'Or delete volumes of this kind that are no longer needed, those in phase Released first.',
};

/** A storage system that spreads volumes over machines finds too few of them. */
const placementTexts =
  /\black of (?:\w+ )?(?:nodes|disks|pools|space|storage)\b|(?:\bnot|(?:\bnot|n't|unable to|failed to) find) enough (?:(?:available|free|eligible|healthy|suitable|online|storage) )*(?:nodes|disks|pools|devices|hosts|servers)\b|\bno (?:candidate|eligible|suitable) (?:nodes?|drives?|vgs?)\b|\bno (?:\w+ )?(?:bricks?|hosting volumes?) (?:is |are )?(?:available|found|left)\b/i;

export const placement: PatternedSense = {
  about: 'placement',
  kind: 'exhausted',
  pattern: placementTexts,
  meaning: 'too few nodes, disks or pools of the storage can take the volume',
  advice:
    'Add nodes, disks or pools to the storage, or bring those back that are down. The claim is then ' +
    'provisioned automatically, within 5 minutes.',
};

/**
 * A driver of local volumes looks for a drive or volume group with the right name and room on the nodes in question.
 */
export const nodeSpace: PatternedSense = {
  isOfCreation: true,
  about: 'placement',
  kind: 'exhausted',
  pattern:
    /\bno (?:\w+ )?(?:drives?|vgs?|volume groups?) (?:was |were |is |are )?(?:found|available|left|matche?s?)\b/i,
  meaning: 'the nodes in question have no drive or volume group that fits by name and by free space',
  advice:
    'Extend or create the drive or volume group on the node of the pod, free some space there, or let the ' +
    'pod run on a node that has it. The claim is then provisioned automatically, within 5 minutes.',
};

/** Proves that space is missing. */
const noRoom = {
  outOfSpace:
    /out of (?:capacity|space|disk)|insufficient (?:free |disk |storage |available )*(?:capacity|space|storage|resources|disk)|Insufficient\w*Capacity/,
  noSpace,
  beyond:
    /\b(?:greater|larger|more|bigger) than (?:the )?(?:available|free|remaining) (?:space|capacity|room|bytes)\b|\bexceeds? (?:the )?(?:available|free|remaining) (?:\w+ )?(?:space|capacity|room|bytes)\b/,
  ranOut:
    /\br[au]n(?:s|ning)? out of (?:free |disk |storage |physical )*(?:space|capacity|storage|room|blocks|extents|bytes|segments)\b|\bno (?:more |free |usable |available |remaining )+(?:space|capacity|room|blocks|extents)\b|\b(?:space|capacity|room|blocks|extents) (?:is |are |was |has been |have been )?(?:all )?(?:exhausted|depleted|used up)\b/,
  reserved:
    /(?:could ?(?:not|n't)|cannot|can't|failed to|unable to) (?:reserve|allocate) (?:(?!memory|token|lock|ip\b|address)\S+ ){0,3}(?:bytes|blocks|extents|space|capacity|[KMGTP]i?B)\b(?! (?:token|lock|service)|: (?:operation|another))|\b(?:reserve|space|capacity|budget)\b[^.;]{0,40}\b(?:is|are|was|has been|have been) (?:fully |all |completely )?(?:consumed|exhausted|used up|full|spent|taken)\b/,
  almostFull: new RegExp(
    String.raw`\b(?:pool|array|aggregate|datastore|volume group|vg|storage|tier|backend|filesystem|file system)\b${gap(40)}\b(?:9[5-9]|100)(?:\.\d+)? ?%${notOfProgress}`,
  ),
  onlyLeft:
    /\b(?:only|just) [\d.]+ ?(?:[KMGTP]i?B|bytes)\b.{0,20}\b(?:free|left|available|remain\w*)\b(?! (?:to|until)\b)|\b[\d.]+ ?(?:[KMGTP]i?B|bytes) (?:is |are )?(?:free|left|remain\w*)\b(?!,? (?:to|until|but)\b|;)|\binsufficient (?:\w+ ){0,2}(?:extents|blocks)\b/,
  httpStatus: httpStatus(507),
  notEnough: /not? enough (?:free |disk |available |storage )*(?:space|capacity|storage)/,
  full: /(?:disk|pool|volume group|aggregate|datastore)\b.{0,40} (?:is |has been )?(?:full(?![- ](?:sync\w*|resync\w*|backup|redundancy|copy|clone|scan|rebuild|check)\b)|filled up|exhausted|depleted)\b|exceeds? (?:the )?(?:remaining|available|free|total) (?:capacity|space)/,
};
const spaceTexts = anyOf(noRoom);

export const space: PatternedSense = {
  about: 'space',
  kind: 'exhausted',
  pattern: spaceTexts,
  meaning: 'the storage has too little free space',
  advice:
    'Add space to the storage or the pool that the error names, or free some. The claim is then ' +
    'provisioned automatically, within 5 minutes.',
};

/** Google Cloud names the quota, its limit and the place. */
const namedQuotaText = /Quota '([^']+)' exceeded\.\s+Limit: ([\d.]+?)(?:\.0)? in ((?:region|zone) [a-z0-9-]+)/;

export const namedQuota: PatternedSense = {
  about: 'quota',
  kind: 'exhausted',
  pattern: namedQuotaText,
  meaning: 'quota $1 in $3 has no room for the volume; the credentials were accepted',
  advice:
    'Ask the owner of the cloud project to raise quota $1 in $3 (now $2). The claim is then ' +
    'provisioned automatically.',
  sacrifice: 'Or delete disks in $3 that are no longer needed, volumes in phase Released first.',
};

/** Proves that a quota or the space is used up, even behind a 403; not that a right is missing. */
const quotaTexts = anyOf({
  cloudNames: /\w*LimitExceeded\b|limit exceeded|OverQuota|InsufficientQuota/,
  quota:
    /Quota\w*[ '_A-Z0-9:()-]{0,60}(?:is |was |has been )?(?:exceeded|exhausted|used up|reached)|exceed\w*(?: \S+){0,5} quota|\bEDQUOT\b|\b(?:over|above|beyond) (?:the |its |your |our )?(?:\w+ ){0,2}quota\b|\b(?:not enough|insufficient|no (?:more |remaining )?) ?quota\b/,
  ofAccount:
    /\bexceed\w*\b[^.;]{0,60}\b(?:for|of|in) (?:this|the|your) (?:account|project|subscription|tenan\w*|organi[sz]ation)\b/,
  ...noRoom,
  ...tooMany,
  licence:
    /\blicen[sc]ed? (?:\w+ ){0,4}(?:exceeded|reached|used up|exhausted|limit\w*|capacity)\b|\b(?:plan|subscription|licen[sc]e|contract|tier) (?:only )?(?:allows?|permits?|includes?) (?:only |at most |up to |no more than )?\d+\b(?! (?:concurrent|parallel|simultaneous))/,
  limitReached:
    /(?<!\b(?:retry|retries|time|timeout|attempts?) )\blimit (?:\(?\d+\)? )?(?:(?:has|have) been |was |is )?(?:reached|hit)\b|reached (?:an?|the|your|its|our) (?:(?!retry|retries|time|timeout|attempts?|wait)\w+ ){0,4}(?:limit|quota|maximum)\b(?! (?:number of |amount of )?(?:retries|attempts|wait\w*|time\w*))/,
});

export const quota: PatternedSense = {
  about: 'quota',
  kind: 'exhausted',
  pattern: quotaTexts,
  meaning: 'a quota or limit of the storage is used up',
  advice:
    'Ask the owner of the storage account to raise the quota or limit that the error names, or delete what ' +
    'is no longer needed there. The claim is then provisioned automatically, within 5 minutes.',
};
