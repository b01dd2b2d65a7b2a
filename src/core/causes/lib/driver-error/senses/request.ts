import { anyOf } from './wordings.ts';

/** An access mode, by any of its names. */
export const modeWords =
  /access[ _-]?modes?|MULTI_NODE|SINGLE_NODE|multi[ -]?node|multi[ -]?writer|\bRead(?:Write|Only)(?:Once|Many|OncePod)\b|\bRW[XO]P?\b|\bROX\b/i;

const refusalWords =
  /not supported|unsupported|not support\b|only (?:.{0,60} )?support|invalid|not allowed|cannot|can't|must be|not valid|unknown/i;

/**
 * "Volume capabilities not supported" may mean the mode or the kind of access: it is the mode if the claim asks for
 * more than one node.
 */
export function blamesMode(text: string, modes: readonly string[]): boolean {
  if (!refusalWords.test(text)) return false;
  return (
    modeWords.test(text) || (/volume capabilit(?:y|ies)/i.test(text) && modes.some((mode) => mode !== 'ReadWriteOnce'))
  );
}

const noBlock = /block volume(?:s| mode)? (?:is|are) not supported|does not support (?:raw )?block/;
/**
 * csi-driver-nfs and csi-driver-smb isValidVolumeCapabilities, ceph-csi for file systems, and drivers that name what
 * they make instead.
 */
const noBlockCapability = anyOf({
  block:
    /\bblock (?:volume|access|device|mode)s?(?: (?:capability|capabilities|mode|access|type))?(?: is| are)? (?:not supported|unsupported)/,
  accessType: /(?:access type|volume ?mode):?(?: is)? "?block"?(?: is)? not supported/,
  onlyMount:
    /only (?:mount|file ?system)(?: (?:volumes?|volume mode|mode|access|access type|capability|capabilities))?(?: is| are)? supported|only supports? (?:mount|file ?system) (?:volumes?|mode|access)/,
});

/**
 * A driver or a provisioner makes no raw block volumes; where a driver speaks of access modes as well, those may be
 * meant.
 */
export const blockRefusal = new RegExp(
  `${noBlock.source}|^(?![^]*(?:${modeWords.source}))[^]*(?:${noBlockCapability.source})`,
  'i',
);

/** external-provisioner, on errors after which it does not call again with the same parameters. */
export const infeasibleText = /failed with infeasible error/i;

export const parameterMissingTexts = anyOf({
  cloudNames: /MissingParameter/,
  needed:
    /parameter .{0,60}?(?:must be (?:specified|set|given|provided|present)|is (?:required|missing|mandatory)|not specified)/,
  missing:
    /(?:missing|requires?|required) (?:an? |the )?(?:required |mandatory )?(?:storage ?class |class |volume )?parameters?\b/,
  namedFirst: /\bmissing (?:the |required )*["'`]?\w+["'`]? parameter\b/,
});

/** A name such as `provisioningMode` is spelled as the key of the class is. */
const spelledKey =
  /\b(?:[Mm]issing|[Rr]equired?s?) (?:the |required |parameter )*["'`]?([a-z]+[A-Z]\w*)["'`]?|["'`]?\b([a-z]+[A-Z]\w*)["'`]? (?:parameter )?(?:must be (?:specified|set|given|provided)|is (?:required|missing|mandatory)|not specified)/;

/** The key of the class that the text misses, where it is spelled as a key. */
export function missingKeyIn(text: string): string | undefined {
  const [, after, before] = spelledKey.exec(text) ?? [];
  return after ?? before;
}

export const mountOptionTexts =
  /bad (?:mount )?option|incorrect mount option|invalid (?:mount )?option|unknown (?:mount )?option|unrecognized mount option|mount error\(22\)|invalid argument|\bEINVAL\b|\b(?:mount )?(?:option|flag)s? ["'`][^"'`]{1,60}["'`](?: \w+){0,2} (?:rejected|refused|unknown|unsupported|not (?:known|recogni[sz]ed|accepted|allowed|supported|understood|valid))\b/i;

/** A driver that creates volumes on nodes was given none. */
export const noNodeText = /no node was specified/i;

/** local-path-provisioner pickConfig. */
export const nodeNotConfiguredText = /config doesn't contain node (\S+?),? and no DEFAULT_PATH_FOR_NON_LISTED_NODES/i;

/** A parameter is not known by its name. */
export const unknownKeyTexts =
  /(?:unknown|unrecogni[sz]ed|unsupported|invalid|illegal|unexpected) (?:storage ?class |class |volume )?(?:parameter|option|key|attribute)s?\b|\b(?:param(?:eter)?|option|key|attribute|setting)s? .{0,40}(?:not (?:supported|recogni[sz]ed|known|allowed|understood)|unknown|unexpected|unsupported)/i;

/** `feature journaling requires exclusive-lock to be set`, of a parameter that holds a list. */
export const neededFeatureText =
  /\b(?:feature|option|flag)s? ["'`]?[\w.-]+["'`]? (?:requires?|needs?|depends on) (?:the )?(?:(?:feature|option|flag) )?["'`]?([a-z][\w.-]*[\w])/i;

/** The volume cannot be made as the source of its data is. */
export const unlikeSourceTexts =
  /\bsame\b[^.;]{0,80}\bsource\b|\bsource\b[^.;]{0,80}\b(?:mismatch\w*|differ\w*|(?:not|n't) match)|\b(?:mismatch\w*|differ\w*|(?:not|n't) match)\b[^.;]{0,80}\bsource\b/i;

/** The parameter that is missing, where the name comes first. */
export const missingParameterText =
  /parameters? ["'`]?([\w./-]+)["'`]? (?:must be|is (?:required|missing|mandatory)|not specified)/i;

/** The parameter that is missing, where the name comes last. */
export const requiredParameterText =
  /(?:missing|requires?|required) (?:an? |the )?(?:required |mandatory )?(?:storage ?class |class |volume )?parameters?:? ["'`]?([\w./-]+)["'`]?/i;

/** A driver that has no snapshots at all names no condition. */
export const plainlyUnimplementedText =
  /^(?:(?:the )?(?:create ?)?snapshots?\b[^:;,]{0,60}|unknown (?:method|service)\b.*|(?:method \w+ )?(?:is )?(?:un|not (?:yet )?)implemented\W*|)$/i;
