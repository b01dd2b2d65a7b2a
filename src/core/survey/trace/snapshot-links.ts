import { refOf } from '../../graph/inquiry.ts';
import type { SnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { LinkState, TraceLink } from '../../report/trace.ts';
import type { RelatedObjects } from './related-objects.ts';
import { controllerLinks } from './driver-links.ts';
import { claimLink, volumeLink } from './volume-links.ts';

/** From the snapshot to the controllers that take it, then the claim and the volume it is taken of. */
export function chainOfSnapshot(related: RelatedObjects, s: SnapshotCase, now: number): TraceLink[] {
  const { claim } = s;
  const source = related.volumes[0];
  return [
    ...snapshotLink(s),
    ...contentLink(s),
    ...snapshotClassLink(s),
    ...(related.snapshotController ? snapshotControllerLinks(related.snapshotController, now) : []),
    ...(related.snapshotter ? controllerLinks('snapshotter', related.snapshotter, now) : []),
    ...(claim ? [claimLink(claim)] : []),
    ...(source && claim?.claim ? volumeLink(source) : []),
  ];
}

function snapshotControllerLinks(controller: SnapshotController, now: number): TraceLink[] {
  return controllerLinks('snapshotController', controller, now).map((link) =>
    controller.isNowhere ? { ...link, state: 'missing' } : link,
  );
}

function snapshotLink({ snapshotLookup, subject }: SnapshotCase): TraceLink[] {
  if (!snapshotLookup) return [];
  if (snapshotLookup.state === 'found') {
    const { object } = snapshotLookup;
    return [readinessLink('snapshot', object, object.status?.restoreSize)];
  }
  const { name, namespace } = (subject.kind === 'VolumeSnapshotContent' && subject.spec?.volumeSnapshotRef) || {};
  return [
    {
      role: 'snapshot',
      ...(name && { object: { kind: 'VolumeSnapshot', ...(namespace !== undefined && { namespace }), name } }),
      state: snapshotLookup.state,
      summary: snapshotLookup.state === 'missing' ? 'does not exist any more' : 'could not be read',
    },
  ];
}

function contentLink({ contentLookup, contentName }: SnapshotCase): TraceLink[] {
  if (!contentLookup) return [];
  if (contentLookup.state === 'found') return [readinessLink('content', contentLookup.object, undefined)];
  return [
    {
      role: 'content',
      ...(contentName !== undefined && { object: { kind: 'VolumeSnapshotContent', name: contentName } }),
      state: contentLookup.state === 'missing' ? 'pending' : 'unknown',
      summary: contentLookup.state === 'missing' ? 'does not exist' : 'could not be read',
    },
  ];
}

function readinessLink(
  role: 'snapshot' | 'content',
  object: VolumeSnapshot | SnapshotContent,
  size: string | undefined,
): TraceLink {
  const { readyToUse, error } = object.status ?? {};
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  const handle = object.kind === 'VolumeSnapshotContent' ? object.status?.snapshotHandle : undefined;
  const notes = [
    ...(handle ? [`handle ${handle}`] : []),
    ...(error?.message && readyToUse !== true ? [error.message] : []),
    ...(isTerminating && object.metadata.finalizers ? [`held by ${object.metadata.finalizers.join(', ')}`] : []),
  ];
  const readiness = readyToUse === true ? 'ready to use' : 'not ready to use';
  return {
    role,
    object: refOf(object),
    state: readinessState(object),
    summary: [isTerminating ? 'Terminating' : readiness, size].filter(Boolean).join(', '),
    ...(notes.length > 0 && { notes }),
  };
}

function readinessState({ metadata, status }: VolumeSnapshot | SnapshotContent): LinkState {
  if (status?.readyToUse === true && metadata.deletionTimestamp === undefined) return 'ok';
  return status?.error?.message ? 'failed' : 'pending';
}

function snapshotClassLink({ classLookup, className }: SnapshotCase): TraceLink[] {
  if (!classLookup || className === undefined)
    return [{ role: 'snapshotClass', state: 'unneeded', summary: 'none is named' }];
  const object = { kind: 'VolumeSnapshotClass', name: className };
  if (classLookup.state !== 'found')
    return [
      {
        role: 'snapshotClass',
        object,
        state: classLookup.state,
        summary: classLookup.state === 'missing' ? 'does not exist' : 'could not be read',
      },
    ];
  const { driver, deletionPolicy } = classLookup.object;
  return [
    {
      role: 'snapshotClass',
      object: refOf(classLookup.object),
      state: 'ok',
      summary: [driver, deletionPolicy].filter(Boolean).join(', '),
    },
  ];
}
