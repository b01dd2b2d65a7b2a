import { crc32, deflateRawSync } from 'node:zlib';

export interface Packed {
  readonly name: string;
  readonly content?: string | Buffer;
  /** The type of a tar entry: 0 a file, 2 a link, 3 a device, 6 a pipe, L a long name. */
  readonly type?: string;
  /** A size that is not that of the content. */
  readonly size?: number;
  readonly flags?: number;
  readonly method?: number;
}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

export function tarOf(entries: readonly Packed[], ends = true): Buffer {
  const blocks = entries.flatMap(({ name, content = '', type = '0', size }) => {
    const bytes = Buffer.from(content as string);
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100), 0);
    header.write(octal(0o644, 8), 100);
    header.write(octal(size ?? bytes.length, 12), 124);
    header.write(octal(1_772_366_400, 12), 136);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\x0000', 257, 'latin1');
    header.write(
      octal(
        header.reduce((sum, byte) => sum + byte, 0),
        7,
      ),
      148,
    );
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(ends ? 1024 : 0)]);
}

/** With `zip64`, sizes and places are in the extra fields; with `descriptor`, the local headers have no sizes. */
export function zipOf(
  entries: readonly Packed[],
  options: { readonly zip64?: boolean; readonly descriptor?: boolean; readonly overlap?: number } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', flags = 0, method = 8, size } of entries) {
    const bytes = Buffer.from(content as string);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags | (options.descriptor ? 8 : 0), 6);
    local.writeUInt16LE(method, 8);
    if (!options.descriptor) {
      local.writeUInt32LE(crc32(bytes), 14);
      local.writeUInt32LE(packed.length, 18);
      local.writeUInt32LE(bytes.length, 22);
    }
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const extra = Buffer.alloc(options.zip64 ? 28 : 0);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(flags | 0x800 | (options.descriptor ? 8 : 0), 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(crc32(bytes), 16);
    central.writeUInt32LE(options.zip64 ? 0xffffffff : packed.length, 20);
    central.writeUInt32LE(options.zip64 ? 0xffffffff : (size ?? bytes.length), 24);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(options.zip64 ? 0xffffffff : offset, 42);
    if (options.zip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(bytes.length), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(offset), 20);
    }
    const descriptor = options.descriptor
      ? Buffer.from([0x50, 0x4b, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      : Buffer.alloc(0);
    parts.push(local, Buffer.from(name), packed, descriptor);
    for (let copy = 0; copy < (options.overlap ?? 1); copy += 1) directory.push(central, Buffer.from(name), extra);
    offset += 30 + Buffer.byteLength(name) + packed.length + descriptor.length;
  }
  const list = Buffer.concat(directory);
  const count = entries.length * (options.overlap ?? 1);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(options.zip64 ? 0xffff : Math.min(count, 0xffff), 10);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : list.length, 12);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : offset, 16);
  if (!options.zip64) return Buffer.concat([...parts, list, end]);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(list.length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + list.length), 8);
  return Buffer.concat([...parts, list, end64, locator, end]);
}
