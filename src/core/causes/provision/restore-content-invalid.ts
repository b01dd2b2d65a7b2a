import type { Fix } from '../../report/report.ts';
import { absent, field, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { useOtherSnapshot } from './other-snapshot.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { repairSnapshot, restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { ContentFailure, Snapshot, SnapshotContent } from './restore-source.ts';

/**
 * external-provisioner getSnapshotSource: snapshot and content must name each other, and the content needs a handle.
 */
export const restoreContentInvalid = claimRule({
  cause: 'restore-content-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'content') return undefined;
    if (failure.by === 'objects') return explainObjects(c, failure);
    const { source } = failure;
    return explainTold(c, failure, {
      summary: `${introOf(c, source)}: the provisioner reports its content as missing, bound to another snapshot, or without a handle.`,
      fix: [repairSnapshot(source), useOtherSnapshot(c, source)],
    });
  },
});

function introOf(c: PresentClaim, source: DataSource): string {
  return `${claimText(c)} cannot be restored from VolumeSnapshot "${source.name}"`;
}

function explainObjects(c: PresentClaim, failure: ContentFailure): Explanation {
  const { source } = failure;
  switch (failure.fault) {
    case 'missing':
      return explainMissing(c, source, failure.snapshot, failure.contentName);
    case 'unseen':
      return explainUnseen(c, source, failure.snapshot, failure.contentName);
    case 'misbound':
      return explainMisbound(c, source, failure.snapshot, failure.content);
    case 'noHandle':
      return explainNoHandle(c, source, failure.content);
  }
}

function explainMissing(c: PresentClaim, source: DataSource, snapshot: Snapshot, contentName: string): Explanation {
  return {
    summary: `${introOf(c, source)}: its VolumeSnapshotContent "${contentName}" does not exist.`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      absent('VolumeSnapshotContent', contentName),
      ...restoreRefusal(c, 'content'),
    ],
    fix: [useOtherSnapshot(c, source)],
  };
}

function explainUnseen(c: PresentClaim, source: DataSource, snapshot: Snapshot, contentName: string): Explanation {
  return {
    confidence: 'possible',
    summary:
      `${claimText(c)} is to be restored from VolumeSnapshot "${source.name}", and nothing that was read shows ` +
      `that its VolumeSnapshotContent "${contentName}" exists.`,
    evidence: [sourceEvidence(c, source), field(snapshot, 'status.boundVolumeSnapshotContentName')],
    fix: [ifNotFound(contentName, useOtherSnapshot(c, source))],
  };
}

/** The content was not read, so the claim is recreated only after the first line has shown that it is gone. */
function ifNotFound(contentName: string, { text, commands = [], risk }: Fix): Fix {
  return steps(
    `If the first line reports NotFound, r${text.slice(1)} If it shows the content, that is not the reason: leave the ` +
      'claim as it is, and read the content too.',
    [`kubectl get volumesnapshotcontent ${shellWord(contentName)}`, ...commands],
    risk,
  );
}

function explainMisbound(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent,
): Explanation {
  return {
    summary: `${introOf(c, source)}: VolumeSnapshotContent "${content.metadata.name}" belongs to ${ownerText(source, content)}.`,
    evidence: [
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      field(snapshot, 'metadata.uid'),
      field(content, 'spec.volumeSnapshotRef'),
      ...restoreRefusal(c, 'content'),
    ],
    fix: adviseMisbound(c, source, snapshot, content),
  };
}

function isNamesake(source: DataSource, { spec }: SnapshotContent): boolean {
  const { name, namespace } = spec?.volumeSnapshotRef ?? {};
  return name === source.name && namespace === source.namespace;
}

function ownerText(source: DataSource, content: SnapshotContent): string {
  const { name, namespace } = content.spec?.volumeSnapshotRef ?? {};
  if (isNamesake(source, content)) return 'an earlier snapshot of the same name';
  return name ? `VolumeSnapshot "${name}" in namespace ${namespace ?? ''}` : 'no snapshot';
}

/**
 * The snapshot controller accepts a content whose reference has the uid of the snapshot (checkandBindSnapshotContent).
 */
function adviseMisbound(c: PresentClaim, source: DataSource, snapshot: Snapshot, content: SnapshotContent): Fix[] {
  const { uid } = snapshot.metadata;
  const { name, namespace } = content.spec?.volumeSnapshotRef ?? {};
  if (isNamesake(source, content) && uid)
    return [
      steps(
        'If the data of the earlier snapshot is wanted, let its content refer to the snapshot that exists now. ' +
          'The claim is then restored automatically.',
        [patchCommand(content, { spec: { volumeSnapshotRef: { uid } } })],
      ),
      useOtherSnapshot(c, source),
    ];
  if (name !== undefined && namespace === c.namespace)
    return [
      recreateClaim(c, `from VolumeSnapshot "${name}", which owns the content`, sourceChange(c, { name })),
      useOtherSnapshot(c, source),
    ];
  return [useOtherSnapshot(c, source)];
}

function explainNoHandle(c: PresentClaim, source: DataSource, content: SnapshotContent): Explanation {
  return {
    summary:
      `${introOf(c, source)}: VolumeSnapshotContent "${content.metadata.name}" has no snapshot handle, so the ` +
      'driver cannot find the data.',
    evidence: [field(content, 'status.snapshotHandle'), ...restoreRefusal(c, 'content')],
    fix: [useOtherSnapshot(c, source)],
  };
}
