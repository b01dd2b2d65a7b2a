import { newestMatch } from '../../graph/events.ts';
import type { KubeEvent, ObjectOf } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { resizerOf } from '../expand/expansion.ts';
import { restartResizer } from '../expand/storage-fixes.ts';
import { manifestOf, nameClassCommand, nearClass, otherClasses, takeBack } from './class-change.ts';
import { modificationOf, modifyEvidence } from './modification.ts';
import { attributesClassMissingText } from '../lib/driver-error/sentences/resizer.ts';

interface MissingClass {
  readonly name: string;
  /** The classes were read, and it is not among them. */
  readonly isProven: boolean;
  /** The resizer's event that it did not find the class. */
  readonly said: KubeEvent | undefined;
}

/** external-resizer getTargetVAC: without the class the change stays Pending. */
export const modifyVacMissing = claimRule({
  cause: 'modify-vac-missing',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const missing = findMissingClass(c);
    if (!missing) return explainForgotten(c);
    const { name, isProven, said } = missing;
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: name,
      summary:
        `VolumeAttributesClass "${name}", which pvc/${c.name} names, ` +
        `${isProven ? 'does not exist' : 'was not found by the resizer'}.${choiceWords(c)} The volume ` +
        'stays in use as it is.',
      evidence: [
        ...modifyEvidence(c),
        ...(isProven ? [absent('VolumeAttributesClass', name)] : []),
        ...(said ? [eventSaid(c.claim, said)] : []),
      ],
      fix: fixesFor(c, name),
    };
  },
});

const mostNamed = 3;

/** The class with nearly the same name, or those that exist for the driver. */
function choiceWords(c: PresentClaim): string {
  const driver = driverOf(c);
  const near = nearClass(c, driver);
  if (near !== undefined) return ` The closest match is "${near}".`;
  const names = otherClasses(c, driver).map(({ metadata }) => `"${metadata.name}"`);
  if (names.length === 0) return '';
  if (names.length === 1 && driver !== undefined) return ` The only class of ${driver} is ${names[0] ?? ''}.`;
  return (
    ` Classes of ${driver ?? 'the driver'} are ` +
    `${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''}.`
  );
}

function driverOf(c: PresentClaim): string | undefined {
  return resizerOf(c).driver;
}

function findMissingClass(c: PresentClaim): MissingClass | undefined {
  const { wanted, target, state } = modificationOf(c);
  // A change that may still be in progress is finished first, with its own class.
  const names = [...new Set([wanted, state === 'InProgress' ? target : ''])].filter((name) => name !== '');
  for (const name of names) {
    const lookup = c.ask.get('VolumeAttributesClass', undefined, name, `whether attributes class ${name} exists`);
    const found = newestMatch(c.events.items, 'VolumeModifyFailed', attributesClassMissingText);
    const said = found?.match[1] === name ? found.event : undefined;
    // The resizer sets Pending only when it did not find the class.
    const isTold = state === 'Pending' || (said !== undefined && state !== 'InProgress');
    if (lookup.state === 'missing') return { name, isProven: true, said };
    if (lookup.state === 'unknown' && isTold) return { name, isProven: false, said };
  }
  return undefined;
}

/**
 * The class exists now, and the resizer does not look again: a claim that is Pending is queued only when it names
 * another class (external-resizer modifycontroller updatePVC, 1.14.0 to 2.2.1).
 */
function explainForgotten(c: PresentClaim): Explanation | undefined {
  const { wanted, state } = modificationOf(c);
  if (state !== 'Pending' || wanted === '') return undefined;
  const found = c.ask.seen('VolumeAttributesClass').find(({ metadata }) => metadata.name === wanted);
  if (!found) return undefined;
  return {
    confidence: 'likely',
    about: wanted,
    summary:
      `VolumeAttributesClass "${wanted}" exists now, but it was missing when the resizer looked for it, and ` +
      `the resizer does not look again: the change of pvc/${c.name} stays Pending until the resizer is ` +
      'restarted or the claim names another class for a moment.',
    evidence: [...modifyEvidence(c), createdEvidence(found)],
    fix: retryFixes(c, wanted),
  };
}

function createdEvidence(vac: ObjectOf<'VolumeAttributesClass'>) {
  return field(vac, 'metadata.creationTimestamp');
}

function retryFixes(c: PresentClaim, wanted: string): Fix[] {
  const driver = driverOf(c);
  const toggle = toggleFix(c, wanted);
  if (driver === undefined) return [toggle];
  const restart = restartResizer(
    c,
    driver,
    (what) => `Restart ${what}. The new process applies the class within a minute; volumes in use are not affected.`,
  );
  const { pods } = findController(c.ask, driver, 'resizer');
  return pods.items.length > 0 ? [restart, toggle] : [toggle, restart];
}

/** Two changes of the claim, each of which the resizer acts upon. */
function toggleFix(c: PresentClaim, wanted: string): Fix {
  const { current } = modificationOf(c);
  return steps(
    `Name ${current === '' ? 'no class' : `the current class "${current}"`} in the claim and then ` +
      `"${wanted}" again: the resizer acts on each change.`,
    [nameClassCommand(c, current === '' ? null : current), nameClassCommand(c, wanted)],
  );
}

/** A claim that names another class is processed immediately; a class that is created later is not noticed. */
function fixesFor(c: PresentClaim, name: string): Fix[] {
  const driver = driverOf(c);
  const others = otherClasses(c, driver).map(({ metadata }) => metadata.name);
  const near = nearClass(c, driver) ?? (driver !== undefined && others.length === 1 ? others[0] : undefined);
  return [
    ...(near === undefined
      ? []
      : [
          steps(`If "${near}" was meant, name it in the claim. The resizer applies it at once.`, [
            nameClassCommand(c, near),
          ]),
        ]),
    createFix(c, name, driver, near === undefined ? '' : 'otherwise '),
    takeBack(c, 'if the change is not wanted, '),
  ];
}

function createFix(c: PresentClaim, name: string, driver: string | undefined, when: string): Fix {
  const create = `${when === '' ? 'Create' : `${capitalise(when)}create`} VolumeAttributesClass "${name}"${parameterWords}`;
  const command = applyCommand(manifestOf(c, name, driver, undefined));
  if (driver === undefined)
    return steps(
      `${create}, then restart the resizer of the driver: it does not notice a class that appears later.`,
      [command],
      'disruptive',
    );
  const {
    commands,
    command: only,
    text,
    risk,
  } = restartResizer(
    c,
    driver,
    (what) => `${create}, then restart ${what}: the resizer does not notice a class that appears later.`,
  );
  return steps(text, [command, ...(commands ?? (only === undefined ? [] : [only]))], risk);
}

const parameterWords = ' with the parameters its driver documents (PLACEHOLDER_KEY, PLACEHOLDER_VALUE)';

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
