/** kubelet.go WaitForAttachAndMount, after two minutes: the volumes of the pod that are not mounted yet. */
export function unmountedVolumesIn(message: string): readonly string[] | undefined {
  // Before it knows what the volumes are, the list is not of those that it tried to mount.
  if (/failed to process volumes/.test(message)) return undefined;
  return /unmounted volumes=\[([^\]]*)\]/.exec(message)?.[1]?.split(/[\s,]+/);
}

interface PodDirectory {
  readonly path: string;
  readonly uid: string;
  /** The name of the volume in that path. */
  readonly volume: string;
}

/** The kubelet's directory of a volume of a pod, whatever its root directory, where a device is mounted already. */
export function mountedDirectoryIn(text: string): PodDirectory | undefined {
  const words = text.slice(Math.max(0, text.search(/already mounted|busy|in use/i)));
  const [, path, uid, volume] =
    /(\/[^\s"',[\]]*\/pods\/([0-9a-f-]{36})\/volumes\/kubernetes\.io~[\w-]+\/([^\s/"',[\]]+)(?:\/mount)?)/.exec(
      words,
    ) ?? [];
  return path === undefined || uid === undefined || volume === undefined ? undefined : { path, uid, volume };
}
