import type { CheckReport } from '../../core/report/check.ts';
import { checkMetrics, unreadMetrics } from '../../terminal/metrics/check-metrics.ts';
import { renderPrometheus } from '../../terminal/metrics/exposition.ts';

export function renderCheckPrometheus(report: CheckReport): string {
  return renderPrometheus(checkMetrics(report));
}

/**
 * The reports of several clusters, each series with the label `context`. A cluster that was not read is down, and not
 * absent.
 */
export function renderContextsPrometheus(
  { source }: CheckReport,
  reports: readonly { readonly context: string; readonly document: CheckReport }[],
): string {
  const unread = (source.contexts ?? []).filter(({ status }) => status === 'unread');
  const all = [
    ...reports.map(({ context, document }) => ({ context, metrics: checkMetrics(document) })),
    ...unread.map(({ name }) => ({ context: name, metrics: unreadMetrics() })),
  ];
  const labelled = all.flatMap(({ context, metrics }) =>
    metrics.map(({ samples, ...metric }) => ({
      ...metric,
      samples: samples.map(({ labels, value }) => ({ labels: { context, ...labels }, value })),
    })),
  );
  // The format requires all series of a metric in one place.
  const families = [...Map.groupBy(labelled, ({ name }) => name).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, samples: [first, ...others].flatMap(({ samples }) => samples) }],
  );
  return renderPrometheus(families);
}

export function renderUnreadPrometheus(): string {
  return renderPrometheus(unreadMetrics());
}
