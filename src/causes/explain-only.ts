import type { Severity, Stage } from '../model/report.ts';

/** A cause that `explain` tells and no diagnosis can name. */
export interface ExplainOnly {
  readonly cause: string;
  readonly stage: Stage;
  readonly severity: Severity;
  /** Why no rule can find it: the API refuses it at once, or only a log shows it, or it is the symptom of another. */
  readonly reason: 'refused by the API' | 'only in a log' | 'symptom';
}

/** Sorted by cause. */
export const explainOnly: readonly ExplainOnly[] = [];
