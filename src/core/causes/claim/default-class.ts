import type { Evidence } from '../../report/report.ts';
import type { StorageClass } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { defaultAnnotationOf, defaultClassOf } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';

/** The claim names neither a class nor a volume, and was never bound: only a default class can get it a new volume. */
export function needsDefaultClass(c: PresentClaim): boolean {
  return c.class.source === 'none' && !c.isBound && !c.isLost && c.volumeName === '';
}

/** The default class that the claim should have and has not. */
export function unfilledDefault(c: PresentClaim): StorageClass | undefined {
  if (!needsDefaultClass(c)) return undefined;
  return defaultClassOf(c.ask.list('StorageClass', undefined, 'whether there is a default class').items);
}

export function defaultEvidence(storageClass: StorageClass, at?: string): Evidence {
  return field(storageClass, `metadata.annotations[${defaultAnnotationOf(storageClass) ?? ''}]`, 'default class', at);
}

/** A class that was intended as the default and is not. */
interface AlmostDefault {
  readonly storageClass: StorageClass;
  /** Why it is not the default. */
  readonly words: string;
  readonly evidence: Evidence;
}

export const defaultAnnotation = 'storageclass.kubernetes.io/is-default-class';
const defaultKeys = [defaultAnnotation, 'storageclass.beta.kubernetes.io/is-default-class'];

/** Only an annotation with the exact text "true" counts (pkg/volume/util storageclass.go IsDefaultAnnotation). */
export function almostDefaults(classes: readonly StorageClass[]): AlmostDefault[] {
  return classes
    .map((storageClass) => misspeltAnnotation(storageClass) ?? labelInsteadOfAnnotation(storageClass))
    .filter((almost) => almost !== undefined);
}

function misspeltAnnotation(storageClass: StorageClass): AlmostDefault | undefined {
  const [key, value] = meantDefault(storageClass.metadata.annotations) ?? [];
  if (key === undefined || value === undefined) return undefined;
  return {
    storageClass,
    words: `its annotation ${key} is ${JSON.stringify(value)}, and only "true" counts`,
    evidence: field(storageClass, `metadata.annotations[${key}]`, value),
  };
}

function labelInsteadOfAnnotation(storageClass: StorageClass): AlmostDefault | undefined {
  const [key, value] = meantDefault(storageClass.metadata.labels) ?? [];
  if (key === undefined || value === undefined) return undefined;
  return {
    storageClass,
    words: `${key} is set as a label, and only an annotation counts`,
    evidence: field(storageClass, `metadata.labels[${key}]`, value),
  };
}

/** The first of the two keys that is set to anything but a plain no. */
function meantDefault(values: Readonly<Record<string, string>> = {}): readonly [string, string] | undefined {
  for (const key of defaultKeys) {
    const value = values[key];
    if (value !== undefined && !isPlainNo(value)) return [key, value];
  }
  return undefined;
}

function isPlainNo(value: string): boolean {
  return ['false', 'no', '0', 'off', ''].includes(value.trim().toLowerCase());
}
