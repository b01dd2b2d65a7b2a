import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import { beingDeletedAnnotation, isRetained } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { adoptCommands } from '../lib/snapshot-content.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { ruleForContent } from './snapshot-rule.ts';

/** By design: with policy Retain the content and the snapshot on the storage outlive the snapshot object. */
export const snapContentRetained = ruleForContent({
  cause: 'snap-content-retained',
  severity: 'info',
  explain(s) {
    const { content } = s;
    if (!content || !isRetained(s)) return undefined;
    const reference = content.spec?.volumeSnapshotRef;
    const isGone = s.snapshotLookup?.state === 'missing';
    return {
      confidence: isGone ? 'certain' : 'likely',
      summary:
        `VolumeSnapshotContent "${content.metadata.name}" was kept when VolumeSnapshot ` +
        `"${reference?.name ?? ''}" in namespace ${reference?.namespace ?? ''} was deleted, because its policy ` +
        'is Retain. This is expected.',
      evidence: evidenceOf(content, isGone),
      fix: adviceFor(content),
    };
  },
});

function evidenceOf(content: SnapshotContent, isGone: boolean): EvidenceList {
  const handle = content.status?.snapshotHandle ?? content.spec?.source?.snapshotHandle;
  return [
    field(content, 'spec.deletionPolicy'),
    deletionEvidence(content, isGone),
    ...(handle === undefined ? [] : [field(content, 'status.snapshotHandle', handle)]),
  ];
}

function deletionEvidence(content: SnapshotContent, isGone: boolean): Evidence {
  const reference = content.spec?.volumeSnapshotRef;
  if (isGone) return absent('VolumeSnapshot', reference?.name ?? '', reference?.namespace);
  const mark = content.metadata.annotations?.[beingDeletedAnnotation];
  return field(content, `metadata.annotations[${beingDeletedAnnotation}]`, mark);
}

function adviceFor(content: SnapshotContent): Fix[] {
  const { name = '', namespace = '' } = content.spec?.volumeSnapshotRef ?? {};
  const adopt = adoptCommands(content, namespace, name);
  const isMarked = content.metadata.annotations?.[beingDeletedAnnotation] !== undefined;
  return [
    ...(adopt.length === 0
      ? []
      : [
          steps(
            'Import it to use it again: these lines create a second content for the same snapshot on the storage, ' +
              `and VolumeSnapshot "${name}" in namespace ${namespace} for it. It can be restored within 5 minutes.`,
            adopt,
          ),
        ]),
    steps(
      'If the data is not needed, set the policy to Delete and delete the content: ' +
        'the csi-snapshotter then removes the snapshot from the storage, too.',
      [
        patchCommand(content, { spec: { deletionPolicy: 'Delete' } }),
        ...(isMarked ? [] : [kubectl('annotate', content, `${beingDeletedAnnotation}=yes`)]),
        kubectl('delete', content),
      ],
      'data-loss',
    ),
  ];
}
