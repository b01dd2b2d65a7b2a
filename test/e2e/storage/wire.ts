/** As much of the protocol buffers' wire format as three small messages need: fields of text, numbers and messages. */
export type Field = readonly [number: number, value: string | number | boolean | Buffer | undefined];

export function encodeMessage(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (value === undefined || value === '' || value === 0 || value === false) return [];
      if (typeof value === 'number' || typeof value === 'boolean') return [varint(number << 3), varint(Number(value))];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

/** A map of strings is a repeated message of key and value. */
export function encodeMap(number: number, entries: Readonly<Record<string, string>> = {}): readonly Field[] {
  return Object.entries(entries).map(
    ([key, value]) =>
      [
        number,
        encodeMessage([
          [1, key],
          [2, value],
        ]),
      ] as const,
  );
}

export function decodeMessage(bytes: Buffer): ReadonlyMap<number, readonly (number | Buffer)[]> {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message ends too early');
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = next();
    const number = next();
    const value = (tag & 7) === 2 ? bytes.subarray(at, at + number) : number;
    if (typeof value !== 'number') at += number;
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

/** gRPC's frame: not compressed, then the length, then the message. */
export function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
