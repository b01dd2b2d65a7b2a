import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import {
  defaultAnnotation,
  defaultClassesOf,
  defaultEvidence,
  nameClassFix,
  needsDefaultClass,
} from './default-class.ts';
import { matchError, nameOf, ruleForSnapshot } from './snapshot-rule.ts';

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
  const said = matchError(s, /cannot find default snapshot class/)?.evidence;
  const [onlyDefault, secondDefault] = found?.defaults ?? [];
  if (found && onlyDefault)
    return said && !secondDefault ? explainMarkedSince(s, found.driver, onlyDefault, said) : undefined;
  if (!found?.complete && !said) return undefined;
  return {
    confidence: found?.complete ? 'certain' : 'likely',
    ...(found && { about: found.driver }),
    summary: `${nameOf(s)} names no class, and no snapshot class${forDriver(found)} is the default${found?.ofDriver.length === 0 ? ': there is no class of that driver at all' : ''}`,
    evidence: evidenceOf(s, found, said),
    fix: adviceFor(s, found),
  };
}

function forDriver(found: DefaultClasses): string {
  return found ? ` for ${found.driver}` : '';
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
  const candidate = found?.ofDriver[0]?.metadata.name;
  if (candidate === undefined)
    return [
      fix(
        `create a snapshot class${forDriver(found)} with the annotation ${defaultAnnotation}=true`,
        'kubectl get volumesnapshotclass',
      ),
    ];
  return [
    fix(
      `make ${candidate} the default${forDriver(found)}: the snapshot then goes on by itself`,
      `kubectl annotate volumesnapshotclass ${shellWord(candidate)} ${defaultAnnotation}=true --overwrite`,
    ),
    nameClassFix(s, candidate),
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
    summary: `volumesnapshotclass/${snapshotClass.metadata.name} is the default for ${driver} now, and was not when ${nameOf(s)} was last tried: the controller tries again within five minutes`,
    evidence: [said, defaultEvidence(snapshotClass)],
    fix: [],
  };
}
