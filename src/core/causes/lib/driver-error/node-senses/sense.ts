/** What the words of a driver, or of the mount helper of a node, prove. */
export interface MountSense {
  readonly id:
    | 'driverDown'
    | 'apiForbidden'
    | 'apiMissing'
    | 'noProvider'
    | 'secretsStore'
    | 'nodeService'
    | 'names'
    | 'metadataServer'
    | 'login'
    | 'passphrase'
    | 'nfsVersion'
    | 'exportMissing'
    | 'state'
    | 'action'
    | 'credentials'
    | 'unknownFeatures'
    | 'unknownType'
    | 'mounted'
    | 'fileSystem'
    | 'helper'
    | 'program'
    | 'kernelModule'
    | 'busy'
    | 'deviceMissing'
    | 'fuse'
    | 'staleHandle'
    | 'blocklist'
    | 'inUse'
    | 'nfsDenied'
    | 'wrongLogin'
    | 'cluster'
    | 'helperPod'
    | 'denied'
    | 'network'
    | 'readOnly'
    | 'full'
    | 'device'
    | 'notAttached'
    | 'gone'
    | 'path'
    | 'notStaged'
    | 'options'
    | 'certificate'
    | 'notEmpty'
    | 'outage'
    | 'storageBusy'
    | 'policyDenied'
    | 'cephDenied'
    | 'multipath'
    | 'localVolume'
    | 'notMounted'
    | 'staleMount'
    | 'checkerTooOld'
    | 'podSpec'
    | 'noTarget'
    | 'emptySource'
    | 'smbVersion'
    | 'oneUser'
    | 'exit'
    | 'mountFailed'
    | 'unresolvedTarget'
    | 'accessType'
    | 'commandMissing'
    | 'damaged'
    | 'drbd'
    | 'formatFailed'
    | 'fenced'
    | 'sidecarMemory';
  /**
   * A sentence that follows the quoted words, and says no more than they prove; empty where they speak for themselves.
   */
  readonly meaning: string;
  /** The same for every pod on the node that uses the driver. */
  readonly isOfNode?: true;
}

/** A sense, and what its words look like. */
export interface PatternedMountSense extends MountSense {
  readonly pattern: RegExp;
}
