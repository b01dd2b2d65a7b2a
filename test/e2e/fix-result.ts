/**
 * How a first fix was carried out:
 * - executed: the commands ran as printed;
 * - human: the commands ran as printed, with what a person knows or does;
 * - played: the suite did it instead, because the machine lacks something;
 * - person: the fix has no command, and a person did what it says;
 * - weak: the fix does not act (it only looks, opens an editor, has no command);
 * - not run: for the reason that is given.
 */
export type How = 'executed' | 'human' | 'played' | 'person' | 'weak' | 'not run';

/** What became of the first fix of a scenario. */
export interface FixResult {
  readonly scenario: string;
  readonly cause: string;
  /** The text of the fix. */
  readonly fix: string;
  readonly how: How;
  /** What a person added, why it was played, or why it was not carried out. */
  readonly reason?: string;
  /** Seconds until the target was as it should be. */
  readonly healedAfter?: number;
  /** The state it then had. */
  readonly reached?: string;
  /** Whether the printed prediction came true; absent where none was printed. */
  readonly predicted?: boolean;
  /** Seconds during which the old cause was still reported. */
  readonly lingered?: number;
  /** Why that is right. */
  readonly lingers?: string;
  readonly problem?: string;
}
