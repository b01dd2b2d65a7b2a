import type { ObjectRef, Unread } from './report.ts';

/** One event, whichever of the two event APIs it came by. */
export interface Happening {
  readonly at?: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly object: ObjectRef;
  readonly component?: string;
  readonly count?: number;
}

export interface Happenings {
  readonly takenAt: string;
  /** The latest first. */
  readonly events: readonly Happening[];
  readonly unread: readonly Unread[];
}
