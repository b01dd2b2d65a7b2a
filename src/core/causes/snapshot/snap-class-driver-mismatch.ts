import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { createClassCommand } from '../lib/snapshot-class.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { contentFinalizer } from './content-deletion.ts';
import { provenClass } from './default-class.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { takenAtOnce } from './retry.ts';
import { riskOfDeletion, setClassCommand } from './snapshot-request.ts';
import { errorEvidence, ruleForBoth } from './snapshot-rule.ts';

/** createSnapshotContent takes the driver from the class and the handle from the volume, and compares neither. */
export const snapClassDriverMismatch = ruleForBoth({
  cause: 'snap-class-driver-mismatch',
  severity: 'blocking',
  explain(s) {
    const mismatch = findMismatch(s);
    if (!mismatch) return undefined;
    const { volume, claimName, classDriver, ownDriver } = mismatch;
    const className = s.className ?? '';
    return {
      about: `${className}/${ownDriver}`,
      summary:
        `VolumeSnapshotClass "${className}" is for ${classDriver}, but pv/${volume.metadata.name} of ` +
        `pvc/${claimName} belongs to ${ownDriver}, and only its own driver can take a snapshot of it.`,
      evidence: evidenceOf(s, volume),
      fix: [adviceFor(s, mismatch)],
    };
  },
});

interface Mismatch {
  readonly snapshot: VolumeSnapshot;
  readonly volume: Volume;
  readonly claimName: string;
  readonly classDriver: string;
  /** The driver that the volume belongs to. */
  readonly ownDriver: string;
}

function findMismatch(s: SnapshotCase): Mismatch | undefined {
  if (s.isPreProvisioned || s.isGroupMember) return undefined;
  const { driver: classDriver, claim, snapshot } = s;
  if (!classDriver || !claim?.isBound || claim.volume?.state !== 'found' || !snapshot) return undefined;
  const volume = claim.volume.object;
  const { driver: ownDriver, volumeHandle } = volume.spec?.csi ?? {};
  if (!ownDriver || ownDriver === classDriver) return undefined;
  const handle = s.content?.spec?.source?.volumeHandle;
  // Another handle: the claim was recreated after the content.
  if (handle !== undefined && handle !== volumeHandle) return undefined;
  return { snapshot, volume, claimName: claim.name, classDriver, ownDriver };
}

function evidenceOf(s: SnapshotCase, volume: Volume): EvidenceList {
  return [
    s.snapshotClass ? field(s.snapshotClass, 'driver') : field(s.content ?? s.subject, 'spec.driver'),
    field(volume, 'spec.csi.driver'),
    ...(s.error ? [errorEvidence(s.error)] : []),
  ];
}

function adviceFor(s: SnapshotCase, { snapshot, ownDriver }: Mismatch): Fix {
  const classes = s.ask
    .list('VolumeSnapshotClass', undefined, `which snapshot classes ${ownDriver} has`)
    .items.filter(({ driver }) => driver === ownDriver);
  const known = provenClass(s, classes)?.metadata.name;
  const className = known ?? ownDriver;
  const create = known === undefined ? [createClassCommand(className, ownDriver)] : [];
  const which = known === undefined ? `a new class for ${ownDriver} (the first line creates it)` : `class "${known}"`;
  if (!s.content)
    return steps(`Set ${which} in the snapshot: its class can be changed until a content exists. ${takenAtOnce}`, [
      ...create,
      setClassCommand(snapshot, className),
    ]);
  const change = { spec: { volumeSnapshotClassName: className } };
  return steps(
    `Recreate the snapshot with ${which}: the content that exists keeps the wrong driver, and nothing was ` +
      `taken, so nothing is lost.${isUnserved(s.content) ? ' No csi-snapshotter serves the content, so its finalizer is removed by hand.' : ''} ${takenAtOnce}`,
    [...create, ...recreateFrom(snapshot, s.content, change)],
    isUnserved(s.content) && riskOfDeletion(s) === 'safe' ? 'disruptive' : riskOfDeletion(s),
  );
}

/** The csi-snapshotter of the wrong driver releases the content; without one, the deletion would wait indefinitely. */
function recreateFrom(snapshot: VolumeSnapshot, content: SnapshotContent, change: object): string[] {
  const [save, remove, create] = recreateCommands(snapshot, change);
  if (!isUnserved(content)) return [save, remove, create];
  const { name, namespace = '' } = snapshot.metadata;
  return [
    save,
    kubectl('delete', snapshot, '--wait=false'),
    kubectl('delete', content, '--wait=false'),
    ...(content.metadata.finalizers?.includes(contentFinalizer) ? [releaseCommand(content, [contentFinalizer])] : []),
    `kubectl -n ${shellWord(namespace)} wait --for=delete volumesnapshot/${shellWord(name)} --timeout=2m`,
    create,
  ];
}

/** No csi-snapshotter has written on the content. */
function isUnserved({ status, metadata }: SnapshotContent): boolean {
  return status?.error === undefined && metadata.annotations?.[beingCreatedAnnotation] === undefined;
}
