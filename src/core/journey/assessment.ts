/** What object state alone shows about a stage: events explain why it is open, never whether. */
export interface Assessment {
  readonly state: 'passed' | 'open' | 'unreached' | 'notApplicable' | 'unknown';
  readonly note: string;
  /** Since when it is open (RFC 3339). */
  readonly since?: string;
  /** How long it may be open before that counts as blocked. */
  readonly graceSeconds?: number;
  /** A controller reported lately that it failed: it is open, whatever else could not be read. */
  readonly hasFailed?: true;
  /**
   * The object does not show whether it works (a node, a driver, a class): the stage has passed unless a rule proves
   * otherwise.
   */
  readonly isDoubtful?: true;
  /** The note where a rule proves that such a stage, or one that could not be read, has not passed. */
  readonly brokenNote?: string;
}

export function passed(note: string): Assessment {
  return { state: 'passed', note };
}

export function passedUnlessExplained(note: string, brokenNote = note): Assessment {
  return { state: 'passed', note, isDoubtful: true, brokenNote };
}

export function open(note: string, since: string | undefined, graceSeconds: number): Assessment {
  return { state: 'open', note, graceSeconds, ...(since !== undefined && { since }) };
}

export function unreached(note: string): Assessment {
  return { state: 'unreached', note };
}

export function notApplicable(note: string): Assessment {
  return { state: 'notApplicable', note };
}

/** Not everything that shows whether it works could be read; a rule may still prove that it does not. */
export function unknownUnlessBroken(note: string, brokenNote: string): Assessment {
  return { state: 'unknown', note, brokenNote };
}

export function unknown(note: string, since?: string): Assessment {
  return { state: 'unknown', note, ...(since !== undefined && { since }) };
}
