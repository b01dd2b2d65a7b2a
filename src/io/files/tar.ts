import { segmentsOf } from './archive.ts';
import { BrokenInput } from './broken-input.ts';
import { mostBytes, mostEntries, mostInArchive, tooLarge } from './limits.ts';
import type { ArchiveEntry } from './archive.ts';
import type { ByteReader } from './byte-reader.ts';

const block = 512;
/** Names and attributes of one file; more is no name. */
const mostAttributes = 1_000_000;

interface Attributes {
  readonly path?: string;
  readonly size?: number;
}

const notRegular: Readonly<Record<string, string>> = {
  '1': 'is a hard link',
  '2': 'is a link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a pipe',
  S: 'is a sparse file',
};

/**
 * The entries of a tar archive in their order (POSIX ustar and pax, and GNU's long names). An entry is read from the
 * stream when it is asked for, and skipped if it is not.
 */
export async function* readTar(source: ByteReader): AsyncGenerator<ArchiveEntry> {
  let next: Attributes = {};
  let common: Attributes = {};
  for (let count = 0; ; count += 1) {
    const header = await source.take(block);
    if (header.length === 0 || isZero(header)) {
      if (count === 0) throw new BrokenInput('notKubernetes', 'is an empty tar archive');
      return;
    }
    if (header.length < block) throw cut();
    if (count > mostEntries || source.position > mostInArchive) throw tooLarge(mostInArchive);
    if (!isSound(header))
      throw new BrokenInput('invalid', `the tar archive is damaged at byte ${source.position - block}`);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = next.size ?? common.size ?? numberAt(header, 124, 12);
    const padded = Math.ceil(size / block) * block;
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      if (size > mostAttributes)
        throw new BrokenInput('invalid', 'the tar archive is damaged: a name of more than 1 MB');
      const bytes = await source.take(padded);
      if (bytes.length < padded) throw cut();
      const text = bytes.toString('utf8', 0, size);
      if (type === 'L') next = { ...next, path: text.replace(/\0.*$/s, '') };
      else if (type === 'x') next = { ...next, ...paxAttributes(text) };
      else if (type === 'g') common = { ...common, ...paxAttributes(text) };
      continue;
    }
    const name = next.path ?? common.path ?? nameOf(header);
    next = {};
    yield* entryOf(source, { name, size, padded, type, changed: numberAt(header, 136, 12) * 1000 });
  }
}

async function* entryOf(
  source: ByteReader,
  file: {
    readonly name: string;
    readonly size: number;
    readonly padded: number;
    readonly type: string;
    readonly changed: number;
  },
): AsyncGenerator<ArchiveEntry> {
  const { name, size, padded, type, changed } = file;
  // Links and devices have no contents, even if their size is not zero.
  const isRegular = type === '0' || type === '\0' || type === '7' || type === 'S';
  let left = isRegular ? padded : 0;
  if (type !== '5') {
    const problem = notRegular[type];
    yield {
      name,
      segments: segmentsOf(name),
      changed,
      ...(problem !== undefined && { problem }),
      read: async () => {
        if (size > mostBytes) throw tooLarge(mostBytes);
        left = 0;
        const bytes = await source.take(padded);
        if (bytes.length < padded) throw cut();
        return bytes.subarray(0, size);
      },
    };
  }
  if (left > 0 && !(await source.skip(left))) throw cut();
}

const cut = (): BrokenInput => new BrokenInput('truncated', 'the tar archive ends in the middle');

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

/** The checksum is the sum of all bytes, with its own field taken as blanks. */
function isSound(header: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < block; at += 1) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum === numberAt(header, 148, 8);
}

/** Octal digits, or base 256 where the first bit is set. */
function numberAt(header: Buffer, start: number, length: number): number {
  if (((header[start] ?? 0) & 0x80) === 0)
    return Number.parseInt(header.toString('latin1', start, start + length).replace(/[^0-7]/g, '') || '0', 8);
  let value = (header[start] ?? 0) & 0x7f;
  for (let at = start + 1; at < start + length; at += 1) value = value * 256 + (header[at] ?? 0);
  return value;
}

function nameOf(header: Buffer): string {
  const field = (start: number, end: number): string => header.toString('utf8', start, end).replace(/\0.*$/s, '');
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? field(345, 500) : '';
  return prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`;
}

/** `LENGTH KEY=VALUE\n`, of which only the path and the size matter here. */
function paxAttributes(text: string): Attributes {
  const path = /(?:^|\n)\d+ path=([^\n]*)/.exec(text)?.[1];
  const size = /(?:^|\n)\d+ size=(\d{1,15})\n/.exec(text)?.[1];
  return { ...(path !== undefined && { path }), ...(size !== undefined && { size: Number(size) }) };
}
