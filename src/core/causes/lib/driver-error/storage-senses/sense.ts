/** A well-known error of a cloud or a storage system, in plain words. */
export interface Sense {
  readonly about:
    | 'socket'
    | 'ghost'
    | 'throttling'
    | 'object'
    | 'admission'
    | 'count'
    | 'space'
    | 'quota'
    | 'stockout'
    | 'credentials'
    | 'login'
    | 'billing'
    | 'licence'
    | 'unseen'
    | 'offer'
    | 'unsaid'
    | 'helper'
    | 'export'
    | 'readOnly'
    | 'protocol'
    | 'stale'
    | 'client'
    | 'key'
    | 'parameter'
    | 'groupIds'
    | 'cluster'
    | 'machine'
    | 'unavailable'
    | 'backend'
    | 'filter'
    | 'size'
    | 'dataset'
    | 'machines'
    | 'certificate'
    | 'subvolumeGroup'
    | 'missing'
    | 'absent'
    | 'shared'
    | 'service'
    | 'state'
    | 'zone'
    | 'placement'
    | 'network'
    | 'outage'
    | 'busy'
    | 'crash'
    | 'slow';
  /** What it makes of the error where the code says no more than that something went wrong. */
  readonly kind?: 'background' | 'exhausted' | 'credentials' | 'invalidArgument';
  readonly meaning: string;
  readonly advice?: string;
  /** What helps as well, and deletes data. */
  readonly sacrifice?: string;
  /** What shows more, beside the advice. */
  readonly command?: string;
}

/** A sense, and what its words look like; `$1` and `$2` stand for what the pattern caught. */
export interface PatternedSense extends Sense {
  readonly pattern: RegExp;
  /** Only where a volume is created do the words mean this: on a node or for an existing volume they say something else. */
  readonly isOfCreation?: true;
}

/** A sense, and the words in the text that have it. */
export interface FoundSense extends Sense {
  readonly words: string;
}
