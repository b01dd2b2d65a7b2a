/** The mount of a container. */
export const namedMountText = /volumeMount "([^"]+)"/;

/** The volume, by the directory that the kubelet keeps for subPaths. */
export const subPathDirectoryText = /volume-subpaths?\/([^/\s"]+)\//;

/** pkg/volume/util/subpath: the path leads out of the volume. */
export const leavesVolumeTexts = /symlink|backsteps|not allowed|outside/i;

/** The kubelet may not create it. */
export const notCreatedTexts = /permission denied|not permitted/i;

/** The volume is read-only. */
export const readOnlyWord = /read-only/i;

/** The same, also where no reason is given. */
export const serverRefusesTexts = /failed to create subPath|permission denied|not permitted/i;
