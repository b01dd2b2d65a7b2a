import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import {
  defaultAnnotation,
  defaultClassesOf,
  defaultEvidence,
  nameClassFix,
  needsDefaultClass,
} from './default-class.ts';
import { matchError, nameOf, ruleForSnapshot } from './snapshot-rule.ts';

/** SetDefaultSnapshotClass refuses to choose between several defaults of one driver. */
export const snapDefaultClassMultiple = ruleForSnapshot({
  cause: 'snap-default-class-multiple',
  severity: 'blocking',
  explain(s) {
    if (!needsDefaultClass(s)) return undefined;
    const found = defaultClassesOf(s);
    const said = matchError(s, /(\d+) default snapshot classes were found/);
    const isProven = found !== undefined && found.defaults.length > 1;
    if (!isProven && (!said || found?.complete)) return undefined;
    const which = isProven
      ? `${found.defaults.length} snapshot classes are the default for ${found.driver} (${namesOf(found.defaults).join(', ')})`
      : `${said?.match[1] ?? 'several'} snapshot classes are the default for its driver`;
    return {
      confidence: isProven ? 'certain' : 'likely',
      ...(found && { about: found.driver }),
      summary: `${nameOf(s)} names no class, and ${which}: there may be one only`,
      evidence: evidenceOf(s, isProven ? found.defaults : [], said?.evidence),
      fix: adviceFor(s, namesOf(found?.defaults ?? [])),
    };
  },
});

function namesOf(classes: readonly SnapshotClass[]): string[] {
  return classes.map(({ metadata }) => metadata.name);
}

function evidenceOf(s: SnapshotCase, defaults: readonly SnapshotClass[], said: Evidence | undefined): EvidenceList {
  return [field(s.subject, 'spec.volumeSnapshotClassName'), ...defaults.map(defaultEvidence), ...(said ? [said] : [])];
}

function adviceFor(s: SnapshotCase, names: readonly string[]): Fix[] {
  const [first] = names;
  const last = names.at(-1);
  return [
    fix(
      'leave one default for each driver: the snapshot then goes on by itself',
      last === undefined
        ? 'kubectl get volumesnapshotclass -o yaml'
        : `kubectl annotate volumesnapshotclass ${shellWord(last)} ${defaultAnnotation}-`,
    ),
    ...(first === undefined ? [] : [nameClassFix(s, first)]),
  ];
}
