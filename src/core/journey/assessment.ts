/** What object state alone says of a stage; events say why, never whether. */
export interface Assessment {
  readonly state: 'passed' | 'open' | 'unreached' | 'notApplicable' | 'unknown';
  readonly note: string;
  /** Since when it is open, RFC 3339. */
  readonly since?: string;
  /** How long it may be open before that is a fault. */
  readonly graceSeconds?: number;
  /** Nothing in the object itself tells whether it works (a node, a driver, a class): it has passed unless a rule proves otherwise. */
  readonly isDoubtful?: true;
}

export function passed(note: string): Assessment {
  return { state: 'passed', note };
}

export function passedUnlessExplained(note: string): Assessment {
  return { state: 'passed', note, isDoubtful: true };
}

export function open(note: string, since: string | undefined, graceSeconds: number): Assessment {
  return since === undefined ? { state: 'open', note, graceSeconds } : { state: 'open', note, graceSeconds, since };
}

export function unreached(note: string): Assessment {
  return { state: 'unreached', note };
}

export function notApplicable(note: string): Assessment {
  return { state: 'notApplicable', note };
}

export function unknown(note: string, since?: string): Assessment {
  return since === undefined ? { state: 'unknown', note } : { state: 'unknown', note, since };
}
