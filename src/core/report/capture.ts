/** One value that was removed from a capture: where it was, and what kind of value it was. */
export interface Redaction {
  readonly object: string;
  readonly path: string;
  readonly what:
    'annotation' | 'argument' | 'environment value' | 'parameter' | 'mount option' | 'message' | 'other text';
}

/** What a capture holds, for the person who is about to share it. */
export interface CaptureSummary {
  /** What was read, and where, in words. */
  readonly source: string;
  readonly scope: string;
  readonly counts: readonly { readonly kind: string; readonly count: number }[];
  /** How many logs it holds, and how many lines. */
  readonly logs?: { readonly count: number; readonly lines: number };
  readonly unread: readonly { readonly resource: string; readonly namespace?: string; readonly reason: string }[];
  readonly redactions: readonly Redaction[];
  /** What a second, independent look still found, and removed: where, and by which format. */
  readonly detections?: readonly { readonly object: string; readonly path: string; readonly form: string }[];
  /** Absent: standard output. */
  readonly file?: string;
  readonly bytes: number;
  readonly isAnonymous: boolean;
}
