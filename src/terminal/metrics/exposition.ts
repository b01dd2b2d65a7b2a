import { sanitise } from '../sanitise.ts';

type Labels = Readonly<Record<string, string>>;

/** A family of samples that have the same name and meaning. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  /** A gauge unless said otherwise. The name of a counter ends in `_total`. */
  readonly type?: 'gauge' | 'counter';
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, samples: [{ value }] };
}

/** How many items have the same labels, in the order of the labels. */
export function countBy<T>(
  items: readonly T[],
  labelsOf: (item: T) => Labels,
): { readonly labels: Labels; readonly value: number }[] {
  const groups = Map.groupBy(items.map(labelsOf), (labels) => JSON.stringify(labels));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, same]) => ({ labels: same[0] ?? {}, value: same.length }));
}

/** The Prometheus text format, version 0.0.4. */
export function renderPrometheus(metrics: readonly Metric[]): string {
  return metrics.map((metric) => renderMetric(metric, metric.name)).join('');
}

/** OpenMetrics 1.0: a counter is named without its suffix, and the last line shows that nothing was cut off. */
export function renderOpenMetrics(metrics: readonly Metric[]): string {
  const families = metrics.map((metric) =>
    renderMetric(metric, metric.type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name),
  );
  return `${families.join('')}# EOF\n`;
}

/** A metric without samples is allowed by both formats, and shows that it exists. */
function renderMetric({ name, help, type = 'gauge', samples }: Metric, family: string): string {
  return [
    `# HELP ${family} ${help}`,
    `# TYPE ${family} ${type}`,
    ...samples.map(({ labels, value }) => `${name}${renderLabels(labels)} ${value}`),
    '',
  ].join('\n');
}

function renderLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(sanitise(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
