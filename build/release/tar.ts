import { createHash } from 'node:crypto';

/** A file in an archive. */
export interface ArchiveFile {
  readonly name: string;
  readonly content: Buffer;
  readonly isExecutable?: boolean;
  /** The target of a symbolic link; `content` is then empty. */
  readonly linkTo?: string;
}

const block = 512;

/**
 * A tar archive in the ustar format in which nothing depends on the machine or the time: owner 0, one date, and the order
 * that is given. A name may have 100 bytes.
 */
export function writeTar(files: readonly ArchiveFile[], date: Date): Buffer {
  const parts = files.flatMap((file) => [header(file, date), file.content, padding(file.content.length)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header({ name, content, isExecutable, linkTo = '' }: ArchiveFile, date: Date): Buffer {
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(linkTo) > 100)
    throw new Error(`${name} is too long for a tar archive.`);
  const bytes = Buffer.alloc(block);
  const isDirectory = name.endsWith('/');
  bytes.write(name, 0);
  writeOctal(bytes, isExecutable === true || isDirectory ? 0o755 : 0o644, 100, 8);
  writeOctal(bytes, 0, 108, 8);
  writeOctal(bytes, 0, 116, 8);
  writeOctal(bytes, content.length, 124, 12);
  writeOctal(bytes, Math.floor(date.getTime() / 1000), 136, 12);
  bytes.write(' '.repeat(8), 148);
  bytes.write(typeFlag(isDirectory, linkTo), 156);
  bytes.write(linkTo, 157);
  bytes.write('ustar\x0000', 257, 'latin1');
  bytes.write(
    `${bytes
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    'latin1',
  );
  return bytes;
}

function typeFlag(isDirectory: boolean, linkTo: string): string {
  if (isDirectory) return '5';
  return linkTo === '' ? '0' : '2';
}

function writeOctal(bytes: Buffer, value: number, offset: number, length: number): void {
  bytes.write(value.toString(8).padStart(length - 1, '0'), offset, 'latin1');
}

function padding(length: number): Buffer {
  return Buffer.alloc((block - (length % block)) % block);
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
