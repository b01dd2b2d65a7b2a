import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { longestRetrySeconds, matchError, nameOf, ruleForBoth } from './snapshot-rule.ts';

/** checkAndUpdateSnapshotClass of the controller, and getCSISnapshotInput of the sidecar. */
export const snapClassMissing = ruleForBoth({
  cause: 'snap-class-missing',
  severity: 'blocking',
  explain: explainClassMissing,
});

export function explainClassMissing(s: SnapshotCase): Explanation | undefined {
  const { className, classLookup } = s;
  if (className === undefined || !classLookup) return undefined;
  const said = matchError(s, /snapshot ?class.*not found/is)?.evidence;
  if (classLookup.state === 'found') return said && explainCreatedSince(s, classLookup.object, said);
  if (classLookup.state === 'unknown' && !said) return undefined;
  const missing = describeMissing(s, className, classLookup.state === 'missing', said);
  return {
    confidence: missing.isProven ? 'certain' : 'likely',
    about: className,
    summary: `volumesnapshotclass/${className}, which ${nameOf(s)} names, ${missing.isProven ? 'does not exist' : 'was not found by the snapshot controller'}${missing.near === undefined ? '' : `; did you mean ${missing.near}?`}`,
    evidence: evidenceOf(s, missing),
    fix: adviceFor(s, missing),
  };
}

interface MissingClass {
  readonly className: string;
  /** Known not to exist; otherwise only the controller says so. */
  readonly isProven: boolean;
  readonly known: readonly SnapshotClass[];
  /** The class that was most likely meant. */
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
  const names = known.map(({ metadata }) => metadata.name);
  return { className, isProven, known, near: nearestName(className, names), said };
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

function adviceFor(s: SnapshotCase, { className, near }: MissingClass): Fix[] {
  const create = fix(
    `create class ${className}: the snapshot then goes on by itself`,
    'kubectl get volumesnapshotclass',
  );
  if (!s.snapshot || s.content) return [create];
  const { name, namespace } = s.snapshot.metadata;
  return [
    create,
    fix(
      `or make the snapshot again with ${near === undefined ? 'another class' : `class ${near}`}`,
      `kubectl ${inNamespace(namespace)}get volumesnapshot ${shellWord(name)} -o yaml`,
      'disruptive',
    ),
  ];
}

/** The class was created after the last attempt, and the controller has not retried yet. */
function explainCreatedSince(s: SnapshotCase, snapshotClass: SnapshotClass, said: Evidence): Explanation | undefined {
  const { name, creationTimestamp } = snapshotClass.metadata;
  if (s.secondsSince(creationTimestamp) >= longestRetrySeconds) return undefined;
  return {
    severity: 'info',
    about: name,
    summary: `volumesnapshotclass/${name} was missing when ${nameOf(s)} was last tried, and exists now: the controller tries again within five minutes`,
    evidence: [said, field(snapshotClass, 'metadata.creationTimestamp')],
    fix: [],
  };
}
