/**
 * Shapes describe the few fields that are read of each kind. Every value from a cluster or a dump is cut to its shape
 * first: a field of the wrong type is dropped, so that no rule ever sees a number where a list is expected.
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
/** A quantity or an int-or-string: YAML often lacks the quotes, so a number is read as its text. */
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

/** Cuts a value to its shape; undefined if it is of another type altogether. */
export function clip<S extends Shape>(value: unknown, shape: S): Infer<S> | undefined {
  return cutterOf(shape)(value) as Infer<S> | undefined;
}

type Cut = (value: unknown) => unknown;

/** A large dump has millions of fields, so each shape is compiled to a function once. */
const cutters = new WeakMap<object, Cut>();

function cutterOf(shape: Shape): Cut {
  if (typeof shape === 'string') return scalarCuts[shape];
  let cut = cutters.get(shape);
  if (!cut) {
    cut = compile(shape);
    cutters.set(shape, cut);
  }
  return cut;
}

function compile(shape: Exclude<Shape, Scalar>): Cut {
  if ('list' in shape) return listCut(cutterOf(shape.list));
  if ('map' in shape) return mapCut(cutterOf(shape.map));
  return recordCut(shape.fields);
}

const scalarCuts: Readonly<Record<Scalar, Cut>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  number: (value) => (Number.isFinite(value) ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  quantity: cutQuantity,
  any: (value) => value ?? undefined,
};

function cutQuantity(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function listCut(cutItem: Cut): Cut {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const result = value.map((item) => cutItem(item));
    return result.includes(undefined) ? result.filter((item) => item !== undefined) : result;
  };
}

/**
 * An empty prototype, so that nothing is inherited and a label may be called `constructor`. Objects from
 * Object.create(null) would do the same, but are several times slower to fill and to read.
 */
const nothing: object = Object.freeze(Object.create(null) as object);

/** Objects of one shape come from one constructor, so that they share their layout in memory (V8 hidden classes). */
function makerOf(): new () => Record<string, unknown> {
  function Made(): void {
    /* A function, because the prototype of a class cannot be replaced. */
  }
  Made.prototype = nothing;
  return Made as unknown as new () => Record<string, unknown>;
}

function mapCut(cutItem: Cut): Cut {
  const Made = makerOf();
  return (value) => {
    if (!isRecord(value)) return undefined;
    const result = new Made();
    for (const key in value) {
      const cut = cutItem(value[key]);
      if (cut !== undefined) result[key] = cut;
    }
    return result;
  };
}

function recordCut(fields: Fields): Cut {
  const cuts = Object.entries(fields).map(([name, shape]) => ({ name, cutField: cutterOf(shape) }));
  const Made = makerOf();
  return (value) => {
    if (!isRecord(value)) return undefined;
    const result = new Made();
    for (const { name, cutField } of cuts) {
      const raw = value[name];
      if (raw === undefined) continue;
      const cut = cutField(raw);
      if (cut !== undefined) result[name] = cut;
    }
    return result;
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
