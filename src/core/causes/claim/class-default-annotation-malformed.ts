import { isDefaultClass } from '../../facts/class/storage-class.ts';
import { claimRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { almostDefaults, defaultAnnotation, needsDefaultClass } from './default-class.ts';

const mostShown = 5;

/** A class was intended as the default, and Kubernetes does not read it as one. */
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
      summary: `StorageClass "${name}" was probably meant to be the default class and is not: ${first.words}.`,
      evidence: [first.evidence, ...others.map(({ evidence }) => evidence)],
      fix: [
        steps(
          `Make StorageClass "${name}" the default with the exact annotation. Claims without a class then get it automatically.`,
          [kubectl('annotate', first.storageClass, `${defaultAnnotation}=true --overwrite`)],
        ),
      ],
    };
  },
});
