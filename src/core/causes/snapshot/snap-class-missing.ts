import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import { createClassCommand } from '../lib/snapshot-class.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { retryNow, retryText, takenAtOnce, takenSoon } from './retry.ts';
import { setClassCommand } from './snapshot-request.ts';
import { longestRetrySeconds, matchError, nameOf, ruleForBoth, speakerOf } from './snapshot-rule.ts';
import { sourceDriverOf } from './snapshot-source.ts';
import { classNotFoundText } from '../lib/driver-error/sentences/snapshots.ts';

/** checkAndUpdateSnapshotClass of the controller, and getCSISnapshotInput of the sidecar. */
export const snapClassMissing = ruleForBoth({
  cause: 'snap-class-missing',
  severity: 'blocking',
  explain: explainClassMissing,
});

export function explainClassMissing(s: SnapshotCase): Explanation | undefined {
  const { className, classLookup } = s;
  if (className === undefined || !classLookup) return undefined;
  const said = matchError(s, classNotFoundText)?.evidence;
  if (classLookup.state === 'found') return said && explainCreatedSince(s, classLookup.object, said);
  if (classLookup.state === 'unknown' && !said) return undefined;
  const missing = describeMissing(s, className, classLookup.state === 'missing', said);
  const hint = hintText(missing);
  return {
    confidence: missing.isProven ? 'certain' : 'likely',
    about: className,
    summary: `VolumeSnapshotClass "${className}", which ${nameOf(s)} names, ${absenceText(s, missing)}.${hint}`,
    evidence: evidenceOf(s, missing),
    fix: adviceFor(s, missing),
  };
}

/** Which class there is instead. */
function hintText({ near, known, driver }: MissingClass): string {
  if (near !== undefined) return ` The closest match is "${near}".`;
  const only = onlyClass(known, driver);
  return only === undefined ? '' : ` The only class for ${driver ?? ''} is "${only}".`;
}

function onlyClass(known: readonly SnapshotClass[], driver: string | undefined): string | undefined {
  const [only, ...others] = driver === undefined ? [] : namesOf(ofDriver(known, driver));
  return others.length === 0 ? only : undefined;
}

interface MissingClass {
  readonly className: string;
  /** Known not to exist; otherwise only the controller says so. */
  readonly isProven: boolean;
  readonly known: readonly SnapshotClass[];
  /** The driver of the source volume, which the class must name. */
  readonly driver: string | undefined;
  /** The class that was most likely intended. */
  readonly near: string | undefined;
  readonly said: Evidence | undefined;
}

function describeMissing(
  s: SnapshotCase,
  className: string,
  isProven: boolean,
  said: Evidence | undefined,
): MissingClass {
  const known = isProven
    ? s.ask.list('VolumeSnapshotClass', undefined, `which class was meant by ${className}`).items
    : s.ask.seen('VolumeSnapshotClass');
  const driver = sourceDriverOf(s);
  const near = nearestName(className, namesOf(ofDriver(known, driver)));
  return { className, isProven, known, driver, near, said };
}

/** A class of another driver does not help; if the driver is not known, any class may be the intended one. */
function ofDriver(classes: readonly SnapshotClass[], driver: string | undefined): readonly SnapshotClass[] {
  return driver === undefined ? classes : classes.filter((candidate) => candidate.driver === driver);
}

function namesOf(classes: readonly SnapshotClass[]): string[] {
  return classes.map(({ metadata }) => metadata.name);
}

function absenceText(s: SnapshotCase, { isProven }: MissingClass): string {
  if (isProven) return 'does not exist';
  return `was not found by ${s.error ? speakerOf(s.error) : 'the snapshot controller'}`;
}

function evidenceOf(s: SnapshotCase, { className, isProven, known, said }: MissingClass): EvidenceList {
  const naming = s.snapshot?.spec?.volumeSnapshotClassName === undefined ? s.subject : s.snapshot;
  return [
    field(naming, 'spec.volumeSnapshotClassName'),
    ...(isProven ? [absent('VolumeSnapshotClass', className)] : []),
    ...known.slice(0, 5).map((other) => field(other, 'driver')),
    ...(said ? [said] : []),
  ];
}

function adviceFor(s: SnapshotCase, missing: MissingClass): Fix[] {
  const { className, driver, near, known } = missing;
  const only = near ?? onlyClass(known, driver);
  const create = steps(
    `${only === undefined ? 'Create' : 'Otherwise create'} VolumeSnapshotClass "${className}" for ` +
      `${driver ?? 'the driver of the source volume (PLACEHOLDER_DRIVER)'}, with the parameters that the ` +
      `driver needs for snapshots, if any. ${takenSoon}`,
    [createClassCommand(className, driver ?? 'PLACEHOLDER_DRIVER')],
  );
  if (near !== undefined) return [...useClass(s, near, `If "${near}" was meant, set it`), create];
  return only === undefined
    ? [create]
    : [...useClass(s, only, `Set "${only}", the only class for ${driver ?? ''},`, ', if its settings suit'), create];
}

/** Neither object forbids a change of its class; the content keeps its own once it is created. */
function useClass({ snapshot, content }: SnapshotCase, className: string, intro: string, condition = ''): Fix[] {
  if (!snapshot) return [];
  const where = content ? 'in the content and in the snapshot' : 'in the snapshot';
  return [
    steps(`${intro} ${where}${condition}: the class can be changed in place. ${takenAtOnce}`, [
      ...(content ? [patchCommand(content, { spec: { volumeSnapshotClassName: className } })] : []),
      setClassCommand(snapshot, className),
    ]),
  ];
}

/** The class was created after the last attempt, and the controller has not retried yet. */
function explainCreatedSince(s: SnapshotCase, snapshotClass: SnapshotClass, said: Evidence): Explanation | undefined {
  const { name, creationTimestamp } = snapshotClass.metadata;
  if (s.secondsSince(creationTimestamp) >= longestRetrySeconds) return undefined;
  return {
    severity: 'info',
    about: name,
    summary: `VolumeSnapshotClass "${name}" exists now; it was created after ${nameOf(s)} was last tried. ${retryText(s)}`,
    evidence: [said, field(snapshotClass, 'metadata.creationTimestamp')],
    fix: [retryNow(s.error?.object ?? s.subject)],
  };
}
