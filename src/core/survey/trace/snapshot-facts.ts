import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { snapshotController, snapshotter } from './components.ts';
import type { Fact } from './fact.ts';
import { owns, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites, writeFact } from './object-facts.ts';

const nanosecondsPerMillisecond = 1e6;

export function snapshotFacts(snapshot: VolumeSnapshot): (Fact | undefined)[] {
  const { status, spec } = snapshot;
  const source = spec?.source?.persistentVolumeClaimName;
  const told: Write[] = [];
  return [
    createdFact(snapshot, { what: `${labelOf(snapshot)} was created${source ? ` (of pvc/${source})` : ''}` }),
    factAt(snapshot, status?.creationTime, {
      key: `taken/${snapshot.metadata.name}`,
      component: 'driver',
      what: 'took the snapshot: its data is of this moment',
      source: 'status.creationTime',
    }),
    ...readyFacts(snapshot, `snapshot-ready/${snapshot.metadata.name}`, told),
    errorFact(snapshot, snapshotController),
    deletionFact(snapshot),
    ...otherWrites(snapshot, told),
  ];
}

export function contentFacts(content: SnapshotContent, snapshotName: string | undefined): (Fact | undefined)[] {
  const { status } = content;
  const told: Write[] = [];
  const isBrought = content.spec?.source?.snapshotHandle !== undefined;
  return [
    createdFact(
      content,
      isBrought
        ? { what: `${labelOf(content)} was created (brought along)` }
        : { what: `created ${labelOf(content)}`, by: snapshotController },
    ),
    // By the driver's clock, in nanoseconds.
    factAt(content, status?.creationTime === undefined ? undefined : status.creationTime / nanosecondsPerMillisecond, {
      key: `taken/${snapshotName ?? content.metadata.name}`,
      component: 'driver',
      what: 'took the snapshot: its data is of this moment',
      source: 'status.creationTime',
    }),
    ...readyFacts(content, `content-ready/${content.metadata.name}`, told),
    errorFact(content, snapshotter),
    deletionFact(content),
    ...otherWrites(content, told),
  ];
}

function readyFacts(object: VolumeSnapshot | SnapshotContent, key: string, told: Write[]): Fact[] {
  return writesOf(object).flatMap((write) => {
    if (write.subresource !== 'status' || !owns(write, 'status', 'readyToUse')) return [];
    told.push(write);
    if (object.status?.readyToUse !== true) return [];
    return [writeFact(object, write, { key, what: `${labelOf(object)} became ready to use`, certainty: 'latest' })];
  });
}

function errorFact(object: VolumeSnapshot | SnapshotContent, component: string): Fact | undefined {
  const { error } = object.status ?? {};
  return error?.message === undefined
    ? undefined
    : factAt(object, error.time, {
        key: `snapshot-error/${object.kind}/${object.metadata.name}`,
        component,
        what: `reported an error on ${labelOf(object)}`,
        said: error.message,
        isTrouble: true,
        source: 'status.error.time',
      });
}
