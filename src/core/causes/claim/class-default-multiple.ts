import { field, fix, shellWord } from '../../facts/evidence.ts';
import { absentClaimRule, claimRule } from '../lib/rule.ts';
import type { Fix } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import { defaultClassOf, isDefaultClass } from '../../facts/class/storage-class.ts';
import { refusalOf, unmadeClaimOf } from './refusal.ts';

const cause = 'class-default-multiple';

/** From 1.26 on the newest default wins, then the first by name (pkg/volume/util storageclass.go GetDefaultClass). */
export const classDefaultMultiple = claimRule({
  cause,
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    // Only a claim that has, or may get, a default class can have got the wrong one; a bound one has made its peace.
    if (
      c.isBound ||
      c.isLost ||
      c.class.source === 'annotation' ||
      (c.class.source === 'spec' && !(c.storageClassObject && isDefaultClass(c.storageClassObject)))
    )
      return undefined;
    const defaults = c.ask.list('StorageClass', undefined, 'which class is the default').items.filter(isDefaultClass);
    const [first, ...others] = defaults;
    const winner = defaultClassOf(defaults);
    if (!first || others.length === 0 || !winner) return undefined;
    return {
      about: cause,
      summary: `${defaults.length} classes are the default (${namesOf(defaults)}): a claim without a class gets the newest, ${winner.metadata.name}`,
      evidence: [evidenceOf(first), ...others.map(evidenceOf)],
      fix: [leaveOne(defaults, winner)],
    };
  },
});

/** Up to 1.25 every claim without a class is refused instead (DefaultStorageClass admission). */
export const classDefaultMultipleRefused = absentClaimRule({
  cause,
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    const unmade = unmadeClaimOf(c);
    const refusal = unmade && refusalOf(c, unmade);
    if (!unmade || refusal?.kind !== 'defaultClasses') return undefined;
    const defaults = c.ask
      .list('StorageClass', undefined, 'which classes are the default')
      .items.filter(isDefaultClass);
    const winner = defaultClassOf(defaults);
    return {
      severity: 'blocking',
      confidence: refusal.confidence,
      about: cause,
      summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: it names no class, and there are several default classes${defaults.length > 0 ? ` (${namesOf(defaults)})` : ''}`,
      evidence: [refusal.evidence, ...defaults.map(evidenceOf)],
      fix: winner ? [leaveOne(defaults, winner)] : [],
    };
  },
});

function evidenceOf(storageClass: StorageClass) {
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
