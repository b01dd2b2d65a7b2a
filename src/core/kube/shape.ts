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
  return cutterOf(shape)(value) as Infer<S> | undefined;
}

type Cut = (value: unknown) => unknown;

/** A large dump has millions of fields: each shape is turned into its cut once. */
const cutters = new WeakMap<object, Cut>();

function cutterOf(shape: Shape): Cut {
  if (typeof shape === 'string') return scalarCuts[shape];
  let cut = cutters.get(shape);
  if (!cut) {
    cut =
      'list' in shape
        ? listCut(cutterOf(shape.list))
        : 'map' in shape
          ? mapCut(cutterOf(shape.map))
          : recordCut(shape.fields);
    cutters.set(shape, cut);
  }
  return cut;
}

const scalarCuts: Readonly<Record<Scalar, Cut>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  number: (value) => (Number.isFinite(value) ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  quantity: (value) => (typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined),
  any: (value) => value ?? undefined,
};

function listCut(cutItem: Cut): Cut {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const result = value.map((item) => cutItem(item));
    return result.includes(undefined) ? result.filter((item) => item !== undefined) : result;
  };
}

/** Nothing is inherited: `constructor` is a label like any other. Object.create(null) would be the same, and several times slower to fill and to read. */
const nothing: object = Object.freeze(Object.create(null) as object);

/** Objects of one shape share their layout when one constructor makes them. */
function makerOf(): new () => Record<string, unknown> {
  function Made(): void {
    /* A class could not be given another prototype. */
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
  const names = Object.keys(fields);
  const cuts = names.map((name) => cutterOf(fields[name] as Shape));
  const Made = makerOf();
  return (value) => {
    if (!isRecord(value)) return undefined;
    const result = new Made();
    for (let place = 0; place < names.length; place += 1) {
      const name = names[place] as string;
      const raw = value[name];
      if (raw === undefined) continue;
      const cut = (cuts[place] as Cut)(raw);
      if (cut !== undefined) result[name] = cut;
    }
    return result;
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
