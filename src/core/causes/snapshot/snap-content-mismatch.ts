import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { asksForContent } from './content-binding.ts';
import { matchError, ruleForBoth } from './snapshot-rule.ts';

/**
 * getPreprovisionedContentFromStore, getDynamicallyProvisionedContentFromStore: a snapshot of a claim needs a content
 * with a volume handle, a pre-provisioned snapshot one with a snapshot handle.
 */
export const snapContentMismatch = ruleForBoth({
  cause: 'snap-content-mismatch',
  severity: 'blocking',
  explain(s) {
    const mismatch = findMismatch(s);
    if (!mismatch) return undefined;
    return {
      confidence: mismatch.isProven ? 'certain' : 'likely',
      summary: summarize(mismatch),
      evidence: evidenceOf(mismatch),
      fix: [adviceFor(mismatch)],
    };
  },
});

interface Mismatch {
  readonly snapshot: VolumeSnapshot;
  readonly content: SnapshotContent | undefined;
  readonly contentName: string;
  /** The snapshot names a content of its own (pre-provisioned) instead of a claim. */
  readonly isPreProvisioned: boolean;
  readonly isProven: boolean;
  readonly said: Evidence | undefined;
}

function findMismatch(s: SnapshotCase): Mismatch | undefined {
  const { snapshot, content, contentName = '' } = s;
  if (!snapshot) return undefined;
  if (s.subject.kind === 'VolumeSnapshotContent' && !asksForContent(snapshot, s.subject.metadata.name))
    return undefined;
  const said = matchError(
    s,
    /is (?:dynamically provisioned|pre-provisioned) while expecting a (?:pre-provisioned|dynamically provisioned) one|Snapshot handle should not be set in content/,
  )?.evidence;
  const isPreProvisioned = snapshot.spec?.source?.volumeSnapshotContentName !== undefined;
  const isProven = content !== undefined && hasWrongSource(s, content, isPreProvisioned);
  if (!isProven && (content !== undefined || !said)) return undefined;
  return { snapshot, content, contentName, isPreProvisioned, isProven, said };
}

function hasWrongSource(s: SnapshotCase, { spec }: SnapshotContent, isPreProvisioned: boolean): boolean {
  const { volumeHandle, snapshotHandle } = spec?.source ?? {};
  if (isPreProvisioned) return volumeHandle !== undefined && snapshotHandle === undefined;
  return snapshotHandle !== undefined && volumeHandle === undefined && !s.isGroupMember;
}

function summarize({ snapshot, contentName, isPreProvisioned }: Mismatch): string {
  const { name } = snapshot.metadata;
  return isPreProvisioned
    ? `volumesnapshot/${name} wants to be made from volumesnapshotcontent/${contentName}, which was taken of a volume for another snapshot: only a content with spec.source.snapshotHandle can be brought`
    : `volumesnapshot/${name} is to be taken of a claim, and its volumesnapshotcontent/${contentName} names a snapshot that exists already`;
}

function evidenceOf({ snapshot, content, isPreProvisioned, said }: Mismatch): EvidenceList {
  const source = isPreProvisioned ? 'volumeSnapshotContentName' : 'persistentVolumeClaimName';
  return [
    field(snapshot, `spec.source.${source}`),
    ...(content ? [field(content, 'spec.source.volumeHandle'), field(content, 'spec.source.snapshotHandle')] : []),
    ...(said ? [said] : []),
  ];
}

function adviceFor({ contentName, isPreProvisioned }: Mismatch): Fix {
  const command = `kubectl get volumesnapshotcontent ${shellWord(contentName)} -o yaml`;
  return isPreProvisioned
    ? fix(
        'make a new content with the snapshot handle of this one (status.snapshotHandle) and volumeSnapshotRef set to the snapshot, and a new snapshot that names it',
        command,
      )
    : fix('make the snapshot again, with the content as its source', command, 'disruptive');
}
