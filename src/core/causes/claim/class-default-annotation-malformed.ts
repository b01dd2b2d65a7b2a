import type { Evidence } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { isDefaultClass } from '../../facts/class/storage-class.ts';

const keys = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Only the exact text "true" in an annotation counts (pkg/volume/util storageclass.go IsDefaultAnnotation). */
export const classDefaultAnnotationMalformed = claimRule({
  cause: 'class-default-annotation-malformed',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    if (c.class.source !== 'none' || c.isBound || c.isLost || c.volumeName !== '') return undefined;
    const classes = c.ask.list('StorageClass', undefined, 'whether there is a default class').items;
    if (classes.some(isDefaultClass)) return undefined;
    const meant = almostDefaults(classes);
    const [first] = meant;
    if (!first) return undefined;
    const { name } = first.storageClass.metadata;
    return {
      about: name,
      summary: `class ${name} was meant to be the default and is not: ${first.words}`,
      evidence: [first.evidence, ...meant.slice(1, 5).map(({ evidence }) => evidence)],
      fix: [
        fix(
          `mark class ${name} as the default with the exact text true`,
          `kubectl annotate storageclass ${shellWord(name)} storageclass.kubernetes.io/is-default-class=true --overwrite`,
        ),
      ],
    };
  },
});

interface AlmostDefault {
  readonly storageClass: StorageClass;
  readonly words: string;
  readonly evidence: Evidence;
}

/** Classes that someone tried to make the default: another spelling of true, or a label instead of an annotation. */
export function almostDefaults(classes: readonly StorageClass[]): AlmostDefault[] {
  return classes.flatMap((storageClass): AlmostDefault[] => {
    const { annotations = {}, labels = {} } = storageClass.metadata;
    for (const key of keys) {
      const value = annotations[key];
      if (value !== undefined && !isPlainNo(value))
        return [
          {
            storageClass,
            words: `its annotation ${key} says ${JSON.stringify(value)} instead of "true"`,
            evidence: field(storageClass, `metadata.annotations[${key}]`, value),
          },
        ];
    }
    for (const key of keys) {
      const value = labels[key];
      if (value !== undefined && !isPlainNo(value))
        return [
          {
            storageClass,
            words: `${key} is set as a label, and only an annotation counts`,
            evidence: field(storageClass, `metadata.labels[${key}]`, value),
          },
        ];
    }
    return [];
  });
}

function isPlainNo(value: string): boolean {
  return ['false', 'no', '0', 'off', ''].includes(value.trim().toLowerCase());
}
