import { UserError } from './errors.ts';

/** A path into an object: names of fields, indexes of list items, or every item. */
export type FieldPath = readonly (string | number | typeof everyItem)[];
const everyItem = Symbol('every item');

const step = /\.?(?:\[\*\]|\[(-?\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|((?:\\.|[^.[\]\\{}])+))/y;

/**
 * The paths that `kubectl -o custom-columns` and `--sort-by` take: `.spec.claimRef.name`, `{.items[0]}`, `a\.b`,
 * `['a.b']`, `[*]`.
 */
export function parseFieldPath(text: string): FieldPath {
  const inner = /^\{(.*)\}$/.exec(text)?.[1] ?? text;
  const path: (string | number | typeof everyItem)[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < inner.length) {
    const match = step.exec(inner);
    if (match === null)
      throw new UserError(
        `cannot read the path "${text}"`,
        'write it as .spec.storageClassName, .pods[0].name or .labels.app\\.kubernetes\\.io/name',
      );
    const [whole, index, single, double, name] = match;
    if (name !== undefined) path.push(name.replaceAll(/\\(.)/g, '$1'));
    else if (index !== undefined) path.push(Number(index));
    else path.push(whole.endsWith('[*]') ? everyItem : (single ?? double ?? ''));
  }
  if (path.length === 0)
    throw new UserError(`"${text}" is not a path to a field`, 'write it as .name or .spec.storageClassName');
  return path;
}

/** All values at the path, which may be none. */
export function valuesAt(value: unknown, path: FieldPath): unknown[] {
  return path
    .reduce<unknown[]>((values, one) => values.flatMap((from) => follow(from, one)), [value])
    .filter((found) => found !== undefined && found !== null);
}

function follow(value: unknown, one: FieldPath[number]): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (one === everyItem) return Object.values(value);
  if (typeof one === 'number') return Array.isArray(value) ? [value.at(one)] : [];
  return Object.hasOwn(value, one) ? [Reflect.get(value, one)] : [];
}

/** A value as a table cell shows it. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOfValue).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** `--field-selector`: each field must have the value, or must not have it. */
export type FieldSelector = readonly { readonly path: FieldPath; readonly value: string; readonly isWanted: boolean }[];

export function parseFieldSelector(text: string): FieldSelector {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(!=|==?)([^=]*)$/.exec(part.trim());
      if (match === null)
        throw new UserError(
          `cannot read the field selector "${text}"`,
          'write it as for kubectl, for example --field-selector status.phase!=Bound',
        );
      const [, field = '', operator, value = ''] = match;
      return { path: parseFieldPath(field.trim()), value: value.trim(), isWanted: operator !== '!=' };
    });
}

/** A field that is not set counts as empty, as on the server. */
export function matchesFields(object: unknown, selector: FieldSelector): boolean {
  return selector.every(
    ({ path, value, isWanted }) => (valuesAt(object, path).map(textOfValue).join(',') === value) === isWanted,
  );
}
