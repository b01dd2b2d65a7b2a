import type { Metric } from '../../terminal/metrics/exposition.ts';
import { gauge } from '../../terminal/metrics/exposition.ts';
import type { Picture } from './picture.ts';

/** What the server counts about itself. */
export interface OwnCounts {
  readonly version: string;
  readonly startedAt: number;
  readonly memoryBytes: number;
  /** By route and status: `page 200`. */
  readonly requests: ReadonlyMap<string, number>;
  readonly streams: number;
  readonly droppedStreams: number;
  /** Absent without --notify. */
  readonly notifications?: { readonly sent: number; readonly failed: number };
  /** Absent without --lease. */
  readonly isLeader?: boolean;
}

export function ownMetrics(counts: OwnCounts, picture: Picture | undefined): Metric[] {
  return [
    {
      name: 'kubectl_csi_build_info',
      help: 'The version.',
      samples: [{ labels: { version: counts.version }, value: 1 }],
    },
    gauge('process_start_time_seconds', 'When the process was started.', counts.startedAt / 1000),
    gauge('process_resident_memory_bytes', 'Memory of the process.', counts.memoryBytes),
    counter(
      'kubectl_csi_serve_requests_total',
      'Requests that were answered.',
      pairs(counts.requests, 'route', 'code'),
    ),
    gauge('kubectl_csi_serve_streams', 'Pages that are open and updated.', counts.streams),
    counter('kubectl_csi_serve_streams_dropped_total', 'Pages that did not take their updates.', [
      { value: counts.droppedStreams },
    ]),
    ...notificationMetrics(counts),
    ...workMetrics(picture),
  ];
}

function notificationMetrics({ notifications, isLeader }: OwnCounts): Metric[] {
  return [
    ...(notifications === undefined
      ? []
      : [
          counter('kubectl_csi_notifications_total', 'Attempts to deliver a notification.', [
            { labels: { result: 'sent' }, value: notifications.sent },
            { labels: { result: 'failed' }, value: notifications.failed },
          ]),
        ]),
    ...(isLeader === undefined
      ? []
      : [gauge('kubectl_csi_serve_leader', 'Whether this replica holds the lease and notifies.', isLeader ? 1 : 0)]),
  ];
}

function workMetrics(picture: Picture | undefined): Metric[] {
  if (picture === undefined) return [];
  const { work, freshness } = picture;
  return [
    gauge(
      'kubectl_csi_fresh',
      'Whether the watches are up.',
      freshness.state === 'live' || freshness.state === 'dump' ? 1 : 0,
    ),
    counter(
      'kubectl_csi_api_requests_total',
      'Requests to the API server; code 0 is one without an answer.',
      pairs(new Map(Object.entries(work.requests)), 'method', 'code'),
    ),
    counter('kubectl_csi_judgements_total', 'How often the cluster was judged.', [{ value: work.judgements }]),
    counter('kubectl_csi_judgement_failures_total', 'Judgements that failed.', [{ value: work.failures }]),
    gauge('kubectl_csi_judgement_duration_seconds', 'How long the last judgement took.', work.lastJudgementSeconds),
  ];
}

function counter(name: string, help: string, samples: Metric['samples']): Metric {
  return { name, help, type: 'counter', samples };
}

function pairs(counts: ReadonlyMap<string, number>, first: string, second: string): Metric['samples'] {
  return [...counts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => {
      const [one = '', other = ''] = key.split(' ');
      return { labels: { [first]: one, [second]: other }, value };
    });
}
