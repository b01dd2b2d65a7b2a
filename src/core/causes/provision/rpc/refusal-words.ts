/** An access mode, by any of its names. */
export const modeWords =
  /access[ _-]?modes?|MULTI_NODE|SINGLE_NODE|multi[ -]?node|multi[ -]?writer|\bRead(?:Write|Only)(?:Once|Many|OncePod)\b|\bRW[XO]P?\b|\bROX\b/i;

const noBlock = /block volume(?:s| mode)? (?:is|are) not supported|does not support (?:raw )?block/;
/** csi-driver-nfs and csi-driver-smb isValidVolumeCapabilities, ceph-csi for file systems, and drivers that name what they make instead. */
const noBlockCapability = new RegExp(
  [
    '\\bblock (?:volume|access|device|mode)s?(?: (?:capability|capabilities|mode|access|type))?(?: is| are)? (?:not supported|unsupported)',
    '(?:access type|volume ?mode):?(?: is)? "?block"?(?: is)? not supported',
    'only (?:mount|file ?system)(?: (?:volumes?|volume mode|mode|access|access type|capability|capabilities))?(?: is| are)? supported',
    'only supports? (?:mount|file ?system) (?:volumes?|mode|access)',
  ].join('|'),
);

/** It makes no raw block volumes, says a driver or a provisioner; where a driver speaks of access modes as well, those may be meant. */
export const blockRefusal = new RegExp(
  `${noBlock.source}|^(?![^]*(?:${modeWords.source}))[^]*(?:${noBlockCapability.source})`,
  'i',
);
