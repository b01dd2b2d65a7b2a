/**
 * Reads Protocol Buffers messages by small tables of fields, and strictly: truncated bytes, a wrong wire type and
 * invalid UTF-8 are errors, because the callers of drivers, written in Go, refuse them too.
 */
export type FieldType = 'string' | 'bool' | 'int32' | 'int64' | 'enum' | 'textMap' | MessageTable;

export interface FieldTable<T extends FieldType = FieldType, R extends boolean = boolean> {
  readonly number: number;
  readonly type: T;
  readonly repeated: R;
}

export interface MessageTable<F extends Fields = Fields> {
  /** The full name in proto/, by which a test compares the table. */
  readonly name: string;
  readonly fields: F;
}
interface Fields {
  readonly [field: string]: FieldTable;
}

type Value<T> = T extends 'string'
  ? string
  : T extends 'bool'
    ? boolean
    : T extends 'int32' | 'enum'
      ? number
      : T extends 'int64'
        ? bigint
        : T extends 'textMap'
          ? ReadonlyMap<string, string>
          : T extends MessageTable
            ? Decoded<T>
            : never;
type FieldValue<F> =
  F extends FieldTable<infer T, infer R>
    ? R extends true
      ? readonly Value<T>[]
      : T extends MessageTable
        ? Value<T> | undefined
        : Value<T>
    : never;
export type Decoded<M extends MessageTable> = { readonly [K in keyof M['fields']]: FieldValue<M['fields'][K]> };

export const message = <const F extends Fields>(name: string, fields: F): MessageTable<F> => ({ name, fields });
export const field = <const T extends FieldType>(number: number, type: T): FieldTable<T, false> => ({
  number,
  type,
  repeated: false,
});
export const repeated = <const T extends FieldType>(number: number, type: T): FieldTable<T, true> => ({
  number,
  type,
  repeated: true,
});

/** The bytes are not a valid message. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly problem: 'malformed' | 'utf8';
  constructor(problem: 'malformed' | 'utf8', what: string) {
    super(what);
    this.problem = problem;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decode<M extends MessageTable>(bytes: Uint8Array, table: M): Decoded<M> {
  return decodeFields(bytes, table) as Decoded<M>;
}

function decodeFields(bytes: Uint8Array, table: MessageTable): Record<string, unknown> {
  const byNumber = new Map(Object.entries(table.fields).map(([name, field]) => [field.number, { name, field }]));
  const result: Record<string, unknown> = Object.fromEntries(
    Object.entries(table.fields).map(([name, field]) => [name, emptyValue(field)]),
  );
  const reader = new Reader(bytes, table.name);
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    const known = byNumber.get(number);
    if (known === undefined) {
      reader.skip(wireType);
      continue;
    }
    const { name, field } = known;
    if (wireType !== wireTypeOf(field.type))
      throw new WireError('malformed', `field ${number} of ${table.name} has wire type ${wireType}`);
    if (field.type === 'textMap') readEntry(reader, `${table.name}.${name}`, result[name] as Map<string, string>);
    else if (field.repeated) (result[name] as unknown[]).push(readValue(reader, field.type));
    else result[name] = readValue(reader, field.type);
  }
  return result;
}

function emptyValue({ type, repeated }: FieldTable): unknown {
  if (repeated) return [];
  if (type === 'string') return '';
  if (type === 'bool') return false;
  if (type === 'int64') return 0n;
  if (type === 'textMap') return new Map();
  return typeof type === 'string' ? 0 : undefined;
}

const wireTypeOf = (type: FieldType): number =>
  type === 'bool' || type === 'int32' || type === 'int64' || type === 'enum' ? 0 : 2;

function readValue(reader: Reader, type: Exclude<FieldType, 'textMap'>): unknown {
  if (type === 'string') return reader.text();
  if (type === 'bool') return reader.varint() !== 0n;
  if (type === 'int64') return BigInt.asIntN(64, reader.varint());
  if (type === 'int32' || type === 'enum') return Number(BigInt.asIntN(32, reader.varint()));
  return decodeFields(reader.chunk(), type);
}

const entryTable = (name: string): MessageTable =>
  message(name, { key: field(1, 'string'), value: field(2, 'string') });

function readEntry(reader: Reader, name: string, into: Map<string, string>): void {
  const { key, value } = decodeFields(reader.chunk(), entryTable(name)) as {
    readonly key: string;
    readonly value: string;
  };
  into.set(key, value);
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  #at = 0;
  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }
  tag(): { readonly number: number; readonly wireType: number } {
    const tag = this.varint();
    const number = Number(tag >> 3n);
    if (number === 0 || number > 0x1fffffff)
      throw new WireError('malformed', `${this.#name} has a field with the number ${number}`);
    return { number, wireType: Number(tag & 7n) };
  }
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw this.#truncated();
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('malformed', `${this.#name} has a number of more than ten bytes`);
  }
  chunk(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length - this.#at)) throw this.#truncated();
    const start = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(start, this.#at);
  }
  text(): string {
    try {
      return utf8.decode(this.chunk());
    } catch (error) {
      throw error instanceof WireError ? error : new WireError('utf8', `${this.#name} holds text that is not UTF-8`);
    }
  }
  /** Skips a field that a newer driver added; proto3 has no groups (wire types 3 and 4). */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 2) this.chunk();
    else if (wireType === 1 || wireType === 5) {
      this.#at += wireType === 1 ? 8 : 4;
      if (this.#at > this.#bytes.length) throw this.#truncated();
    } else throw new WireError('malformed', `${this.#name} has a field of wire type ${wireType}`);
  }
  #truncated(): WireError {
    return new WireError('malformed', `${this.#name} ends in the middle of a field`);
  }
}

/** Encodes a request that names a volume. */
export function encodeTexts(fields: Readonly<Record<number, string>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([number, text]) => {
      const body = Buffer.from(text);
      return Buffer.concat([
        Buffer.from([...varintBytes((Number(number) << 3) | 2), ...varintBytes(body.length)]),
        body,
      ]);
    }),
  );
}

/** Encodes a request that holds small numbers; the other requests are empty. */
export function encodeNumbers(fields: Readonly<Record<number, number>>): Buffer {
  return Buffer.from(
    Object.entries(fields).flatMap(([number, value]) => [...varintBytes(Number(number) << 3), ...varintBytes(value)]),
  );
}

function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}
