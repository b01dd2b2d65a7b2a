import type { Lookup } from '../../graph/inquiry.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation, beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { terminatingContent, wasNeverBound } from './content-deletion.ts';
import { ruleForContent } from './snapshot-rule.ts';

/** The csi-snapshotter waits for an annotation that the snapshot controller sets when the snapshot itself is deleted (shouldDelete). */
export const snapDeleteNoAnnotation = ruleForContent({
  cause: 'snap-delete-no-annotation',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = terminatingContent(s);
    const lookup = s.snapshotLookup;
    if (!content || !lookup || !isUnmarked(content)) return undefined;
    if (lookup.state !== 'found') return explainWithoutSnapshot(content, lookup);
    return lookup.object.metadata.deletionTimestamp === undefined
      ? explainWithSnapshot(content, lookup.object)
      : undefined;
  },
});

function isUnmarked(content: SnapshotContent): boolean {
  const { annotations } = content.metadata;
  return (
    !wasNeverBound(content) &&
    annotations?.[beingDeletedAnnotation] === undefined &&
    annotations?.[beingCreatedAnnotation] === undefined
  );
}

function isRetained({ spec }: SnapshotContent): boolean {
  return spec?.deletionPolicy === 'Retain';
}

function deletionEvidence(content: SnapshotContent): readonly [Evidence, Evidence] {
  return [
    field(content, 'metadata.deletionTimestamp'),
    field(content, `metadata.annotations[${beingDeletedAnnotation}]`, 'not set'),
  ];
}

/** Only the content was deleted: it stays until its snapshot is deleted too. */
function explainWithSnapshot(content: SnapshotContent, snapshot: VolumeSnapshot): Explanation {
  const { name, namespace } = snapshot.metadata;
  return {
    summary: `volumesnapshotcontent/${content.metadata.name} was deleted itself, and stays as long as its volumesnapshot/${name} (namespace ${namespace ?? ''}) is not deleted`,
    evidence: [...deletionEvidence(content), field(snapshot, 'metadata.deletionTimestamp')],
    fix: [
      fix('nothing is lost: the snapshot can still be used'),
      fix(
        `data-loss: to be rid of both${isRetained(content) ? '' : ', and of the snapshot on the storage'}, delete the snapshot`,
        `kubectl ${inNamespace(namespace)}delete volumesnapshot ${shellWord(name)}`,
        'data-loss',
      ),
    ],
  };
}

/** The snapshot is gone or could not be read, so the controller sets no annotation any more. */
function explainWithoutSnapshot(content: SnapshotContent, { state }: Lookup<VolumeSnapshot>): Explanation {
  const { name } = content.metadata;
  const reference = content.spec?.volumeSnapshotRef;
  const snapshotName = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
  if (state !== 'missing')
    return {
      confidence: 'likely',
      summary: `volumesnapshotcontent/${name} was deleted itself, and stays until its snapshot ${snapshotName} is deleted; whether that still exists could not be seen`,
      evidence: deletionEvidence(content),
      fix: adviceWithoutSnapshot(content),
    };
  return {
    summary: `volumesnapshotcontent/${name} was deleted, but its snapshot ${snapshotName} is gone, so nobody tells the csi-snapshotter to let it go`,
    evidence: [...deletionEvidence(content), absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace)],
    fix: adviceWithoutSnapshot(content),
  };
}

function adviceWithoutSnapshot(content: SnapshotContent): Fix[] {
  const name = shellWord(content.metadata.name);
  const keepOnStorage = fix(
    'to keep the snapshot on the storage, set the policy to Retain first',
    `kubectl patch volumesnapshotcontent ${name} --type=merge -p ${shellWord('{"spec":{"deletionPolicy":"Retain"}}')}`,
  );
  return [
    ...(isRetained(content) ? [] : [keepOnStorage]),
    fix(
      `data-loss: set the mark in place of the controller; the csi-snapshotter then lets the content go${isRetained(content) ? '' : ' and, with policy Delete, deletes the snapshot on the storage'}`,
      `kubectl annotate volumesnapshotcontent ${name} ${beingDeletedAnnotation}=yes`,
      'data-loss',
    ),
  ];
}
