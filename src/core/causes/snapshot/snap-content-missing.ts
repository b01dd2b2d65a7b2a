import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';

/** syncUnreadySnapshot and syncReadySnapshot: the content that the snapshot asks for, or was bound to, does not exist. */
export const snapContentMissing = ruleForSnapshot({
  cause: 'snap-content-missing',
  severity: 'blocking',
  explain(s) {
    const missing = findMissing(s);
    if (!missing) return undefined;
    const { snapshot, contentName, isBound, isProven } = missing;
    const { name } = snapshot.metadata;
    const role = isBound
      ? `which stands for volumesnapshot/${name}`
      : `from which volumesnapshot/${name} is to be made`;
    return {
      confidence: isProven ? 'certain' : 'likely',
      summary: `volumesnapshotcontent/${contentName}, ${role}, ${isProven ? 'does not exist' : 'was not found by the snapshot controller'}`,
      evidence: evidenceOf(missing),
      fix: s.isPreProvisioned ? [createContent(missing)] : restoreOrRetake(snapshot),
    };
  },
});

interface MissingContent {
  readonly snapshot: VolumeSnapshot;
  readonly contentName: string;
  /** The snapshot was bound to the content once. */
  readonly isBound: boolean;
  /** Known not to exist; otherwise only the controller says so. */
  readonly isProven: boolean;
  readonly said: Evidence | undefined;
}

function findMissing(s: SnapshotCase): MissingContent | undefined {
  if (s.subject.kind !== 'VolumeSnapshot') return undefined;
  const { subject: snapshot, contentName, contentLookup } = s;
  const isBound = Boolean(snapshot.status?.boundVolumeSnapshotContentName);
  if ((!isBound && !s.isPreProvisioned) || contentName === undefined || contentLookup?.state === 'found')
    return undefined;
  const said = matchError(s, /VolumeSnapshotContent is missing/)?.evidence;
  const isProven = contentLookup?.state === 'missing';
  return isProven || said ? { snapshot, contentName, isBound, isProven, said } : undefined;
}

function evidenceOf({ snapshot, contentName, isBound, isProven, said }: MissingContent): EvidenceList {
  return [
    field(snapshot, isBound ? 'status.boundVolumeSnapshotContentName' : 'spec.source.volumeSnapshotContentName'),
    ...(isProven ? [absent('VolumeSnapshotContent', contentName)] : []),
    ...(said ? [said] : []),
  ];
}

function createContent({ snapshot: { metadata }, contentName }: MissingContent): Fix {
  return fix(
    `create volumesnapshotcontent/${contentName} with the handle of the snapshot on the storage and volumeSnapshotRef ${metadata.namespace ?? ''}/${metadata.name}: the snapshot then goes on by itself`,
    'kubectl get volumesnapshotcontent',
  );
}

function restoreOrRetake({ metadata }: VolumeSnapshot): Fix[] {
  return [
    fix(
      'see whether the snapshot still exists on the storage; if so, bring it back with a content and a snapshot made by hand',
      'kubectl get volumesnapshotcontent',
    ),
    fix(
      'if it is not needed, delete the snapshot and take a new one',
      `kubectl ${inNamespace(metadata.namespace)}delete volumesnapshot ${shellWord(metadata.name)}`,
      'disruptive',
    ),
  ];
}
