import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { SnapshotCase, SnapshotClass } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { defaultClassAnnotation } from '../lib/snapshot-class.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { defaultClassesOf, defaultEvidence, nameClassFix, needsDefaultClass, provenClass } from './default-class.ts';
import { takenSoon } from './retry.ts';
import { matchError, nameOf, ruleForSnapshot } from './snapshot-rule.ts';
import { defaultsText } from '../lib/driver-error/sentences/snapshots.ts';

/** SetDefaultSnapshotClass refuses to choose between several defaults of one driver. */
export const snapDefaultClassMultiple = ruleForSnapshot({
  cause: 'snap-default-class-multiple',
  severity: 'blocking',
  explain(s) {
    if (!needsDefaultClass(s)) return undefined;
    const found = defaultClassesOf(s);
    const said = matchError(s, defaultsText);
    const isProven = found !== undefined && found.defaults.length > 1;
    if (!isProven && (!said || found?.complete)) return undefined;
    const which = isProven
      ? `${found.defaults.length} classes are marked as the default for ${found.driver}: ${nameAll(namesOf(found.defaults))}`
      : `the snapshot controller found ${said?.match[1] ?? 'several'} default classes for its driver`;
    return {
      confidence: isProven ? 'certain' : 'likely',
      ...(found && { about: found.driver }),
      summary: `${nameOf(s)} names no class, and ${which}. Only one default for each driver is allowed.`,
      evidence: evidenceOf(s, isProven ? found.defaults : [], said?.evidence),
      fix: adviceFor(s, found?.defaults ?? []),
    };
  },
});

function namesOf(classes: readonly SnapshotClass[]): string[] {
  return classes.map(({ metadata }) => metadata.name);
}

function evidenceOf(s: SnapshotCase, defaults: readonly SnapshotClass[], said: Evidence | undefined): EvidenceList {
  return [field(s.subject, 'spec.volumeSnapshotClassName'), ...defaults.map(defaultEvidence), ...(said ? [said] : [])];
}

function adviceFor(s: SnapshotCase, defaults: readonly SnapshotClass[]): Fix[] {
  const kept = provenClass(s, defaults);
  if (!kept)
    return [
      steps(`Unmark every default class of the driver but one (PLACEHOLDER_CLASS, from the list). ${takenSoon}`, [
        'kubectl get volumesnapshotclass -o ' +
          `custom-columns='NAME:.metadata.name,DRIVER:.driver,DEFAULT:.metadata.annotations.snapshot\\.storage\\.kubernetes\\.io/is-default-class'`,
        `kubectl annotate volumesnapshotclass PLACEHOLDER_CLASS ${defaultClassAnnotation}-`,
      ]),
    ];
  const others = defaults.filter((each) => each !== kept);
  const { name } = kept.metadata;
  return [
    steps(
      `Keep "${name}" as the default and unmark ${nameAll(namesOf(others).map((other) => `"${other}"`))}; ` +
        `the classes themselves stay. ${takenSoon}${others.map(keeperNote)[0] ?? ''}`,
      others.map((other) => kubectl('annotate', other, `${defaultClassAnnotation}-`)),
    ),
    ...nameClassFix(s, name),
  ];
}
