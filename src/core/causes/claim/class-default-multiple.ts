import type { Evidence, Fix } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, isDefaultClass, noProvisioner } from '../../facts/class/storage-class.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { absentClaimRule, claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { boundByClass } from '../provision/other-class.ts';
import { refusalOf } from './refusal.ts';
import { retryCommands, retryText, unmadeClaimOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const cause = 'class-default-multiple';
const defaultKeys = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** From 1.26 on the latest default wins, then the first by name (pkg/volume/util storageclass.go GetDefaultClass). */
export const classDefaultMultiple = claimRule({
  cause,
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    if (!mayHaveWrongDefault(c)) return undefined;
    const defaults = c.ask.list('StorageClass', undefined, 'which class is the default').items.filter(isDefaultClass);
    const [first, ...others] = defaults;
    const winner = defaultClassOf(defaults);
    if (!first || others.length === 0 || !winner) return undefined;
    return {
      about: cause,
      summary:
        `${defaults.length} StorageClasses are marked as the default (${namesOf(defaults)}). ` +
        `A claim without a class gets the most recently created, "${winner.metadata.name}".`,
      evidence: [defaultEvidence(first), ...others.map(defaultEvidence)],
      fix: [leaveOne(c.ask, defaults, winner)],
    };
  },
});

/** The claim has a default class, or may still get one; once it is bound, the choice no longer matters. */
function mayHaveWrongDefault(c: PresentClaim): boolean {
  if (c.isBound || c.isLost || c.class.source === 'annotation') return false;
  if (c.class.source === 'none') return true;
  return c.storageClassObject !== undefined && isDefaultClass(c.storageClassObject);
}

/** Up to 1.25 every claim without a class is refused instead (DefaultStorageClass admission). */
export const classDefaultMultipleRefused = absentClaimRule({
  cause,
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    const unmade = unmadeClaimOf(c);
    const refusal = unmade && refusalOf(c, unmade);
    if (!unmade || refusal?.kind !== 'defaultClasses') return undefined;
    const why = 'which classes are the default';
    const defaults = c.ask.list('StorageClass', undefined, why).items.filter(isDefaultClass);
    const winner = defaultClassOf(defaults);
    return {
      severity: 'blocking',
      confidence: refusal.confidence,
      about: cause,
      summary:
        `${claimText(c)}, which ${unmade.label} needs, was never created: ` +
        'it names no StorageClass, and this version of Kubernetes refuses such claims while several classes are ' +
        `the default${defaults.length > 0 ? ` (${namesOf(defaults)})` : ''}.` +
        defaults.map(halfUnmarkedText).join(''),
      evidence: [
        refusal.evidence,
        // The ages of the classes do not show since when the claim is refused.
        ...defaults.map((storageClass) => field(storageClass, ...markOf(storageClass))),
        ...defaults.flatMap((storageClass) => {
          const opposite = oppositeMark(storageClass);
          return opposite ? [field(storageClass, ...opposite)] : [];
        }),
      ],
      fix: winner ? [leaveOne(c.ask, defaults, winner, unmade)] : [],
    };
  },
});

function defaultEvidence(storageClass: StorageClass): Evidence {
  return field(storageClass, ...markOf(storageClass), storageClass.metadata.creationTimestamp);
}

/** The annotation that makes the class a default: its path and its value. */
function markOf({ metadata: { annotations = {} } }: StorageClass): [string, string] {
  const name = defaultKeys.find((key) => annotations[key] === 'true') ?? '';
  return [`metadata.annotations[${name}]`, 'true'];
}

/** The other of the two annotations, where it says the opposite: somebody meant to unmark the class. */
function oppositeMark({ metadata: { annotations = {} } }: StorageClass): [string, string] | undefined {
  const name = defaultKeys.find((key) => annotations[key] === 'false');
  return name === undefined ? undefined : [`metadata.annotations[${name}]`, 'false'];
}

/** Either annotation is enough (pkg/volume/util storageclass.go IsDefaultAnnotation). */
function halfUnmarkedText(storageClass: StorageClass): string {
  const opposite = oppositeMark(storageClass);
  return opposite
    ? ` "${storageClass.metadata.name}" was unmarked in one of its two annotations only, and the other one counts.`
    : '';
}

/**
 * The class that most volumes have is kept; where none has any, the one that claims get now. One that was half unmarked
 * was not meant to stay.
 */
function leaveOne(ask: Inquiry, defaults: readonly StorageClass[], winner: StorageClass, unmade?: UnmadeClaim): Fix {
  const bound = boundByClass(ask);
  const count = ({ metadata }: StorageClass): number => bound.get(metadata.name) ?? 0;
  const meant = defaults.filter((storageClass) => !oppositeMark(storageClass));
  const [first = winner] = meant.includes(winner) ? [winner] : meant;
  const kept = meant.reduce((best, each) => (count(each) > count(best) ? each : best), first);
  const others = defaults
    .filter(({ metadata }) => metadata.name !== kept.metadata.name)
    .map(({ metadata }) => shellWord(metadata.name));
  const uses = count(kept) > 0 ? ' (in use)' : '';
  const isStatic =
    kept.provisioner === noProvisioner
      ? ` It provisions nothing: a claim that gets it needs a prepared volume of this class, so keep ${nameAll(others.map((name) => `"${name}"`))} instead if new volumes are wanted.`
      : '';
  return steps(
    `Keep one default class, for example "${kept.metadata.name}"${uses}, and unmark the others. ` +
      `Claims that have a class keep it.${isStatic}${unmade ? retryText(unmade) : ''}`,
    [
      `kubectl annotate storageclass ${others.join(' ')} storageclass.kubernetes.io/is-default-class=false ` +
        'storageclass.beta.kubernetes.io/is-default-class- --overwrite',
      ...(unmade ? retryCommands(unmade, ask.now) : []),
    ],
  );
}

function namesOf(classes: readonly StorageClass[]): string {
  return classes.map(({ metadata }) => metadata.name).join(', ');
}
