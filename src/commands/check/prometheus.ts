import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import { parseTime } from '../../core/kube/time.ts';
import { sanitise } from '../../terminal/sanitise.ts';

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[];
}

/** Every state that a driver can have on a node, so that a series is 0 and not gone. */
const placementStates = ['ready', 'notReady', 'missing', 'excluded', 'absent', 'unknown'] as const;

/** The text exposition format, version 0.0.4. No object has a series of its own: names come and go, and each would stay for ever. */
export function renderCheckPrometheus(report: CheckReport): string {
  const { summary, findings, unknown, drivers, result, takenAt, unread } = report;
  const fresh = findings.filter(({ outcome }) => outcome === 'new');
  const metrics: Metric[] = [
    {
      name: 'kubectl_csi_up',
      help: 'Whether all could be read and judged that decides on the result.',
      samples: [{ value: result === 'inconclusive' ? 0 : 1 }],
    },
    {
      name: 'kubectl_csi_check_passed',
      help: 'Whether the check passed.',
      samples: [{ value: result === 'passed' ? 1 : 0 }],
    },
    {
      name: 'kubectl_csi_check_timestamp_seconds',
      help: 'When the cluster was looked at.',
      samples: [{ value: (parseTime(takenAt) ?? 0) / 1000 }],
    },
    {
      name: 'kubectl_csi_check_findings',
      help: 'Findings that count, by severity.',
      samples: (['blocking', 'warning', 'info'] as const).map((severity) => ({
        labels: { severity },
        value: summary[severity],
      })),
    },
    {
      name: 'kubectl_csi_check_ignored',
      help: 'Findings that somebody said to ignore.',
      samples: [{ value: summary.ignored }],
    },
    {
      name: 'kubectl_csi_check_known',
      help: 'Findings that stand in the baseline.',
      samples: [{ value: summary.known }],
    },
    {
      name: 'kubectl_csi_check_unknown',
      help: 'Objects that could not be judged.',
      samples: [{ value: unknown.length }],
    },
    {
      name: 'kubectl_csi_check_unread',
      help: 'Questions that could not be read, by resource.',
      samples: countBy(unread, ({ resource }) => ({ resource })),
    },
    {
      name: 'kubectl_csi_stuck',
      help: 'Objects that are stuck, by cause.',
      samples: countBy(
        fresh.filter(({ severity }) => severity === 'blocking'),
        (finding) => ({ cause: finding.id, ...placeOf(finding) }),
      ),
    },
    {
      name: 'kubectl_csi_warnings',
      help: 'Objects with a warning, by cause or check.',
      samples: countBy(
        fresh.filter(({ severity }) => severity === 'warning'),
        (finding) => ({ cause: finding.id, ...placeOf(finding) }),
      ),
    },
    {
      name: 'kubectl_csi_claims_healthy',
      help: 'Claims that are bound and well.',
      samples: [{ value: summary.healthy }],
    },
    {
      name: 'kubectl_csi_driver_up',
      help: 'Whether a driver works; absent when it cannot be told.',
      samples: drivers.flatMap(({ driver, works }) =>
        works === undefined ? [] : [{ labels: { driver }, value: works ? 1 : 0 }],
      ),
    },
    {
      name: 'kubectl_csi_driver_nodes',
      help: 'Nodes by the state that a driver has there.',
      samples: drivers.flatMap(({ driver, nodes }) =>
        placementStates.map((state) => ({ labels: { driver, state }, value: nodes[state] ?? 0 })),
      ),
    },
  ];
  return metrics.map(renderMetric).join('');
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

/** A metric without samples still says that it exists, which the format allows. */
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
