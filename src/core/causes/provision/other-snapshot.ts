import type { Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { nearestName } from '../../kube/names.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { adoptCommands } from '../lib/snapshot-content.ts';
import { steps } from '../lib/steps.ts';
import type { DataSource } from './data-source.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import type { Snapshot, SnapshotContent } from './restore-source.ts';

/** The snapshots of the namespace that can be restored, the latest first. */
export function readySnapshots(c: PresentClaim, source: DataSource): readonly string[] {
  const created = ({ status, metadata }: Snapshot): number =>
    parseTime(status?.creationTime) ?? parseTime(metadata.creationTimestamp) ?? 0;
  return c.ask
    .seen('VolumeSnapshot')
    .filter(
      ({ metadata, status }) =>
        metadata.namespace === source.namespace &&
        metadata.name !== source.name &&
        metadata.deletionTimestamp === undefined &&
        status?.readyToUse === true,
    )
    .toSorted((a, b) => created(b) - created(a))
    .map(({ metadata }) => metadata.name);
}

/**
 * Which state of the data is wanted, only a person knows: a name is filled in where there is one choice, or one of
 * nearly that name.
 */
export function useOtherSnapshot(c: PresentClaim, source: DataSource): Fix {
  const ready = readySnapshots(c, source);
  const chosen = nearestName(source.name, ready) ?? (ready.length === 1 ? ready[0] : undefined);
  if (chosen !== undefined)
    return recreateClaim(
      c,
      `from VolumeSnapshot "${chosen}", if its data is wanted`,
      sourceChange(c, { name: chosen }),
      restored,
    );
  const isKnown = ready.length > 0;
  const isNone = !isKnown && hasReadSnapshots(c, source);
  const choice = isKnown ? `: ${nameAll(ready)} are ready, the latest first` : '';
  const fix = recreateClaim(
    c,
    isNone
      ? `from a snapshot that you first take or bring into namespace ${source.namespace} (PLACEHOLDER_SNAPSHOT; no other one there is ready now)`
      : `from a ready snapshot of namespace ${source.namespace} (PLACEHOLDER_SNAPSHOT${choice})`,
    sourceChange(c, { name: 'PLACEHOLDER_SNAPSHOT' }),
    restored,
  );
  if (isKnown || isNone) return fix;
  const list = `kubectl -n ${shellWord(source.namespace)} get volumesnapshot`;
  return steps(fix.text, [list, ...(fix.commands ?? [])], fix.risk);
}

const restored = 'It is then restored and bound automatically.';

function hasReadSnapshots(c: PresentClaim, { namespace }: DataSource): boolean {
  return c.ask.graph.coverage.answers('VolumeSnapshot', { namespace });
}

/** The data is on the storage, and only the object of the snapshot is missing in this namespace. */
export function adoptSnapshot(c: PresentClaim, source: DataSource, content: SnapshotContent): Fix[] {
  const commands = adoptCommands(content, c.namespace, source.name);
  if (commands.length === 0) return [];
  return [
    steps(
      `Create VolumeSnapshot "${source.name}" in namespace ${c.namespace} for the snapshot that ` +
        `VolumeSnapshotContent "${content.metadata.name}" holds on the storage, with policy Retain. ` +
        'The claim is then restored automatically.',
      commands,
    ),
  ];
}
