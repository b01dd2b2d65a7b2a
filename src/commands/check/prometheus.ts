import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import type { Severity } from '../../core/report/report.ts';
import { parseTime } from '../../core/kube/time.ts';
import { sanitise } from '../../terminal/sanitise.ts';

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

/** All states that a driver can have on a node: a state without nodes is 0 instead of missing. */
const placementStates = ['ready', 'notReady', 'missing', 'excluded', 'absent', 'unknown'] as const;

/**
 * The Prometheus text format, version 0.0.4. No object has a series of its own, because names come and go and each would
 * stay in the database.
 */
export function renderCheckPrometheus(report: CheckReport): string {
  return metricsOf(report).map(renderMetric).join('');
}

function metricsOf(report: CheckReport): Metric[] {
  return [...resultMetrics(report), ...findingMetrics(report), ...stuckMetrics(report), ...driverMetrics(report)];
}

/** The reports of several clusters, each series with the label `context`. A cluster that was not read is down, and not absent. */
export function renderContextsPrometheus(
  { source }: CheckReport,
  reports: readonly { readonly context: string; readonly document: CheckReport }[],
): string {
  const unread = (source.contexts ?? []).filter(({ status }) => status === 'unread');
  const all = [
    ...reports.map(({ context, document }) => ({ context, metrics: metricsOf(document) })),
    ...unread.map(({ name }) => ({ context: name, metrics: unreadMetrics() })),
  ];
  const labelled = all.flatMap(({ context, metrics }) =>
    metrics.map(({ samples, ...metric }) => ({
      ...metric,
      samples: samples.map(({ labels, value }) => ({ labels: { context, ...labels }, value })),
    })),
  );
  // The format wants all series of a metric in one place.
  return [...Map.groupBy(labelled, ({ name }) => name).values()]
    .flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ ...first, samples: [first, ...others].flatMap(({ samples }) => samples) }],
    )
    .map(renderMetric)
    .join('');
}

/** What is known when the cluster could not be read at all: a series that disappears would raise no alert. */
export function renderUnreadPrometheus(): string {
  return unreadMetrics().map(renderMetric).join('');
}

function unreadMetrics(): Metric[] {
  return [upMetric(false), passedMetric(false)];
}

function upMetric(isUp: boolean): Metric {
  return gauge('kubectl_csi_up', 'Whether everything that decides the result could be read and judged.', isUp ? 1 : 0);
}

function passedMetric(hasPassed: boolean): Metric {
  return gauge('kubectl_csi_check_passed', 'Whether the check passed.', hasPassed ? 1 : 0);
}

function resultMetrics({ result, takenAt }: CheckReport): Metric[] {
  return [
    upMetric(result !== 'inconclusive'),
    passedMetric(result === 'passed'),
    gauge('kubectl_csi_check_timestamp_seconds', 'When the cluster was read.', (parseTime(takenAt) ?? 0) / 1000),
  ];
}

function findingMetrics({ summary, unknown, unread }: CheckReport): Metric[] {
  return [
    {
      name: 'kubectl_csi_check_findings',
      help: 'Findings that count, by severity.',
      samples: (['blocking', 'warning', 'info'] as const).map((severity) => ({
        labels: { severity },
        value: summary[severity],
      })),
    },
    gauge('kubectl_csi_check_ignored', 'Findings that are ignored by a rule.', summary.ignored),
    gauge('kubectl_csi_check_known', 'Findings that are in the baseline.', summary.known),
    gauge('kubectl_csi_check_unknown', 'Objects that could not be judged.', unknown.length),
    {
      name: 'kubectl_csi_check_unread',
      help: 'Reads that failed or were forbidden, by resource.',
      samples: countBy(unread, ({ resource }) => ({ resource })),
    },
  ];
}

function stuckMetrics({ findings, summary }: CheckReport): Metric[] {
  const countNew = (severity: Severity): Metric['samples'] =>
    countBy(
      findings.filter((finding) => finding.outcome === 'new' && finding.severity === severity),
      (finding) => ({ cause: finding.id, ...placeOf(finding) }),
    );
  return [
    { name: 'kubectl_csi_stuck', help: 'Objects that are stuck, by cause.', samples: countNew('blocking') },
    {
      name: 'kubectl_csi_warnings',
      help: 'Objects with a warning, by cause or check.',
      samples: countNew('warning'),
    },
    gauge('kubectl_csi_claims_healthy', 'Claims that are bound and healthy.', summary.healthy),
  ];
}

function driverMetrics({ drivers }: CheckReport): Metric[] {
  return [
    {
      name: 'kubectl_csi_driver_up',
      help: 'Whether a driver works, judged by its objects; absent if unknown.',
      samples: drivers.flatMap(({ driver, works }) =>
        works === undefined ? [] : [{ labels: { driver }, value: works ? 1 : 0 }],
      ),
    },
    {
      name: 'kubectl_csi_driver_nodes',
      help: 'Nodes by the state of a driver on them.',
      samples: drivers.flatMap(({ driver, nodes }) =>
        placementStates.map((state) => ({ labels: { driver, state }, value: nodes[state] ?? 0 })),
      ),
    },
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, samples: [{ value }] };
}

function placeOf({ object: { namespace = '', kind } }: JudgedFinding): {
  readonly namespace: string;
  readonly kind: string;
} {
  return { namespace, kind };
}

function countBy<T>(
  items: readonly T[],
  labelsOf: (item: T) => Labels,
): { readonly labels: Labels; readonly value: number }[] {
  const groups = Map.groupBy(items.map(labelsOf), (labels) => JSON.stringify(labels));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, same]) => ({ labels: same[0] ?? {}, value: same.length }));
}

/** A metric without samples is allowed by the format, and shows that it exists. */
function renderMetric({ name, help, samples }: Metric): string {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
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
