import type { Severity, Stage } from '../report/report.ts';

/** A cause with a page for `explain` that no diagnosis can name. */
interface ExplainOnly {
  readonly cause: string;
  readonly stage: Stage;
  readonly severity: Severity;
  /**
   * Why no rule can find it: the API refuses the change at once, only a log shows it, or it is a symptom of another
   * cause.
   */
  readonly reason: 'refused by the API' | 'only in a log' | 'symptom';
}

/** Sorted by cause. */
export const explainOnly: readonly ExplainOnly[] = [
  { cause: 'local-static-not-discovered', stage: 'bind', severity: 'blocking', reason: 'only in a log' },
  { cause: 'modify-clear-forbidden', stage: 'modify', severity: 'blocking', reason: 'refused by the API' },
  { cause: 'mount-generic-timeout', stage: 'mount', severity: 'blocking', reason: 'symptom' },
  { cause: 'pod-pvc-unbound-immediate', stage: 'schedule', severity: 'blocking', reason: 'symptom' },
  { cause: 'resize-denied-quota', stage: 'expand', severity: 'blocking', reason: 'refused by the API' },
  { cause: 'resize-denied-shrink', stage: 'expand', severity: 'blocking', reason: 'refused by the API' },
  { cause: 'resize-denied-unbound', stage: 'expand', severity: 'blocking', reason: 'refused by the API' },
  { cause: 'snapmeta-endpoint', stage: 'snapshot', severity: 'blocking', reason: 'only in a log' },
  { cause: 'snapmeta-service-missing', stage: 'snapshot', severity: 'blocking', reason: 'only in a log' },
  { cause: 'snapmeta-token', stage: 'snapshot', severity: 'blocking', reason: 'only in a log' },
  { cause: 'snapmeta-v1alpha1', stage: 'snapshot', severity: 'blocking', reason: 'only in a log' },
];
