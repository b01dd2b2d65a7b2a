import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { takenAtOnce } from './retry.ts';
import { recreateSnapshot } from './snapshot-request.ts';
import { objectText, ruleForBoth } from './snapshot-rule.ts';

/**
 * syncSnapshot and syncContent want exactly one source. The API itself refuses anything else since external-snapshotter
 * 7.
 */
export const snapValidation = ruleForBoth({
  cause: 'snap-validation',
  severity: 'blocking',
  explain(s) {
    return (s.snapshot && explainSnapshot(s, s.snapshot)) ?? (s.content && explainContent(s.content));
  },
});

function explainSnapshot(s: SnapshotCase, snapshot: VolumeSnapshot): Explanation | undefined {
  const fault = sourceFault(s, snapshot);
  if (fault === undefined) return undefined;
  return {
    summary: `${objectText(snapshot)} names ${fault}.`,
    evidence: [
      field(snapshot, 'spec.source.persistentVolumeClaimName'),
      field(snapshot, 'spec.source.volumeSnapshotContentName'),
    ],
    fix: [setSource(s, snapshot)],
  };
}

function sourceFault(s: SnapshotCase, { spec }: VolumeSnapshot): string | undefined {
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = spec?.source ?? {};
  if (claim === '' || content === '') return 'its source by an empty name';
  // A bound content shows that there was a source when it was created.
  if (claim === undefined && content === undefined)
    return s.content ? undefined : 'no source: neither a claim nor a content';
  if (claim !== undefined && content !== undefined)
    return `two sources, pvc/${claim} and VolumeSnapshotContent "${content}"; only one is allowed`;
  return undefined;
}

/** Only a person knows which of the two is intended; a claim is the usual one. */
function setSource(s: SnapshotCase, snapshot: VolumeSnapshot): Fix {
  const { persistentVolumeClaimName: claim } = snapshot.spec?.source ?? {};
  const source = { persistentVolumeClaimName: claim || 'PLACEHOLDER_CLAIM', volumeSnapshotContentName: null };
  return recreateSnapshot(
    s,
    snapshot,
    claim
      ? `with pvc/${claim} as its only source (or, to import a snapshot, with the content alone)`
      : 'with the claim to take it of (PLACEHOLDER_CLAIM)',
    { spec: { source } },
    takenAtOnce,
  );
}

function explainContent(content: SnapshotContent): Explanation | undefined {
  const { volumeHandle, snapshotHandle } = content.spec?.source ?? {};
  if ((volumeHandle === undefined) !== (snapshotHandle === undefined)) return undefined;
  const isEmpty = volumeHandle === undefined;
  return {
    summary:
      `${objectText(content)} names ` +
      `${isEmpty ? 'no source: neither a volumeHandle nor a snapshotHandle' : 'two sources, a volumeHandle and a snapshotHandle; only one is allowed'}.`,
    evidence: [field(content, 'spec.source.volumeHandle'), field(content, 'spec.source.snapshotHandle')],
    fix: [
      isEmpty
        ? steps(
            'Set the id of the snapshot on the storage (PLACEHOLDER_HANDLE) as its source. It is then picked up at once.',
            [patchCommand(content, { spec: { source: { snapshotHandle: 'PLACEHOLDER_HANDLE' } } })],
          )
        : steps(
            'Recreate the content with the snapshotHandle alone: handles cannot be removed in place. ' +
              'Its policy is set to Retain first, so that nothing is removed from the storage.',
            [
              retainContent(content),
              ...recreateCommands(content, { spec: { deletionPolicy: 'Retain', source: { volumeHandle: null } } }),
            ],
            'disruptive',
          ),
    ],
  };
}
