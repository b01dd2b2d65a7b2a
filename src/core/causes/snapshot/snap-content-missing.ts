import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { importCommand } from '../lib/snapshot-content.ts';
import { steps } from '../lib/steps.ts';
import { importCommands } from './import-snapshot.ts';
import { takenAtOnce } from './retry.ts';
import { recreateSnapshot } from './snapshot-request.ts';
import { matchError, objectText, ruleForSnapshot } from './snapshot-rule.ts';
import { sourceDriverOf } from './snapshot-source.ts';
import { contentMissingText } from '../lib/driver-error/sentences/snapshots.ts';

/**
 * syncUnreadySnapshot and syncReadySnapshot: the content that the snapshot asks for, or was bound to, does not exist.
 */
export const snapContentMissing = ruleForSnapshot({
  cause: 'snap-content-missing',
  severity: 'blocking',
  explain(s) {
    const missing = findMissing(s);
    if (!missing) return undefined;
    return {
      confidence: missing.isProven ? 'certain' : 'likely',
      summary: summarize(missing),
      evidence: evidenceOf(missing),
      fix: s.isPreProvisioned ? createOrRename(s, missing) : importOrRetake(s, missing),
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
  const said = matchError(s, contentMissingText)?.evidence;
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

function summarize({ snapshot, contentName, isBound, isProven }: MissingContent): string {
  const role = isBound
    ? `to which ${objectText(snapshot)} is bound`
    : `which ${objectText(snapshot)} names as its source`;
  const state = isProven ? 'does not exist' : 'was not found by the snapshot controller';
  const loss = isBound ? ' The snapshot cannot be restored.' : '';
  return `VolumeSnapshotContent "${contentName}", ${role}, ${state}.${loss}`;
}

/** The content of an imported snapshot is created by hand: it is missing, or has another name. */
function createOrRename(s: SnapshotCase, { snapshot, contentName }: MissingContent): Fix[] {
  const { name, namespace = '' } = snapshot.metadata;
  const meant = s.ask
    .seen('VolumeSnapshotContent')
    .find(
      ({ spec }) =>
        spec?.source?.snapshotHandle !== undefined &&
        spec.volumeSnapshotRef?.name === name &&
        spec.volumeSnapshotRef.namespace === namespace,
    )?.metadata.name;
  const rename =
    meant === undefined
      ? []
      : [
          recreateSnapshot(
            s,
            snapshot,
            `with VolumeSnapshotContent "${meant}", which is reserved for it`,
            { spec: { source: { volumeSnapshotContentName: meant } } },
            'It then becomes ready within 5 minutes.',
          ),
        ];
  const driver = s.snapshotClass?.driver ?? 'PLACEHOLDER_DRIVER';
  return [
    ...rename,
    steps(
      `Create VolumeSnapshotContent "${contentName}" for the snapshot that exists on the storage: ` +
        'PLACEHOLDER_HANDLE is its id ' +
        `there${driver === 'PLACEHOLDER_DRIVER' ? ', PLACEHOLDER_DRIVER the CSI driver' : ''}. ` +
        'The snapshot then becomes ready within 5 minutes.',
      [importCommand(contentName, { driver, handle: 'PLACEHOLDER_HANDLE', namespace, snapshot: name })],
    ),
  ];
}

/** Without the content no object knows the id on the storage any more. */
function importOrRetake(s: SnapshotCase, { snapshot, isProven }: MissingContent): Fix[] {
  const driver = sourceDriverOf(s) ?? s.snapshotClass?.driver ?? 'PLACEHOLDER_DRIVER';
  const risk = isProven ? 'safe' : 'data-loss';
  return [
    steps(
      'If the snapshot still exists on the storage (the names of many drivers hold its uid, ' +
        `${snapshot.metadata.uid ?? ''}), import it: PLACEHOLDER_HANDLE is its id there. ` +
        'Deleting the object without its content touches nothing on the storage.',
      importCommands(snapshot, driver),
      risk,
    ),
    steps(
      `Otherwise take a new one: save the object, delete it and recreate it. ${takenAtOnce}`,
      recreateCommands(snapshot, {}),
      risk,
    ),
  ];
}
