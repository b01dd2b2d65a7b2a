import type { Confidence, ObjectRef } from './report.ts';

/** One log that was read for an item, and what became of that. */
export interface LogReading {
  readonly pod: ObjectRef;
  readonly container: string;
  /** It is the log of the instance before the last restart. */
  readonly previous?: true;
  /** What runs there, in words: `the provisioner, leader`. */
  readonly what: string;
  readonly state: 'read' | 'forbidden' | 'gone' | 'failed' | 'not in the dump';
  readonly message?: string;
  /** How many lines were read, and how many of them name the object. */
  readonly lines: number;
  readonly about: number;
  /** Not all lines since the stage opened were read. */
  readonly isCut?: true;
}

/** The first error about the item in these logs. */
export interface LoggedErrorReport {
  readonly pod: ObjectRef;
  readonly container: string;
  readonly previous?: true;
  /** The call that failed, such as CreateVolume, where the log shows it. */
  readonly rpc?: string;
  readonly line: string;
  readonly at?: string;
}

/** What the logs of the component that owns the stage add to an item of a report. */
export interface LogAccount {
  readonly read: readonly LogReading[];
  readonly firstError?: LoggedErrorReport;
  /**
   * cause: a line named another cause than objects and events alone. confidence: a line made the same cause more
   * certain. evidence: a line only supports the cause. none: the logs did not change the answer.
   */
  readonly effect: 'cause' | 'confidence' | 'evidence' | 'none';
  /** The answer without the logs, where it was another one. */
  readonly without?: { readonly cause?: string; readonly confidence?: Confidence };
}
