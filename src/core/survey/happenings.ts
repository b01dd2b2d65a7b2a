import { componentOf, lastSeen, lastSeenText, messageOf } from '../graph/events.ts';
import { graphOf } from '../graph/cluster-graph.ts';
import { Inquiry } from '../graph/inquiry.ts';
import { describeUnread, needsOf } from '../graph/unread.ts';
import { isStorageReason } from '../facts/pod/scheduling-message.ts';
import type { Happening, Happenings } from '../report/happenings.ts';
import type { Kind, KubeEvent } from '../kube/kinds.ts';
import type { Unread } from '../report/report.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Need, Snapshot } from '../kube/snapshot.ts';

interface EventsAnswer extends Happenings {
  readonly needs: readonly Need[];
}

const storageKinds: ReadonlySet<string> = new Set<Kind>([
  'PersistentVolumeClaim',
  'PersistentVolume',
  'VolumeAttachment',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'VolumeAttributesClass',
  'BucketClaim',
  'Bucket',
  'BucketAccess',
  'StatefulSet',
]);
/** The kubelet, the attach controller and the scheduler report volumes on the pods. */
const podReasons: readonly string[] = [
  'FailedMount',
  'FailedAttachVolume',
  'FailedMapVolume',
  'SuccessfulAttachVolume',
  'FailedScheduling',
  'FileSystemResizeSuccessful',
  'VolumeResizeFailed',
];
const mostEvents = 1000;

/** Selects the events about storage, without all the events about pods. */
export function storageEventNeeds(namespace: string | undefined): Need[] {
  const place = { ...(namespace !== undefined && { namespace }) };
  const kinds = [
    'PersistentVolumeClaim',
    'VolumeSnapshot',
    'StatefulSet',
    ...(namespace === undefined ? ['PersistentVolume', 'VolumeAttachment'] : []),
  ];
  const selectors = [
    ...kinds.map((kind) => `involvedObject.kind=${kind}`),
    ...podReasons.map((reason) => `involvedObject.kind=Pod,reason=${reason}`),
  ];
  return selectors.map((fieldSelector) => ({
    kind: 'Event',
    scope: { ...place, fieldSelector },
    needed: 'what was said about storage',
  }));
}

/** The events about storage in a namespace, or in all of them, the latest first. */
export function askStorageEvents(snapshot: Snapshot, namespace: string | undefined): EventsAnswer {
  const graph = graphOf(snapshot);
  const events = (namespace === undefined ? graph.all('Event') : graph.inNamespace('Event', namespace)).filter(
    isAboutStorage,
  );
  const open = storageEventNeeds(namespace)
    .map((need) => ({ ...need, observation: graph.coverage.of('Event', need.scope) }))
    .filter(({ observation: { state } }) => state !== 'complete' && state !== 'absentApi');
  const [unread] = describeUnread(open);
  return { takenAt: snapshot.takenAt, events: newestFirst(events), unread: unread ? [unread] : [], needs: [] };
}

/** The events about one object, the latest first. */
export function askEventsOf(snapshot: Snapshot, { kind, namespace, name }: TargetRef): EventsAnswer {
  const ask = new Inquiry(graphOf(snapshot));
  const found = ask.get(kind, namespace, name);
  const events = found.state === 'found' ? ask.eventsOf(found.object).items : [];
  const unread: readonly Unread[] = describeUnread(ask.unanswered);
  return { takenAt: snapshot.takenAt, events: newestFirst(events), unread, needs: needsOf(ask.unanswered) };
}

function isAboutStorage(event: KubeEvent): boolean {
  const { kind = '' } = event.involvedObject ?? event.regarding ?? {};
  if (storageKinds.has(kind)) return true;
  if (kind !== 'Pod' || !podReasons.includes(event.reason ?? '')) return false;
  return event.reason !== 'FailedScheduling' || isStorageReason(messageOf(event));
}

function newestFirst(events: readonly KubeEvent[]): Happening[] {
  return events
    .toSorted((a, b) => lastSeen(b) - lastSeen(a))
    .slice(0, mostEvents)
    .map(happeningOf);
}

function happeningOf(event: KubeEvent): Happening {
  const { kind = 'Object', namespace, name = '', uid } = event.involvedObject ?? event.regarding ?? {};
  const at = lastSeenText(event);
  const component = componentOf(event);
  const count = event.series?.count ?? event.count ?? event.deprecatedCount;
  return {
    ...(at !== undefined && { at }),
    isWarning: event.type === 'Warning',
    reason: event.reason ?? '',
    message: messageOf(event),
    object: {
      kind,
      ...(namespace !== undefined && namespace !== '' && { namespace }),
      name,
      ...(uid !== undefined && { uid }),
    },
    ...(component !== '' && { component }),
    ...(count !== undefined && { count }),
  };
}
