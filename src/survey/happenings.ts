import { graphOf } from '../graph/cluster-graph.ts';
import { componentOf, lastSeen, lastSeenText, messageOf } from '../graph/events.ts';
import { Inquiry } from '../graph/inquiry.ts';
import { describeUnread, needsOf } from '../graph/unread.ts';
import type { Happening, Happenings } from '../model/happenings.ts';
import type { KubeEvent } from '../model/kinds.ts';
import type { TargetRef } from '../model/selection.ts';
import type { Need, Snapshot } from '../model/snapshot.ts';

/** Kinds whose events are about storage, or about what waits for it. */
const telling: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'PersistentVolume', 'Pod', 'VolumeAttachment', 'VolumeSnapshot', 'VolumeSnapshotContent', 'StatefulSet', 'StorageClass', 'CSIDriver', 'CSINode', 'Node']);

/** What the components said: about one object, or in a namespace, or everywhere. */
export function surveyHappenings(snapshot: Snapshot, scope: { readonly target?: TargetRef; readonly namespace?: string }): Happenings & { readonly needs: readonly Need[] } {
  const ask = new Inquiry(graphOf(snapshot));
  const events = scope.target === undefined ? ask.list('Event', scope.namespace).items.filter((event) => telling.has(subjectOf(event)?.kind ?? '')) : eventsAbout(ask, scope.target);
  const ordered = [...events].sort((a, b) => lastSeen(b) - lastSeen(a));
  return { takenAt: snapshot.takenAt, events: ordered.map(happeningOf), unread: describeUnread(ask.unanswered), needs: needsOf(ask.unanswered) };
}

function eventsAbout(ask: Inquiry, { kind, namespace, name }: TargetRef): readonly KubeEvent[] {
  const lookup = ask.get(kind, namespace, name);
  return lookup.state === 'found' ? ask.eventsOf(lookup.object).items : [];
}

function subjectOf({ involvedObject, regarding }: KubeEvent): KubeEvent['involvedObject'] {
  return involvedObject ?? regarding;
}

function happeningOf(event: KubeEvent): Happening {
  const { kind = 'Object', namespace, name = '', uid } = subjectOf(event) ?? {};
  const at = lastSeenText(event);
  const component = componentOf(event);
  const count = event.series?.count ?? event.count ?? event.deprecatedCount;
  return {
    ...(at !== undefined && { at }),
    isWarning: event.type === 'Warning',
    reason: event.reason ?? '',
    message: messageOf(event),
    object: { kind, ...(namespace !== undefined && namespace !== '' && { namespace }), name, ...(uid !== undefined && { uid }) },
    ...(component !== '' && { component }),
    ...(count !== undefined && { count }),
  };
}
