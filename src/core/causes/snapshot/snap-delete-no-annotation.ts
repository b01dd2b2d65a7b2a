import type { Lookup } from '../../graph/inquiry.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import { beingCreatedAnnotation, beingDeletedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { adoptCommands, retainContent } from '../lib/snapshot-content.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { terminatingContent, wasNeverBound } from './content-deletion.ts';
import { storedText } from './deletion-fixes.ts';
import { objectText, ruleForContent } from './snapshot-rule.ts';

/**
 * The csi-snapshotter waits for an annotation that the snapshot controller sets when the snapshot itself is deleted
 * (shouldDelete).
 */
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
  return {
    summary:
      `${objectText(content)} was deleted directly. ` +
      `It stays until ${objectText(snapshot)}, which is bound to it, is deleted; ` +
      'until then the snapshot can still be used.',
    evidence: [...deletionEvidence(content), field(snapshot, 'metadata.deletionTimestamp')],
    fix: [...rescue(content, snapshot), deleteBoth(content, snapshot)],
  };
}

/** The deletion of the content cannot be taken back, but the data can get new objects. */
function rescue(content: SnapshotContent, snapshot: VolumeSnapshot): Fix[] {
  const { name, namespace = '' } = snapshot.metadata;
  const adopt = adoptCommands(content, namespace, name);
  if (adopt.length === 0) return [];
  return [
    steps(
      `Keep the snapshot: set the policy to Retain, delete both objects, and import ${storedText(content)} ` +
        'from the storage under the same name. It can be restored again within 5 minutes.',
      [
        ...(isRetained(content) ? [] : [retainContent(content)]),
        saveCommand(snapshot),
        saveCommand(content),
        kubectl('delete', snapshot),
        ...adopt,
      ],
      'disruptive',
    ),
  ];
}

function deleteBoth(content: SnapshotContent, snapshot: VolumeSnapshot): Fix {
  const data = isRetained(content)
    ? `${storedText(content)} stays on the storage`
    : `${storedText(content)} is removed from the storage`;
  return steps(
    `If the data is not needed, delete the snapshot, too: both objects then go, and ${data}.`,
    [saveCommand(snapshot), kubectl('delete', snapshot)],
    'data-loss',
  );
}

/** The snapshot is gone or could not be read, so the controller sets no annotation any more. */
function explainWithoutSnapshot(content: SnapshotContent, { state }: Lookup<VolumeSnapshot>): Explanation {
  const reference = content.spec?.volumeSnapshotRef;
  const snapshotName = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
  if (state !== 'missing')
    return {
      confidence: 'likely',
      summary:
        `${objectText(content)} was deleted directly, and stays until its VolumeSnapshot ${snapshotName} is ` +
        'deleted. Whether that still exists could not be read.',
      evidence: deletionEvidence(content),
      fix: adviceWithoutSnapshot(content),
    };
  return {
    summary:
      `${objectText(content)} was deleted, but its VolumeSnapshot ${snapshotName} is gone, so the snapshot ` +
      'controller does not mark it, and the csi-snapshotter waits for the mark.',
    evidence: [...deletionEvidence(content), absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace)],
    fix: adviceWithoutSnapshot(content),
  };
}

/** The mark of the controller, set by hand: the csi-snapshotter then acts by the policy. */
function adviceWithoutSnapshot(content: SnapshotContent): Fix[] {
  const mark = kubectl('annotate', content, `${beingDeletedAnnotation}=yes`);
  const keep = steps(
    'Release the content and keep the data: ' +
      `${isRetained(content) ? 'its policy is Retain' : 'set the policy to Retain'}, then set the mark that ` +
      'the snapshot controller would set. ' +
      `The object goes at once; ${storedText(content)} stays on the storage, from where it ` +
      'can be imported again.',
    [saveCommand(content), ...(isRetained(content) ? [] : [retainContent(content)]), mark],
  );
  if (isRetained(content)) return [keep];
  return [
    keep,
    steps(
      'If the data is not needed, set the mark only. ' +
        `The csi-snapshotter then removes ${storedText(content)} from the storage, and the object goes.`,
      [mark],
      'data-loss',
    ),
  ];
}
