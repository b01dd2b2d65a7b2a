import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import type { Severity } from '../../core/report/report.ts';
import { parseTime } from '../../core/kube/time.ts';
import { countBy, gauge } from './exposition.ts';
import type { Metric } from './exposition.ts';

/** All states that a driver can have on a node: a state without nodes is 0 instead of missing. */
const placementStates = ['ready', 'notReady', 'missing', 'excluded', 'absent', 'unknown'] as const;

/** No object has a series of its own, because names come and go and each would stay in the database. */
export function checkMetrics(report: CheckReport, isUp = report.result !== 'inconclusive'): Metric[] {
  return [
    upMetric(isUp),
    ...resultMetrics(report),
    ...findingMetrics(report),
    ...stuckMetrics(report),
    ...driverMetrics(report),
  ];
}

/** What is known when the cluster could not be read at all: a series that disappears would raise no alert. */
export function unreadMetrics(): Metric[] {
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

function placeOf({ object: { namespace = '', kind } }: JudgedFinding): {
  readonly namespace: string;
  readonly kind: string;
} {
  return { namespace, kind };
}
