import { UserError } from '../core/kube/errors.ts';
import type { Kind } from '../core/kube/kinds.ts';
import { resourceNamed, resourceOf, shortNameOf, typedNameOf } from '../core/kube/resources.ts';
import type { TargetRef } from '../core/kube/selection.ts';
import { unknownName } from './near-names.ts';

export interface TargetGrammar {
  /** The kinds that the command judges; a bare NAME is of the first. */
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What one who wrote a type and no name may have meant; to see all that is stuck unless told. */
  readonly ofType?: (type: string) => string;
}

export interface NamedTarget {
  readonly kind: Kind;
  readonly name: string;
}

/** `TYPE/NAME …`, `TYPE NAME …` or `NAME …`, as kubectl takes them. */
export async function parseTargets(words: readonly string[], grammar: TargetGrammar): Promise<NamedTarget[]> {
  const [first, ...others] = words;
  if (first === undefined) return [];
  if (words.some((word) => word.includes('/')))
    return dropRepeated(await Promise.all(words.map((word) => parseSlashed(word, grammar))));
  const resource = resourceNamed(first);
  if (resource === undefined) return dropRepeated(words.map((name) => named(grammar.kinds[0], name)));
  const kind = await allowedKind(first, grammar);
  if (others.length === 0) {
    const short = shortNameOf(kind);
    throw new UserError(
      `"${first}" is a type, and no name follows it`,
      `write ${short}/NAME, or ${grammar.ofType?.(first) ?? `leave "${first}" out to see all that is stuck`}`,
    );
  }
  return dropRepeated(others.map((name) => named(kind, name)));
}

export function inNamespace(targets: readonly NamedTarget[], namespace: string): TargetRef[] {
  return targets.map((target) => (resourceOf(target.kind).namespaced ? { ...target, namespace } : target));
}

async function parseSlashed(word: string, grammar: TargetGrammar): Promise<NamedTarget> {
  const parts = word.split('/');
  if (parts.length === 1) {
    throw new UserError(`"${word}" has no type, but other targets have one`, 'write every target as TYPE/NAME');
  }
  const [type = '', name = ''] = parts;
  if (parts.length > 2 || type === '' || name === '')
    throw new UserError(
      `"${word}" is not of the form TYPE/NAME`,
      `write for example ${shortNameOf(grammar.kinds[0])}/data`,
    );
  return named(await allowedKind(type, grammar), name);
}

/** The kind that a word names, if the command judges it. */
export async function allowedKind(type: string, grammar: TargetGrammar): Promise<Kind> {
  const kind = resourceNamed(type)?.kind;
  if (kind !== undefined && grammar.kinds.includes(kind)) return kind;
  const allowed = `the types are ${grammar.kinds.map(typedNameOf).join(', ')}`;
  if (kind !== undefined) throw new UserError(`this command does not judge a ${shortNameOf(kind)}`, allowed);
  const known = grammar.kinds.flatMap((allowedKind) => [
    ...resourceOf(allowedKind).aliases,
    resourceOf(allowedKind).name,
  ]);
  throw await unknownName('type', type, known, allowed);
}

export function named(kind: Kind, name: string): NamedTarget {
  // The API server's own rule for these names (DNS-1123 subdomain); anything else cannot exist, and would reach a URL.
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) || name.length > 253) {
    throw new UserError(
      `"${name}" cannot be the name of a ${shortNameOf(kind)}`,
      'names have small letters, digits, "-" and "." only',
    );
  }
  return { kind, name };
}

function dropRepeated(targets: readonly NamedTarget[]): NamedTarget[] {
  return [...new Map(targets.map((target) => [`${target.kind}/${target.name}`, target])).values()];
}
