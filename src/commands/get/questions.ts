import { UserError } from '../../core/kube/errors.ts';
import { resourceOf } from '../../core/kube/resources.ts';
import { isRowKind, rowKinds } from '../../core/report/rows.ts';
import type { RowKind } from '../../core/report/rows.ts';
import { unknownName } from '../../cli/near-names.ts';
import { listedKind, named, typeWords } from '../../cli/targets.ts';

export interface NamedKind {
  readonly kind: RowKind;
  readonly names: readonly string[];
}

const types = `The types are ${Object.values(rowKinds)
  .map(({ type }) => type)
  .join(', ')}`;

/**
 * `TYPE[,TYPE…] [NAME…]` or `TYPE/NAME…`, as kubectl takes them; each kind once, in the order in which it was named.
 */
export async function parseQuestions(words: readonly string[]): Promise<NamedKind[]> {
  const [first, ...others] = words;
  if (first === undefined) throw new UserError('the type of objects to list is missing', types);
  if (words.some((word) => word.includes('/'))) return groupByKind(await Promise.all(words.map(parseSlashed)));
  const typed = first.split(',').filter((word) => word !== '');
  const kinds = await Promise.all(typed.map(kindNamed));
  if (kinds.length === 0) throw new UserError('the type of objects to list is missing', types);
  if (kinds.length > 1 && others.length > 0)
    throw new UserError('names cannot be combined with several types', 'Write them as TYPE/NAME');
  return groupByKind(
    kinds.flatMap((kind) =>
      others.length === 0 ? [{ kind, names: [] }] : others.map((name) => ({ kind, names: [named(kind, name).name] })),
    ),
  );
}

interface Place {
  readonly everywhere: boolean;
  readonly namespace: string | undefined;
  /** The namespace that is used unless one is named. */
  readonly usual: string | undefined;
}

/** A driver publishes its free space in a namespace of its own, so all namespaces are searched unless one is named. */
export function placeOf(
  { kind }: NamedKind,
  { everywhere, namespace: named, usual }: Place,
): { readonly namespace?: string } {
  const namespace = everywhere ? undefined : named || (kind === 'CSIStorageCapacity' ? undefined : usual);
  return resourceOf(kind).namespaced && namespace !== undefined ? { namespace } : {};
}

async function parseSlashed(word: string): Promise<NamedKind> {
  const [type = '', name = '', ...more] = word.split('/');
  if (type === '' || name === '' || more.length > 0)
    throw new UserError(
      `"${word}" is not TYPE/NAME`,
      word.includes('/') ? 'Write for example pvc/data' : 'If one target is TYPE/NAME, write all of them so',
    );
  const kind = await kindNamed(type);
  return { kind, names: [named(kind, name).name] };
}

async function kindNamed(word: string): Promise<RowKind> {
  const kind = listedKind(word);
  if (kind !== undefined && isRowKind(kind)) return kind;
  if (kind !== undefined) throw new UserError(`kubectl csi get does not support ${resourceOf(kind).name}`, types);
  throw await unknownName('type', word, typeWords(Object.keys(rowKinds) as RowKind[]), types);
}

function groupByKind(parts: readonly NamedKind[]): NamedKind[] {
  return [...Map.groupBy(parts, ({ kind }) => kind)].map(([kind, group]) => ({
    kind,
    names: [...new Set(group.flatMap(({ names }) => names))],
  }));
}
