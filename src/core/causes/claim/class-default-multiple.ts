import type { Evidence, Fix } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultClassOf, isDefaultClass } from '../../facts/class/storage-class.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { absentClaimRule, claimRule } from '../lib/rule.ts';
import { refusalOf } from './refusal.ts';
import { unmadeClaimOf } from './unmade-claim.ts';

const cause = 'class-default-multiple';

/** From 1.26 on the newest default wins, then the first by name (pkg/volume/util storageclass.go GetDefaultClass). */
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
      summary: `${defaults.length} classes are the default (${namesOf(defaults)}): a claim without a class gets the newest, ${winner.metadata.name}`,
      evidence: [defaultEvidence(first), ...others.map(defaultEvidence)],
      fix: [leaveOne(defaults, winner)],
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
      summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: it names no class, and there are several default classes${defaults.length > 0 ? ` (${namesOf(defaults)})` : ''}`,
      evidence: [refusal.evidence, ...defaults.map(defaultEvidence)],
      fix: winner ? [leaveOne(defaults, winner)] : [],
    };
  },
});

function defaultEvidence(storageClass: StorageClass): Evidence {
  const { annotations = {}, creationTimestamp } = storageClass.metadata;
  const name =
    Object.keys(annotations).find((key) => key.endsWith('/is-default-class') && annotations[key] === 'true') ?? '';
  return field(storageClass, `metadata.annotations[${name}]`, 'true', creationTimestamp);
}

function leaveOne(defaults: readonly StorageClass[], winner: StorageClass): Fix {
  const others = defaults
    .filter(({ metadata }) => metadata.name !== winner.metadata.name)
    .map(({ metadata }) => shellWord(metadata.name));
  return fix(
    'leave one default class',
    `kubectl annotate storageclass ${others.join(' ')} storageclass.kubernetes.io/is-default-class=false storageclass.beta.kubernetes.io/is-default-class- --overwrite`,
  );
}

function namesOf(classes: readonly StorageClass[]): string {
  return classes.map(({ metadata }) => metadata.name).join(', ');
}
