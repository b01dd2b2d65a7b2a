/** What the programs of a node plugin print about the machine that they run on. */

/** NodeGetInfo asks the metadata service of the cloud for the name and the zone of the node. */
export const metadataText = /metadata|169\.254|imds/i;

/** resize2fs and xfs_growfs on a file system that they do not recognise or that is damaged. */
export const fileSystemTexts =
  /bad magic number|superblock|run ['"`]?(?:e2fsck|fsck|xfs_repair)|e2fsck -f|structure needs cleaning|is not a mounted XFS|unknown filesystem|unsupported file ?system|permission denied to resize|errors in the file ?system|online resiz\w+ is not allowed/i;

/** Last words of a node plugin about the metadata service. */
export const metadataWords = /\bmetadata\b|\bIMDS\b|169\.254\.169\.254/i;

/** Last words of a node plugin about rights. */
export const rightsWords = /credential|unauthori[sz]ed|access ?denied|permission denied/i;
