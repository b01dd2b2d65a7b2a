import type { Claim, ObjectOf, Reference, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, note } from '../../facts/evidence.ts';
import type { DeletionSense } from '../lib/driver-error/deletion-sense.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import type { Named } from '../lib/steps.ts';
import type { VolumeSubject } from './volume-deletion.ts';

type Content = ObjectOf<'VolumeSnapshotContent'>;

/**
 * What the cluster knows of that may keep a backend from deleting a volume. What was created in the backend itself is
 * invisible.
 */
export interface Dependents {
  readonly contents: readonly Content[];
  readonly clones: readonly Claim[];
  /** Other PersistentVolumes of the same volume in the backend. */
  readonly twins: readonly Volume[];
}

export function dependentsOf(v: VolumeSubject, { mayBeSnapshots, areClones }: DeletionSense): Dependents {
  return {
    contents: mayBeSnapshots ? snapshotsOf(v) : [],
    clones: areClones ? clonesOf(v) : [],
    twins: mayBeSnapshots ? twinsOf(v) : [],
  };
}

function snapshotsOf(v: VolumeSubject): readonly Content[] {
  const { driver, volumeHandle } = v.object.spec?.csi ?? {};
  if (!driver || !volumeHandle) return [];
  const { items } = v.ask.list('VolumeSnapshotContent', undefined, `whether pv/${v.name} has snapshots`);
  return items.filter(({ spec }) => spec?.driver === driver && spec.source?.volumeHandle === volumeHandle);
}

/** Claims that were cloned from the former claim of the volume, among those read so far. */
function clonesOf(v: VolumeSubject): readonly Claim[] {
  const { namespace, name } = v.object.spec?.claimRef ?? {};
  const isSource = (reference: Reference | undefined): boolean =>
    reference?.kind === 'PersistentVolumeClaim' && reference.name === name;
  return v.ask
    .seen('PersistentVolumeClaim')
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === namespace && (isSource(spec?.dataSource) || isSource(spec?.dataSourceRef)),
    );
}

function twinsOf(v: VolumeSubject): readonly Volume[] {
  const { driver, volumeHandle } = v.object.spec?.csi ?? {};
  if (!driver || !volumeHandle) return [];
  return v.ask
    .seen('PersistentVolume')
    .filter(
      ({ metadata, spec }) =>
        metadata.name !== v.name && spec?.csi?.driver === driver && spec.csi.volumeHandle === volumeHandle,
    );
}

/** A sentence with a blank before it; empty where the cluster knows of nothing. */
export function dependentWords(v: VolumeSubject, { contents, clones, twins }: Dependents): string {
  const found = [
    ...contents.slice(0, 3).map(snapshotName),
    ...clones
      .slice(0, 3)
      .map(({ metadata }) => `the clone pvc/${metadata.name} in namespace ${metadata.namespace ?? ''}`),
    ...twins.slice(0, 3).map((twin) => `pv/${twin.metadata.name}, which is the same volume${userWords(v, twin)}`),
  ];
  return found.length === 0 ? '' : ` The cluster has ${found.join(', ')}.`;
}

/** The users of the other PersistentVolume, as far as its pods were read. */
function userWords(v: VolumeSubject, { spec }: Volume): string {
  const { namespace, name } = spec?.claimRef ?? {};
  if (!namespace || !name) return '';
  const [pod] = v.ask.graph.podsUsing({ namespace, name });
  return pod
    ? ` and used by pod/${pod.metadata.name} in namespace ${namespace}`
    : ` and belongs to pvc/${name} in namespace ${namespace}`;
}

export function dependentEvidence(v: VolumeSubject, { contents, clones, twins }: Dependents): Evidence[] {
  const handle = v.object.spec?.csi?.volumeHandle ?? '';
  return [
    ...contents.slice(0, 3).map((content) => note(content, `is a snapshot of volume ${handle}`)),
    ...clones.slice(0, 3).map((claim) => note(claim, `was cloned from pvc/${v.object.spec?.claimRef?.name ?? ''}`)),
    ...twins.slice(0, 3).map((twin) => field(twin, 'spec.csi.volumeHandle')),
  ];
}

function snapshotName({ metadata, spec }: Content): string {
  const { namespace, name } = spec?.volumeSnapshotRef ?? {};
  return name ? `volumesnapshot/${name} in namespace ${namespace ?? ''}` : `volumesnapshotcontent/${metadata.name}`;
}

/** What ends the dependence; empty where the cluster knows of nothing. */
export function dependentFixes(v: VolumeSubject, { contents, twins }: Dependents): Fix[] {
  const [twin] = twins;
  if (twin)
    return [
      steps(
        `Keep the volume: pv/${twin.metadata.name} is the same one in the backend. ` +
          'Set the policy to Retain, save the object and delete it; the other PersistentVolume stays as it is.',
        [
          kubectl('patch', v.object, `--type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`),
          saveCommand(v.object),
          kubectl('delete', v.object),
        ],
        'disruptive',
      ),
    ];
  return contents.slice(0, 2).map(deleteSnapshotFix);
}

function deleteSnapshotFix(content: Content): Fix {
  const { namespace = '', name } = content.spec?.volumeSnapshotRef ?? {};
  const snapshot: Named = name
    ? { kind: 'VolumeSnapshot', metadata: { namespace, name } }
    : { kind: 'VolumeSnapshotContent', metadata: content.metadata };
  return steps(
    `Delete ${snapshotName(content)}, if this restore point is not needed. The provisioner retries within 5 minutes.`,
    [saveCommand(snapshot), kubectl('delete', snapshot)],
    'data-loss',
  );
}
