import type { RawObject } from '../../../kube/snapshot.ts';
import { field } from '../../../facts/evidence.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { count, namesOf } from './leave-node.ts';
import { deleting, findingsAbout } from './release.ts';
import { keyOfRef } from './operation.ts';

/** A snapshot takes its content with it, unless the deletion policy of the content is Retain. */
export function deleteSnapshots(f: Future, snapshots: readonly RawObject[]): void {
  if (snapshots.length === 0) return;
  const shaped = snapshots.flatMap(
    ({ metadata }) => f.before.graph.find('VolumeSnapshot', metadata.namespace, metadata.name) ?? [],
  );
  const contents = f.before.list('VolumeSnapshotContent', undefined, 'what becomes of the snapshots').items;
  const byName = new Map(contents.map((content) => [content.metadata.name, content]));
  for (const raw of snapshots) f.world.put(deleting(raw, f));
  const [first] = shaped;
  const finding = first && findingsAbout(f, [plainRef(first)]).get(keyOfRef(plainRef(first)));
  if (finding?.severity === 'blocking') {
    f.add({
      effect: 'stuck',
      severity: 'breaks',
      cause: finding.cause,
      confidence: finding.confidence,
      summary: `${count(shaped.length, 'snapshot')} would stay Terminating (${finding.cause}): ${namesOf(shaped)}.`,
      objects: shaped.map(plainRef),
      evidence: finding.evidence,
      fix: finding.fix,
    });
    return;
  }
  for (const { metadata } of snapshots) f.world.remove('VolumeSnapshot', metadata.namespace, metadata.name);
  f.add({
    effect: 'deleted',
    severity: 'notice',
    summary: `${count(shaped.length, 'snapshot')} would be deleted: ${namesOf(shaped)}.`,
    objects: shaped.map(plainRef),
  });
  const bound = shaped.flatMap(({ status }) => byName.get(status?.boundVolumeSnapshotContentName ?? '') ?? []);
  const kept = bound.filter(({ spec }) => spec?.deletionPolicy === 'Retain');
  const lost = bound.filter(({ spec }) => spec?.deletionPolicy !== 'Retain');
  if (kept.length > 0)
    f.add({
      effect: 'orphaned',
      severity: 'notice',
      summary: `${count(kept.length, 'snapshot content')} would be kept (deletionPolicy Retain): ${namesOf(kept)}.`,
      objects: kept.map(plainRef),
      evidence: kept.slice(0, 4).map((content) => field(content, 'spec.deletionPolicy')),
    });
  if (lost.length > 0) {
    for (const { metadata } of lost) f.world.remove('VolumeSnapshotContent', undefined, metadata.name);
    f.add({
      effect: 'data-deleted',
      severity: 'breaks',
      summary: `The data of ${count(lost.length, 'snapshot')} would be deleted from the storage system (deletionPolicy Delete).`,
      objects: lost.map(plainRef),
      evidence: lost.slice(0, 4).map((content) => field(content, 'spec.deletionPolicy')),
    });
  }
}
