import type { CheckReport } from '../../core/report/check.ts';
import { checkMetrics, unreadMetrics } from '../../terminal/metrics/check-metrics.ts';
import { renderPrometheus } from '../../terminal/metrics/exposition.ts';

export function renderCheckPrometheus(report: CheckReport): string {
  return renderPrometheus(checkMetrics(report));
}

export function renderUnreadPrometheus(): string {
  return renderPrometheus(unreadMetrics());
}
