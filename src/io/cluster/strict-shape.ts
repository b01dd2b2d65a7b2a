import type { Infer, Shape } from '../../core/kube/shape.ts';

/** A value of another type than its field has. */
export class WrongType extends Error {
  override readonly name = 'WrongType';
}

/**
 * Reads a value by its shape as Go decodes JSON: null is absent, unknown fields are ignored, and a value of the wrong
 * type is an error.
 */
export function readStrictly<S extends Shape>(value: unknown, shape: S, path = ''): Infer<S> | undefined {
  return read(value, shape, path) as Infer<S> | undefined;
}

function read(value: unknown, shape: Shape, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (shape === 'any') return value;
  if (typeof shape === 'string') {
    // oxlint-disable-next-line valid-typeof
    if (typeof value !== shape) throw wrong(path, shape, value);
    return value;
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) throw wrong(path, 'list', value);
    return value.map((item, at) => read(item, shape.list, `${path}[${at}]`) ?? emptyOf(shape.list));
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong(path, 'mapping', value);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const field = 'map' in shape ? shape.map : ownField(shape.fields, key);
    const inner = field === undefined ? undefined : read(item, field, path === '' ? key : `${path}.${key}`);
    return inner === undefined ? [] : [[key, inner] as const];
  });
  return Object.fromEntries(entries);
}

function ownField(fields: Readonly<Record<string, Shape>>, key: string): Shape | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** What Go puts in the place of a null in a list. */
function emptyOf(shape: Shape): unknown {
  if (typeof shape === 'string') return shape === 'boolean' ? false : '';
  return 'list' in shape ? [] : {};
}

function wrong(path: string, expected: string, value: unknown): WrongType {
  return new WrongType(`${path === '' ? 'the document' : path}: expected ${expected}, found ${typeName(value)}`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'mapping' : typeof value;
}
