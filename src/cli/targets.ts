import { UserError } from '../core/kube/errors.ts';
import type { Kind } from '../core/kube/kinds.ts';
import { resourceNamed, resourceOf, shortNameOf, typedNameOf } from '../core/kube/resources.ts';
import { objectKinds, workloadKinds } from '../core/kube/selection.ts';
import type { TargetRef } from '../core/kube/selection.ts';
import { unknownName } from './near-names.ts';

/** What `why-pending` and `why` each judge; a bare name is of the first kind. */
export const judgedKinds = {
  pending: ['PersistentVolumeClaim', 'Pod'],
  everything: ['PersistentVolumeClaim', 'Pod', ...objectKinds, ...workloadKinds],
} as const satisfies Record<string, readonly [Kind, ...Kind[]]>;

/** The kinds that `trace` has a history for. */
export const tracedKinds = [
  'PersistentVolumeClaim',
  'Pod',
  'PersistentVolume',
  'VolumeAttachment',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
] as const satisfies readonly [Kind, ...Kind[]];

export interface TargetGrammar {
  /** The kinds that the command judges; a bare NAME is of the first. */
  readonly kinds: readonly [Kind, ...Kind[]];
  /** What to write instead of a type without a name; unless given, nothing, to see all that is stuck. */
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
      `"${first}" is a type without a name`,
      `Write ${short}/NAME, or ${grammar.ofType?.(first) ?? `remove "${first}" to see everything that is stuck`}`,
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
    throw new UserError(`"${word}" has no type, but other targets have one`, 'Write every target as TYPE/NAME');
  }
  const [type = '', name = ''] = parts;
  if (parts.length > 2 || type === '' || name === '')
    throw new UserError(`"${word}" is not TYPE/NAME`, `Write for example ${shortNameOf(grammar.kinds[0])}/data`);
  return named(await allowedKind(type, grammar), name);
}

/** The kind that a word names, if the command judges it. */
export async function allowedKind(type: string, grammar: TargetGrammar): Promise<Kind> {
  const kind = resourceNamed(type)?.kind;
  if (kind !== undefined && grammar.kinds.includes(kind)) return kind;
  // A CSINode has the name of its node, so an answer about it is the answer about the node.
  if (kind === 'CSINode' && grammar.kinds.includes('Node')) return 'Node';
  const allowed = `The types are ${grammar.kinds.map(typedNameOf).join(', ')}`;
  if (kind !== undefined) throw new UserError(`this command does not support ${shortNameOf(kind)}`, allowed);
  throw await unknownName('type', type, typeWords(grammar.kinds), allowed);
}

/** Every word that names one of these kinds. */
export function typeWords(kinds: readonly Kind[]): string[] {
  return kinds.flatMap((kind) => [...resourceOf(kind).aliases, resourceOf(kind).name]);
}

/**
 * The kind that `get` lists under a word: aliases may be plural (drivers, classes, capacities), and nodes are CSINodes.
 */
export function listedKind(word: string): Kind | undefined {
  const kind = [word, word.replace(/s$/i, ''), word.replace(/es$/i, ''), word.replace(/ies$/i, 'y')]
    .map((form) => resourceNamed(form)?.kind)
    .find((found) => found !== undefined);
  return kind === 'Node' ? 'CSINode' : kind;
}

/**
 * A name that the API server can have (DNS-1123 subdomain): no other object can exist, and the name becomes part of a
 * URL.
 */
export function named(kind: Kind, name: string): NamedTarget {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) || name.length > 253) {
    throw new UserError(
      `"${name}" is not a valid name for ${shortNameOf(kind)}`,
      'A name has only lower-case letters, digits, "-" and "."',
    );
  }
  return { kind, name };
}

function dropRepeated(targets: readonly NamedTarget[]): NamedTarget[] {
  return [...new Map(targets.map((target) => [`${target.kind}/${target.name}`, target])).values()];
}
