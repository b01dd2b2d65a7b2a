import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { createClassCommand, defaultClassAnnotation } from '../lib/snapshot-class.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { defaultClassesOf, defaultEvidence, nameClassFix, needsDefaultClass, provenClass } from './default-class.ts';
import { retryNow, retryText, takenSoon } from './retry.ts';
import { matchError, nameOf, ruleForSnapshot } from './snapshot-rule.ts';
import { noDefaultText } from '../lib/driver-error/sentences/snapshots.ts';

type DefaultClasses = ReturnType<typeof defaultClassesOf>;

/** SetDefaultSnapshotClass: no class of the driver is marked as the default. */
export const snapDefaultClassNone = ruleForSnapshot({
  cause: 'snap-default-class-none',
  severity: 'blocking',
  explain: explainDefaultNone,
});

export function explainDefaultNone(s: SnapshotCase): Explanation | undefined {
  if (!needsDefaultClass(s)) return undefined;
  const found = defaultClassesOf(s);
  const said = matchError(s, noDefaultText)?.evidence;
  const [onlyDefault, secondDefault] = found?.defaults ?? [];
  if (found && onlyDefault)
    return said && !secondDefault ? explainMarkedSince(s, found.driver, onlyDefault, said) : undefined;
  if (!found?.complete && !said) return undefined;
  return {
    confidence: found?.complete ? 'certain' : 'likely',
    ...(found && { about: found.driver }),
    summary: `${nameOf(s)} names no class, and ${absenceText(found)}`,
    evidence: evidenceOf(s, found, said),
    fix: adviceFor(s, found),
  };
}

function absenceText(found: DefaultClasses): string {
  if (!found) return 'the snapshot controller found no default class for its driver.';
  return found.ofDriver.length === 0
    ? `there is no VolumeSnapshotClass for ${found.driver}.`
    : `no VolumeSnapshotClass for ${found.driver} is marked as the default.`;
}

function evidenceOf(s: SnapshotCase, found: DefaultClasses, said: Evidence | undefined): EvidenceList {
  return [
    field(s.subject, 'spec.volumeSnapshotClassName'),
    ...(found ? [field(found.volume, 'spec.csi.driver')] : []),
    ...(found?.ofDriver ?? []).map(defaultEvidence),
    ...(said ? [said] : []),
  ];
}

function adviceFor(s: SnapshotCase, found: DefaultClasses): Fix[] {
  const candidate = found && provenClass(s, found.ofDriver);
  if (candidate)
    return [
      steps(
        `Mark "${candidate.metadata.name}" as the default for ${found.driver}: ` +
          `later snapshots without a class use it, too. ${takenSoon}${keeperNote(candidate)}`,
        [kubectl('annotate', candidate, `${defaultClassAnnotation}=true --overwrite`)],
      ),
      ...nameClassFix(s, candidate.metadata.name),
    ];
  if (found)
    return [
      steps(
        `Create a default class for ${found.driver}, with the parameters that the driver needs for snapshots, if any. ${takenSoon}`,
        [createClassCommand(found.driver, found.driver, true)],
      ),
    ];
  return [
    steps(`Mark a class of the volume's driver as the default (PLACEHOLDER_CLASS, from the list). ${takenSoon}`, [
      'kubectl get volumesnapshotclass',
      `kubectl annotate volumesnapshotclass PLACEHOLDER_CLASS ${defaultClassAnnotation}=true --overwrite`,
    ]),
  ];
}

/** A class was made the default after the last attempt, and the controller has not retried yet. */
function explainMarkedSince(
  s: SnapshotCase,
  driver: string,
  snapshotClass: SnapshotClass,
  said: Evidence,
): Explanation {
  return {
    severity: 'info',
    summary:
      `VolumeSnapshotClass "${snapshotClass.metadata.name}" is the default for ${driver} now; ` +
      `it was not when ${nameOf(s)} was last tried. ${retryText(s)}`,
    evidence: [said, defaultEvidence(snapshotClass)],
    fix: [retryNow(s.error?.object ?? s.subject)],
  };
}
