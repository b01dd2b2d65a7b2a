/** One cause that words can have, and what distinguishes it from the others that share the words. */
export interface Reading {
  readonly cause: string;
  /** Completes "it is this one if …", where the words alone do not decide. */
  readonly when?: string;
}

/** Words of Kubernetes, a sidecar or a driver, and what they can mean, best first. */
export interface Wording {
  readonly pattern: RegExp;
  readonly readings: readonly Reading[];
  /** The words follow from another fault, so anything else in the text says more. */
  readonly isSymptom?: true;
  /** The words count only where the text names no step of a volume: with one they are part of a driver's answer. */
  readonly isAlone?: true;
}

/** Words that only one cause has. */
export function only(cause: string, ...patterns: readonly RegExp[]): Wording[] {
  return patterns.map((pattern) => ({ pattern, readings: [{ cause }] }));
}

/** Words that several causes share: each cause with what decides for it. */
export function shared(pattern: RegExp, readings: Readonly<Record<string, string>>): Wording {
  return { pattern, readings: Object.entries(readings).map(([cause, when]) => ({ cause, when })) };
}

/** Words of a program, a kernel or a mount helper, without the operation. */
export function alone(pattern: RegExp, readings: Readonly<Record<string, string>>): Wording {
  return { ...shared(pattern, readings), isAlone: true };
}

/** Words that only say that something else is wrong. */
export function symptom(pattern: RegExp, readings: Readonly<Record<string, string>>): Wording {
  return { ...shared(pattern, readings), isSymptom: true };
}
