/**
 * Shapes describe the few fields we read of each kind. A value from a cluster or a dump is cut to its shape before
 * anything looks at it: a field of the wrong type is dropped, so that no rule ever meets a number where a list belongs.
 * The TypeScript types of the kinds are inferred from the same shapes, so the two cannot drift apart.
 */
export type Shape = Scalar | ListShape<Shape> | MapShape<Shape> | RecordShape<Fields>;
type Scalar = 'string' | 'number' | 'boolean' | 'quantity' | 'any';
interface ListShape<S> {
  readonly list: S;
}
interface MapShape<S> {
  readonly map: S;
}
interface RecordShape<F> {
  readonly fields: F;
}
interface Fields {
  readonly [field: string]: Shape;
}

export const string = 'string' as const;
export const number = 'number' as const;
export const boolean = 'boolean' as const;
/** A quantity or an int-or-string: YAML writers leave the quotes out, so a number is taken as its text. */
export const quantity = 'quantity' as const;
export const anything = 'any' as const;
export const list = <S extends Shape>(of: S): ListShape<S> => ({ list: of });
export const map = <S extends Shape>(of: S): MapShape<S> => ({ map: of });
export const record = <F extends Fields>(fields: F): RecordShape<F> => ({ fields });

export type Infer<S> = S extends 'string' | 'quantity'
  ? string
  : S extends 'number'
    ? number
    : S extends 'boolean'
      ? boolean
      : S extends 'any'
        ? unknown
        : S extends ListShape<infer T>
          ? readonly Infer<T>[]
          : S extends MapShape<infer T>
            ? { readonly [key: string]: Infer<T> }
            : S extends RecordShape<infer F>
              ? { readonly [K in keyof F]?: Infer<F[K]> }
              : never;

/** Cuts a value to its shape; undefined if it has another type altogether. */
export function clip<S extends Shape>(value: unknown, shape: S): Infer<S> | undefined {
  return clipValue(value, shape) as Infer<S> | undefined;
}

function clipValue(value: unknown, shape: Shape): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof shape === 'string') return clipScalar(value, shape);
  if ('list' in shape) {
    if (!Array.isArray(value)) return undefined;
    return value.map((item) => clipValue(item, shape.list)).filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  if ('map' in shape) {
    for (const [key, item] of Object.entries(value)) {
      const clipped = clipValue(item, shape.map);
      if (clipped !== undefined) result[key] = clipped;
    }
    return result;
  }
  for (const field in shape.fields) {
    const clipped = clipValue((value as Record<string, unknown>)[field], shape.fields[field] as Shape);
    if (clipped !== undefined) result[field] = clipped;
  }
  return result;
}

function clipScalar(value: unknown, scalar: Scalar): unknown {
  if (scalar === 'any') return value;
  if (scalar === 'quantity') return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
  if (scalar === 'number' && typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return typeof value === scalar ? value : undefined;
}
