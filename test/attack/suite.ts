/** What a suite found: how many cases it ran, and one line for each case that did not hold. */
export interface Outcome {
  readonly cases: number;
  readonly failures: readonly string[];
  /** Why the suite, or a part of it, could not run here: what is missing. */
  readonly skipped?: string;
}

/** How far a suite goes. */
export interface Limits {
  /** A suite that generates its cases stops after this many seconds instead of after its own number of cases. */
  readonly seconds?: number;
}

/** What every test/attack/*.attack.ts exports. A suite that knows no limits takes `report` alone. */
export interface Suite {
  readonly name: string;
  readonly attack: (report: (line: string) => void, limits: Limits) => Promise<Outcome>;
}
