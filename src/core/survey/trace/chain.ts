import { refOf } from '../../graph/inquiry.ts';
import type { SnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import type { LinkState, TraceLink } from '../../report/trace.ts';
import type { Cast, Place, VolumeCast } from './cast.ts';
import { controllerLinks, driverLink, nodeLinks } from './driver-links.ts';
import { podLinks } from './pod-links.ts';

/** The objects from the pod to the driver, in the order in which each needs the next. */
export function chainOf(cast: Cast): TraceLink[] {
  const { now } = cast.ask;
  if (cast.snapshot) return chainOfSnapshot(cast, cast.snapshot, now);
  const pods = podLinks(
    [
      ...new Set([
        ...(cast.pod ? [cast.pod.pod] : []),
        ...cast.volumes.flatMap((volume) => volume.pods.map(({ pod }) => pod)),
      ]),
    ],
    countUsers(cast),
  );
  return dropRepeated([
    ...(pods.length > 0 ? pods : noPod(cast)),
    ...cast.volumes.flatMap((volume) => volumeChain(volume, now)),
  ]);
}

/** All pods that use the claim, of which only some are told. */
function countUsers({ volumes }: Cast): number {
  return Math.max(0, ...volumes.map(({ claim }) => claim?.consumers.items.length ?? 0));
}

function noPod({ volumes, ask }: Cast): TraceLink[] {
  const claim = volumes[0]?.claim;
  if (!claim?.claim) return [];
  const isComplete = ask.graph.coverage.answers('Pod', { namespace: claim.namespace });
  return [
    {
      role: 'pod',
      state: isComplete ? 'pending' : 'unknown',
      summary: isComplete ? 'no pod uses the claim' : 'which pods use the claim could not be read',
    },
  ];
}

function volumeChain(cast: VolumeCast, now: number): TraceLink[] {
  const { claim } = cast;
  return [
    ...(claim ? [claimLink(claim), ...classLink(claim)] : []),
    ...volumeLink(cast),
    ...cast.places.flatMap((place) => [...attachmentLink(cast, place), ...nodeLinks(place, cast.driver, now)]),
    ...driverLink(cast),
    ...cast.controllers.flatMap((controller) => controllerLinks(controller.role, controller, now)),
  ];
}

function claimLink(c: ClaimCase): TraceLink {
  const object = { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name };
  const { claim } = c;
  if (!claim)
    return {
      role: 'claim',
      object,
      state: c.lookup.state === 'missing' ? 'missing' : 'unknown',
      summary: c.lookup.state === 'missing' ? 'does not exist' : 'could not be read',
    };
  const isLeaving = claim.metadata.deletionTimestamp !== undefined;
  const phase = isLeaving ? 'Terminating' : (claim.status?.phase ?? 'no phase yet');
  const state: LinkState = c.isLost ? 'failed' : c.isBound && !isLeaving ? 'ok' : 'pending';
  const size = claim.status?.capacity?.['storage'];
  const grows =
    c.isBound && size !== undefined && c.request !== undefined && size !== c.request
      ? [`asks for ${c.request}, has ${size}`]
      : [];
  const held =
    isLeaving && (claim.metadata.finalizers ?? []).length > 0
      ? [`held by ${(claim.metadata.finalizers ?? []).join(', ')}`]
      : [];
  const notes = [...grows, ...held];
  return {
    role: 'claim',
    object: refOf(claim),
    state,
    summary: [phase, [size ?? c.request, ...(claim.spec?.accessModes ?? [])].filter(Boolean).join(' ')]
      .filter(Boolean)
      .join(', '),
    ...(notes.length > 0 && { notes }),
  };
}

function classLink(c: ClaimCase): TraceLink[] {
  const { storageClass } = c;
  if (!c.claim) return [];
  if (!storageClass)
    return [
      {
        role: 'class',
        state: 'unneeded',
        summary: c.class.source === 'none' ? 'none is set' : 'none is wanted: only an existing volume will do',
      },
    ];
  const object = { kind: 'StorageClass', name: c.class.name };
  if (storageClass.state === 'unknown')
    return [{ role: 'class', object, state: 'unknown', summary: 'could not be read' }];
  // A bound claim needs its class no more; static volumes use the name alone.
  if (storageClass.state === 'missing')
    return [{ role: 'class', object, state: c.isBound ? 'unneeded' : 'missing', summary: 'does not exist' }];
  const { provisioner, volumeBindingMode = 'Immediate', reclaimPolicy = 'Delete' } = storageClass.object;
  return [
    {
      role: 'class',
      object: refOf(storageClass.object),
      state: 'ok',
      summary: `${provisioner ?? 'no provisioner'}, ${volumeBindingMode}, ${reclaimPolicy}`,
    },
  ];
}

function volumeLink({ volume, claim }: VolumeCast): TraceLink[] {
  if (!volume) return claim?.claim ? [{ role: 'volume', state: 'pending', summary: 'none yet' }] : [];
  if (volume.state !== 'found')
    return [
      {
        role: 'volume',
        ...(claim?.volumeName && { object: { kind: 'PersistentVolume', name: claim.volumeName } }),
        state: volume.state,
        summary: volume.state === 'missing' ? 'does not exist' : 'could not be read',
      },
    ];
  const { object } = volume;
  const handle = handleOf(object);
  const { phase = 'no phase', message } = object.status ?? {};
  const notes = [...(handle ? [`handle ${handle}`] : []), ...(message ? [message] : []), ...leavingNotes(object)];
  return [
    {
      role: 'volume',
      object: refOf(object),
      state: volumeState(object),
      summary: [object.metadata.deletionTimestamp ? 'Terminating' : phase, object.spec?.capacity?.['storage']]
        .filter(Boolean)
        .join(', '),
      ...(notes.length > 0 && { notes }),
    },
  ];
}

function volumeState({ metadata, status }: Volume): LinkState {
  if (status?.phase === 'Failed') return 'failed';
  return status?.phase === 'Bound' && metadata.deletionTimestamp === undefined ? 'ok' : 'pending';
}

function leavingNotes({ metadata }: Volume | Attachment): string[] {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length > 0
    ? [`held by ${(metadata.finalizers ?? []).join(', ')}`]
    : [];
}

function attachmentLink({ claim, volume }: VolumeCast, { attachment, node }: Place): TraceLink[] {
  if (claim && !claim.isBound) return [];
  if (!attachment)
    return volume?.state === 'found'
      ? [{ role: 'attachment', state: 'unneeded', summary: 'this volume is not attached, only mounted' }]
      : [];
  if (attachment.state === 'unknown')
    return [{ role: 'attachment', state: 'unknown', summary: `whether it is attached to ${node} could not be read` }];
  if (attachment.state === 'missing') return [{ role: 'attachment', state: 'pending', summary: `none to ${node} yet` }];
  const { object } = attachment;
  const { attached, attachError, detachError } = object.status ?? {};
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const error = isLeaving ? detachError?.message : attached === true ? undefined : attachError?.message;
  const summary = isLeaving
    ? `is being detached from ${node}`
    : attached === true
      ? `attached to ${node}`
      : `not attached to ${node} yet`;
  const notes = [...(error ? [error] : []), ...leavingNotes(object)];
  return [
    {
      role: 'attachment',
      object: refOf(object),
      state: error ? 'failed' : attached === true && !isLeaving ? 'ok' : 'pending',
      summary,
      ...(notes.length > 0 && { notes }),
    },
  ];
}

function chainOfSnapshot(cast: Cast, s: SnapshotCase, now: number): TraceLink[] {
  const { claim } = s;
  const source = cast.volumes[0];
  return [
    ...snapshotLink(s),
    ...contentLink(s),
    ...snapshotClassLink(s),
    ...(cast.snapshotController ? snapshotControllerLinks(cast.snapshotController, now) : []),
    ...(cast.snapshotter ? controllerLinks('snapshotter', cast.snapshotter, now) : []),
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
  const reference = subject.kind === 'VolumeSnapshotContent' ? subject.spec?.volumeSnapshotRef : undefined;
  if (snapshotLookup.state !== 'found')
    return [
      {
        role: 'snapshot',
        ...(reference?.name && {
          object: {
            kind: 'VolumeSnapshot',
            ...(reference.namespace !== undefined && { namespace: reference.namespace }),
            name: reference.name,
          },
        }),
        state: snapshotLookup.state,
        summary: snapshotLookup.state === 'missing' ? 'does not exist any more' : 'could not be read',
      },
    ];
  const { object } = snapshotLookup;
  return [readiness('snapshot', object, object.status?.restoreSize)];
}

function contentLink({ contentLookup, contentName }: SnapshotCase): TraceLink[] {
  if (!contentLookup) return [];
  if (contentLookup.state === 'found') return [readiness('content', contentLookup.object, undefined)];
  return [
    {
      role: 'content',
      ...(contentName !== undefined && { object: { kind: 'VolumeSnapshotContent', name: contentName } }),
      state: contentLookup.state === 'missing' ? 'pending' : 'unknown',
      summary: contentLookup.state === 'missing' ? 'does not exist' : 'could not be read',
    },
  ];
}

function readiness(
  role: 'snapshot' | 'content',
  object: NonNullable<SnapshotCase['snapshot'] | SnapshotCase['content']>,
  size: string | undefined,
): TraceLink {
  const { readyToUse, error } = object.status ?? {};
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const words = isLeaving ? 'Terminating' : readyToUse === true ? 'ready to use' : 'not ready to use';
  const handle = object.kind === 'VolumeSnapshotContent' ? object.status?.snapshotHandle : undefined;
  const notes = [
    ...(handle ? [`handle ${handle}`] : []),
    ...(error?.message && readyToUse !== true ? [error.message] : []),
    ...(isLeaving && object.metadata.finalizers ? [`held by ${object.metadata.finalizers.join(', ')}`] : []),
  ];
  return {
    role,
    object: refOf(object),
    state: readyToUse === true && !isLeaving ? 'ok' : error?.message ? 'failed' : 'pending',
    summary: [words, size].filter(Boolean).join(', '),
    ...(notes.length > 0 && { notes }),
  };
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
  return [
    {
      role: 'snapshotClass',
      object: refOf(classLookup.object),
      state: 'ok',
      summary: [classLookup.object.driver, classLookup.object.deletionPolicy].filter(Boolean).join(', '),
    },
  ];
}

/** Two volumes of one pod share their node, and often their driver. */
function dropRepeated(links: readonly TraceLink[]): TraceLink[] {
  const seen = new Set<string>();
  return links.filter((link) => {
    const key = JSON.stringify([link.role, link.object, link.summary]);
    return link.object === undefined || (!seen.has(key) && seen.add(key));
  });
}
