import type { Evidence, Fix } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, isDefaultClass } from '../../facts/class/storage-class.ts';
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
        `the default${defaults.length > 0 ? ` (${namesOf(defaults)})` : ''}.`,
      evidence: [refusal.evidence, ...defaults.map(defaultEvidence)],
      fix: winner ? [leaveOne(c.ask, defaults, winner, unmade)] : [],
    };
  },
});

function defaultEvidence(storageClass: StorageClass): Evidence {
  const { annotations = {}, creationTimestamp } = storageClass.metadata;
  const name =
    Object.keys(annotations).find((key) => key.endsWith('/is-default-class') && annotations[key] === 'true') ?? '';
  return field(storageClass, `metadata.annotations[${name}]`, 'true', creationTimestamp);
}

/** The class that most volumes have is kept; where none has any, the one that claims get now. */
function leaveOne(ask: Inquiry, defaults: readonly StorageClass[], winner: StorageClass, unmade?: UnmadeClaim): Fix {
  const bound = boundByClass(ask);
  const count = ({ metadata }: StorageClass): number => bound.get(metadata.name) ?? 0;
  const kept = defaults.reduce((best, each) => (count(each) > count(best) ? each : best), winner);
  const others = defaults
    .filter(({ metadata }) => metadata.name !== kept.metadata.name)
    .map(({ metadata }) => shellWord(metadata.name));
  const uses = count(kept) > 0 ? ' (in use)' : '';
  return steps(
    `Keep one default class, for example "${kept.metadata.name}"${uses}, and unmark the others. ` +
      `Claims that have a class keep it.${unmade ? retryText(unmade) : ''}`,
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
