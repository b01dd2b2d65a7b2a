import { segmentsOf } from './archive.ts';
import { BrokenInput } from './broken-input.ts';
import { mostBytes, mostEntries, mostInArchive, tooLarge } from './limits.ts';
import { unpack } from './unpack.ts';
import type { ArchiveEntry } from './archive.ts';

/** Bytes that can be read at any place: a file, or standard input that was read whole. */
export interface RandomAccess {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

const endMark = 0x06054b50;
const end64Mark = 0x06064b50;
const locatorMark = 0x07064b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const mostDirectory = 200_000_000;

interface Listed {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
  readonly checksum: number;
  readonly changed: number | undefined;
  readonly isLink: boolean;
}

/**
 * The entries of a zip archive by its central directory (APPNOTE 6.3), which has the sizes also where the entries have
 * data descriptors. Each entry is unpacked when it is asked for.
 */
export async function* readZip(source: RandomAccess): AsyncGenerator<ArchiveEntry> {
  const listed = parseDirectory(await readDirectory(source));
  // Entries that share their bytes let a small file unpack to petabytes.
  if (listed.reduce((sum, { packed }) => sum + packed, 0) > source.size)
    throw new BrokenInput('tooLarge', 'is a zip archive whose entries overlap');
  let unpacked = 0;
  for (const entry of listed) {
    if (entry.name.endsWith('/')) continue;
    const problem = problemOf(entry);
    yield {
      name: entry.name,
      segments: segmentsOf(entry.name),
      ...(problem !== undefined && { problem }),
      ...(entry.changed !== undefined && { changed: entry.changed }),
      read: async () => {
        const bytes = await contentsOf(source, entry);
        unpacked += bytes.length;
        if (unpacked > mostInArchive) throw tooLarge(mostInArchive);
        return bytes;
      },
    };
  }
}

function problemOf({ flags, method, isLink }: Listed): string | undefined {
  if ((flags & 1) !== 0) return 'is encrypted';
  if (isLink) return 'is a link';
  return method === 0 || method === 8 ? undefined : `is compressed with method ${method}`;
}

async function contentsOf(source: RandomAccess, { offset, packed, method, checksum }: Listed): Promise<Buffer> {
  if (packed > mostBytes) throw tooLarge(mostBytes);
  const header = await source.read(offset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== localMark) throw damaged();
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const bytes = await source.read(start, packed);
  if (bytes.length < packed) throw new BrokenInput('truncated', 'the zip archive ends in the middle');
  const unpacked = method === 0 ? bytes : await unpack(bytes, 'deflate');
  const zlib = await import('node:zlib');
  if (zlib.crc32(unpacked) !== checksum) throw damaged();
  return unpacked;
}

/** The end record is behind a comment of up to 64 kB; zip64 has the large numbers in a record of its own. */
async function readDirectory(source: RandomAccess): Promise<Buffer> {
  const tail = await source.read(Math.max(0, source.size - 65_557), Math.min(source.size, 65_557));
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== endMark) at -= 1;
  if (at < 0) throw new BrokenInput('truncated', 'the zip archive ends in the middle');
  let [count, size, offset] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (at >= 20 && tail.readUInt32LE(at - 20) === locatorMark) {
    const end = await source.read(Number(tail.readBigUInt64LE(at - 12)), 56);
    if (end.length < 56 || end.readUInt32LE(0) !== end64Mark) throw damaged();
    [count, size, offset] = [end.readBigUInt64LE(32), end.readBigUInt64LE(40), end.readBigUInt64LE(48)].map(Number) as [
      number,
      number,
      number,
    ];
  }
  if (count > mostEntries || size > mostDirectory) throw tooLarge(mostInArchive);
  const directory = await source.read(offset, size);
  if (directory.length < size) throw new BrokenInput('truncated', 'the zip archive ends in the middle');
  return directory;
}

function parseDirectory(directory: Buffer): Listed[] {
  const listed: Listed[] = [];
  for (let at = 0; at + 46 <= directory.length;) {
    if (directory.readUInt32LE(at) !== entryMark) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      directory.readUInt16LE(at + field),
    ) as [number, number, number];
    const extraStart = at + 46 + nameLength;
    if (extraStart + extraLength > directory.length) throw damaged();
    const flags = directory.readUInt16LE(at + 8);
    // Bit 11: the name is UTF-8; the older code page has the same letters where names of dumps need them.
    const name = directory.toString((flags & 0x800) === 0 ? 'latin1' : 'utf8', at + 46, extraStart);
    listed.push({
      name,
      flags,
      method: directory.readUInt16LE(at + 10),
      checksum: directory.readUInt32LE(at + 16),
      ...sizesOf(directory, at, directory.subarray(extraStart, extraStart + extraLength)),
      isLink: directory[at + 5] === 3 && directory.readUInt32LE(at + 38) >>> 28 === 0xa,
    });
    at = extraStart + extraLength + commentLength;
  }
  return listed;
}

/** The extra fields: 1 has the numbers that do not fit in 32 bits, 0x5455 the time in UTC. */
function sizesOf(
  directory: Buffer,
  at: number,
  extra: Buffer,
): Pick<Listed, 'packed' | 'unpacked' | 'offset' | 'changed'> {
  const numbers = [24, 20, 42].map((field) => directory.readUInt32LE(at + field));
  let changed: number | undefined;
  for (let position = 0; position + 4 <= extra.length;) {
    const id = extra.readUInt16LE(position);
    const field = extra.subarray(position + 4, position + 4 + extra.readUInt16LE(position + 2));
    if (id === 1) {
      let taken = 0;
      for (const [index, number] of numbers.entries()) {
        if (number !== 0xffffffff) continue;
        if (taken + 8 > field.length) throw damaged();
        numbers[index] = Number(field.readBigUInt64LE(taken));
        taken += 8;
      }
    } else if (id === 0x5455 && field.length >= 5) changed = field.readInt32LE(1) * 1000;
    position += 4 + field.length;
  }
  const [unpacked = 0, packed = 0, offset = 0] = numbers;
  return { unpacked, packed, offset, changed };
}

const damaged = (): BrokenInput => new BrokenInput('invalid', 'the zip archive is damaged');
