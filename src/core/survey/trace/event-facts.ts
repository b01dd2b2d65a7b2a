import { lastSeen, messageOf } from '../../graph/events.ts';
import { refOf } from '../../graph/inquiry.ts';
import { firstSeen } from '../../journey/claim-growth.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { componentOfEvent } from './components.ts';
import type { Fact, FactBook } from './fact.ts';
import { labelOf } from './object-facts.ts';
import type { Subject } from './object-facts.ts';

/** The reason of an event in words, without the object. */
const reasonWords: Readonly<Record<string, string>> = {
  WaitForFirstConsumer: 'waits for a pod that uses',
  WaitForPodScheduled: 'waits for the pod to be scheduled that uses',
  ExternalProvisioning: 'waits for the provisioner of',
  Provisioning: 'began to provision a volume for',
  ProvisioningFailed: 'failed to provision a volume for',
  ProvisioningSucceeded: 'provisioned a volume for',
  FailedBinding: 'found no volume to bind to',
  FailedScheduling: 'found no node for',
  Scheduled: 'assigned a node to',
  FailedAttachVolume: 'failed to attach a volume for',
  SuccessfulAttachVolume: 'attached a volume for',
  FailedMount: 'failed to mount a volume for',
  FailedMapVolume: 'failed to map a block volume for',
  ExternalExpanding: 'waits for the resizer of',
  Resizing: 'began to grow',
  VolumeResizeFailed: 'failed to grow',
  VolumeResizeSuccessful: 'grew the volume of',
  FileSystemResizeRequired: 'grew the volume; the file system has yet to grow:',
  FileSystemResizeSuccessful: 'grew the file system of',
  CreatingSnapshot: 'began to take',
  SnapshotCreated: 'took',
  SnapshotReady: 'found ready',
  VolumeFailedDelete: 'failed to delete',
  Pulling: 'began to pull an image for',
  Pulled: 'had the image for',
  Created: 'created a container of',
  Killing: 'stopped a container of',
  BackOff: 'waits before it starts again a container of',
};
/** Container states and other facts already show these. */
const minorReasons: ReadonlySet<string> = new Set([
  'Pulling',
  'Pulled',
  'Created',
  'ExternalProvisioning',
  'LeaderElection',
]);

/** Words that need the message of the event. */
function specificWords(event: KubeEvent, object: Subject): string | undefined {
  const made =
    event.reason === 'ProvisioningSucceeded' ? /provisioned volume (\S+)/.exec(messageOf(event))?.[1] : undefined;
  if (made !== undefined) return `created pv/${made}`;
  const volume = volumeNamed(event);
  const node = nodeOf(object);
  if (volume === undefined || !['SuccessfulAttachVolume', 'FailedAttachVolume'].includes(event.reason ?? ''))
    return undefined;
  return `${event.reason === 'SuccessfulAttachVolume' ? 'attached' : 'failed to attach'} pv/${volume}${node ? ` to ${node}` : ''}`;
}

function volumeNamed(event: KubeEvent): string | undefined {
  return /volume "([^"]+)"/.exec(messageOf(event))?.[1];
}

function nodeOf(object: Subject): string {
  const spec: unknown = object.kind === 'Pod' && 'spec' in object ? object.spec : undefined;
  const node = typeof spec === 'object' && spec !== null && 'nodeName' in spec ? spec.nodeName : undefined;
  return typeof node === 'string' ? node : '';
}

/** The fact about an object that an event repeats; undefined when only the event reports it. */
function keyOfEvent(event: KubeEvent, object: Subject): string | undefined {
  const { name } = object.metadata;
  const volume = volumeNamed(event);
  switch (event.reason) {
    case 'Scheduled':
      return `scheduled/${name}`;
    case 'ProvisioningSucceeded': {
      const made = /provisioned volume (\S+)/.exec(messageOf(event))?.[1];
      return made && `created/PersistentVolume/${made}`;
    }
    case 'SuccessfulAttachVolume':
      return volume && `attached/${volume}/${nodeOf(object)}`;
    case 'Started': {
      const container = /\{(.+)\}/.exec((event.involvedObject ?? event.regarding)?.fieldPath ?? '')?.[1];
      return container && `started/${name}/${container}`;
    }
    case 'SnapshotReady':
      return `snapshot-ready/${name}`;
    case 'VolumeResizeFailed':
      return `condition/ControllerResizeError/${name}`;
    case 'Resizing':
      return `condition/Resizing/${name}`;
    default:
      return undefined;
  }
}

/** An error that the object holds too, in the same words or nearly so. */
function keyOfQuotedError(event: KubeEvent, object: Subject, book: FactBook): string | undefined {
  const message = messageOf(event);
  return errorKeys(event, object, book).find((key) => {
    const said = book.get(key)?.said;
    return said !== undefined && said !== '' && (message.includes(said) || said.includes(message));
  });
}

function errorKeys(event: KubeEvent, object: Subject, book: FactBook): readonly string[] {
  if (event.reason === 'FailedScheduling') return [`unschedulable/${object.metadata.name}`];
  if (event.type !== 'Warning') return [];
  return book.all.map(({ key }) => key).filter((key) => /^(attach|detach|snapshot)-error\//.test(key));
}

export function addEvents(book: FactBook, object: Subject, events: readonly KubeEvent[]): void {
  for (const event of events) {
    const fact = factOfEvent(event, object);
    if (fact.at <= 0) continue;
    const key = keyOfEvent(event, object) ?? keyOfQuotedError(event, object, book);
    book.add(key === undefined ? sumUp(fact, book.get(fact.key)) : { ...fact, key });
  }
}

/** The scheduler creates a new event for each attempt: the same words again are one fact, repeated. */
function sumUp(fact: Fact, same: Fact | undefined): Fact {
  if (!same) return fact;
  return {
    ...fact,
    count: (same.count ?? 1) + (fact.count ?? 1),
    until: Math.max(same.until ?? same.at, fact.until ?? fact.at),
  };
}

function factOfEvent(event: KubeEvent, object: Subject): Fact {
  const reason = event.reason ?? 'Event';
  const words = Object.hasOwn(reasonWords, reason) ? reasonWords[reason] : undefined;
  const count = Math.max(event.series?.count ?? 1, event.count ?? 1, event.deprecatedCount ?? 1);
  const last = lastSeen(event);
  const message = messageOf(event).trim();
  return {
    key: `event/${reason}/${object.metadata.name}/${message}`,
    at: firstSeen(event),
    certainty: 'exact',
    component: componentOfEvent(event),
    object: refOf(object),
    what:
      specificWords(event, object) ??
      (words === undefined ? `${reason}: ${labelOf(object)}` : `${words} ${labelOf(object)}`),
    ...(message && { said: message }),
    ...(event.type === 'Warning' && { isTrouble: true }),
    ...(event.type !== 'Warning' &&
      (minorReasons.has(reason) || (reason === 'FileSystemResizeSuccessful' && object.kind === 'Pod')) && {
        isMinor: true,
      }),
    ...(count > 1 && { count, until: last }),
    sources: [`event ${reason}`],
  };
}
