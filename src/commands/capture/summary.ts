import { resourceOf } from '../../core/kube/resources.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { CaptureSummary, Redaction } from '../../core/report/capture.ts';

/** What a capture holds, what could not be read, and what was redacted. */
export function summarise(
  {
    snapshot,
    redactions,
    detections = [],
  }: {
    readonly snapshot: Snapshot;
    readonly redactions: readonly Redaction[];
    readonly detections?: CaptureSummary['detections'];
  },
  rest: Omit<CaptureSummary, 'counts' | 'logs' | 'unread' | 'redactions' | 'detections'>,
): CaptureSummary {
  const counts = [...Map.groupBy(snapshot.objects, ({ kind }) => kind)].map(([kind, objects]) => ({
    kind,
    count: objects.length,
  }));
  const refused = snapshot.observations.filter(({ state }) => state === 'denied' || state === 'failed');
  // A kind that was refused in all namespaces is not listed again for one of them.
  const everywhere = new Set(refused.filter(({ scope }) => scope.namespace === undefined).map(({ kind }) => kind));
  const told = refused.filter(({ kind, scope }) => scope.namespace === undefined || !everywhere.has(kind));
  const unread = told.map(({ kind, scope, state, message }) => ({
    resource: resourceOf(kind).name,
    ...(scope.namespace !== undefined && { namespace: scope.namespace }),
    reason: state === 'denied' ? 'forbidden' : (message ?? 'failed'),
  }));
  const { logs = [] } = snapshot;
  const read = logs.filter(({ state }) => state === 'complete');
  const lost = logs.filter(({ state }) => state === 'denied' || state === 'failed');
  for (const { namespace, state, message } of lost)
    unread.push({ resource: 'pods/log', namespace, reason: state === 'denied' ? 'forbidden' : (message ?? 'failed') });
  return {
    ...rest,
    counts,
    ...(read.length > 0 && {
      logs: { count: read.length, lines: read.reduce((sum, log) => sum + log.lines.length, 0) },
    }),
    unread: [...new Map(unread.map((entry) => [JSON.stringify(entry), entry])).values()],
    redactions,
    ...(detections.length > 0 && { detections }),
  };
}
