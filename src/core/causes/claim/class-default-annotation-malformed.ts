import { fix, shellWord } from '../../facts/evidence.ts';
import { isDefaultClass } from '../../facts/class/storage-class.ts';
import { claimRule } from '../lib/rule.ts';
import { almostDefaults, needsDefaultClass } from './default-class.ts';

const mostShown = 5;

/** A class was meant to be the default, and Kubernetes does not read it as one. */
export const classDefaultAnnotationMalformed = claimRule({
  cause: 'class-default-annotation-malformed',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    if (!needsDefaultClass(c)) return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class').items;
    if (classes.some(isDefaultClass)) return undefined;
    const [first, ...others] = almostDefaults(classes).slice(0, mostShown);
    if (!first) return undefined;
    const { name } = first.storageClass.metadata;
    return {
      about: name,
      summary: `class ${name} was meant to be the default and is not: ${first.words}`,
      evidence: [first.evidence, ...others.map(({ evidence }) => evidence)],
      fix: [
        fix(
          `mark class ${name} as the default with the exact text true`,
          `kubectl annotate storageclass ${shellWord(name)} storageclass.kubernetes.io/is-default-class=true --overwrite`,
        ),
      ],
    };
  },
});
