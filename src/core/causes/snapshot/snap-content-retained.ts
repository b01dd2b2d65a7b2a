import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { beingDeletedAnnotation, isRetained } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
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
      summary: `volumesnapshotcontent/${content.metadata.name} is kept since its policy is Retain, though its snapshot ${reference?.namespace ?? ''}/${reference?.name ?? ''} is ${isGone ? 'gone' : 'deleted'}`,
      evidence: evidenceOf(content, isGone),
      fix: adviceFor(content.metadata.name),
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

function adviceFor(contentName: string): Fix[] {
  const name = shellWord(contentName);
  return [
    fix(
      'to use it again, make a content with its snapshot handle and a snapshot that names that content',
      `kubectl get volumesnapshotcontent ${name} -o yaml`,
    ),
    fix(
      'data-loss: if the data is not needed, delete the content, and then the snapshot on the storage by hand',
      `kubectl delete volumesnapshotcontent ${name}`,
      'data-loss',
    ),
  ];
}
