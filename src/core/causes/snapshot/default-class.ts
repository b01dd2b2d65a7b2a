import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';

export const defaultAnnotation = 'snapshot.storage.kubernetes.io/is-default-class';

/** SetDefaultSnapshotClass: one default class for each driver; more than one is an error, unlike for storage classes. */
interface DefaultClasses {
  readonly driver: string;
  /** The volume of the source claim. */
  readonly volume: Volume;
  readonly ofDriver: readonly SnapshotClass[];
  readonly defaults: readonly SnapshotClass[];
  /** All snapshot classes were read. */
  readonly complete: boolean;
}

/** The snapshot names no class, so the controller looks for the default one. */
export function needsDefaultClass(s: SnapshotCase): boolean {
  return s.awaitsContent && s.className === undefined;
}

export function defaultClassesOf(s: SnapshotCase): DefaultClasses | undefined {
  if (!s.claim?.isBound) return undefined;
  const volume = s.claim.volume?.state === 'found' ? s.claim.volume.object : undefined;
  const driver = volume?.spec?.csi?.driver;
  if (!volume || !driver) return undefined;
  const { items, complete } = s.ask.list(
    'VolumeSnapshotClass',
    undefined,
    `which snapshot class is the default for ${driver}`,
  );
  const ofDriver = items.filter((candidate) => candidate.driver === driver);
  return { driver, volume, ofDriver, defaults: ofDriver.filter(isDefault), complete };
}

function isDefault({ metadata }: SnapshotClass): boolean {
  return metadata.annotations?.[defaultAnnotation] === 'true';
}

export function defaultEvidence(snapshotClass: SnapshotClass): Evidence {
  const value = snapshotClass.metadata.annotations?.[defaultAnnotation] ?? 'not set';
  return field(snapshotClass, `metadata.annotations[${defaultAnnotation}]`, value);
}

export function nameClassFix({ subject: { metadata } }: SnapshotCase, className: string): Fix {
  const patch = JSON.stringify({ spec: { volumeSnapshotClassName: className } });
  return fix(
    'or name the class in the snapshot',
    `kubectl ${inNamespace(metadata.namespace)}patch volumesnapshot ${shellWord(metadata.name)} --type=merge -p ${shellWord(patch)}`,
  );
}
