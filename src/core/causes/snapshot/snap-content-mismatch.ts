import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { asksForContent } from './content-binding.ts';
import { importSecond } from './import-snapshot.ts';
import { matchError, objectText, ruleForBoth } from './snapshot-rule.ts';
import { contentMismatchTexts } from '../lib/driver-error/sentences/snapshots.ts';

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
  const said = matchError(s, contentMismatchTexts)?.evidence;
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

function summarize({ snapshot, content, contentName, isPreProvisioned }: Mismatch): string {
  if (!isPreProvisioned)
    return (
      `${objectText(snapshot)} is to be taken of a claim, but its VolumeSnapshotContent "${contentName}" names ` +
      'a snapshot that exists already.'
    );
  const { name, namespace } = content?.spec?.volumeSnapshotRef ?? {};
  const owner = name ? `VolumeSnapshot "${name}" in namespace ${namespace ?? ''}` : 'another snapshot';
  return (
    `${objectText(snapshot)} names VolumeSnapshotContent "${contentName}" as its source, but that was ` +
    `created for ${owner} (it has a volumeHandle). Only a content with a snapshotHandle can be imported.`
  );
}

function evidenceOf({ snapshot, content, isPreProvisioned, said }: Mismatch): EvidenceList {
  const source = isPreProvisioned ? 'volumeSnapshotContentName' : 'persistentVolumeClaimName';
  return [
    field(snapshot, `spec.source.${source}`),
    ...(content ? [field(content, 'spec.source.volumeHandle'), field(content, 'spec.source.snapshotHandle')] : []),
    ...(said ? [said] : []),
  ];
}

function adviceFor({ snapshot, content, contentName, isPreProvisioned }: Mismatch): Fix {
  const target = content ?? { kind: 'VolumeSnapshotContent' as const, metadata: { name: contentName } };
  if (isPreProvisioned) return importSecond(snapshot, target);
  const [save, remove, create] = recreateCommands(snapshot, {
    spec: { source: { persistentVolumeClaimName: null, volumeSnapshotContentName: contentName } },
  });
  return steps(
    'Recreate the snapshot with the content as its source. ' +
      'The policy is set to Retain first, so that the snapshot stays on the storage, and the content is freed ' +
      'for the new object. It then becomes ready within 5 minutes.',
    [retainContent(target), save, remove, patchCommand(target, { spec: { volumeSnapshotRef: { uid: null } } }), create],
    'disruptive',
  );
}
