import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import { defaultClassAnnotation } from '../lib/snapshot-class.ts';
import { steps } from '../lib/steps.ts';
import { takenAtOnce } from './retry.ts';
import { setClassCommand } from './snapshot-request.ts';

/**
 * SetDefaultSnapshotClass: one default class for each driver; more than one is an error, unlike for storage classes.
 */
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
  return metadata.annotations?.[defaultClassAnnotation] === 'true';
}

export function defaultEvidence(snapshotClass: SnapshotClass): Evidence {
  const value = snapshotClass.metadata.annotations?.[defaultClassAnnotation] ?? 'not set';
  return field(snapshotClass, `metadata.annotations[${defaultClassAnnotation}]`, value);
}

/** The class that has served most snapshots, as far as they were read; of equals the oldest. */
export function provenClass(s: SnapshotCase, classes: readonly SnapshotClass[]): SnapshotClass | undefined {
  const contents = s.ask.seen('VolumeSnapshotContent').filter(({ status }) => status?.readyToUse === true);
  const useOf = ({ metadata }: SnapshotClass): number =>
    contents.filter(({ spec }) => spec?.volumeSnapshotClassName === metadata.name).length;
  const ageOf = ({ metadata }: SnapshotClass): number => parseTime(metadata.creationTimestamp) ?? s.now;
  return classes.toSorted((a, b) => useOf(b) - useOf(a) || ageOf(a) - ageOf(b))[0];
}

export function nameClassFix({ snapshot }: SnapshotCase, className: string): Fix[] {
  if (!snapshot) return [];
  return [
    steps(`Or name class "${className}" in this snapshot only. ${takenAtOnce}`, [setClassCommand(snapshot, className)]),
  ];
}
