/** The words of external-provisioner getSnapshotSource. */
export const restoreTexts = {
  missing:
    /error getting snapshot (\S+) from api server: (?!.*\bis forbidden\b)(.*(?:not found|could not find the requested resource|no matches for kind).*)/s,
  deleting: /snapshot (\S+) is (?:currently )?being deleted/,
  unbound: /snapshot (\S+) not bound/,
  content:
    /error getting snapshotcontent (\S+)|snapshotcontent (\S+) for snapshot \S+ is bound to a different snapshot|snapshot handle (\S+) is not available/,
  driver: /snapshotcontent (\S+) for snapshot \S+ is not handled by CSI driver of StorageClass (\S+)/,
  notReady: /snapshot (\S+) is not [Rr]eady/,
  size: /requested volume size (\d{1,20}) is less than the size (\d{1,20}) for the source snapshot/,
  mode: /modifies the mode of the source volume but does not have permission/,
} as const;
