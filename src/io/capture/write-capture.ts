import { randomBytes } from 'node:crypto';
import { chown, constants, copyFile, link, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { UserError } from '../../core/kube/errors.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import { findTarget, taken, unwritable } from './capture-target.ts';
import type { CaptureTarget } from './capture-target.ts';

/** Byte 9 of the gzip header is the operating system; 255, unknown, makes the bytes the same everywhere (RFC 1952). */
const systemByte = 9;

/** One line of JSON per object, so that two captures can be compared; compressed unless people are to read it. */
export function encodeCapture(snapshot: Snapshot, isPacked: boolean): Buffer {
  const { objects, observations, ...head } = snapshot;
  const lines = (items: readonly unknown[]): string => items.map((item) => JSON.stringify(item)).join(',\n');
  const text = `${JSON.stringify(head).slice(0, -1)},"observations":[\n${lines(observations)}\n],"objects":[\n${lines(objects)}\n]}\n`;
  if (!isPacked) return Buffer.from(text);
  const bytes = gzipSync(text, { level: 9 });
  bytes[systemByte] = 255;
  return bytes;
}

/** Checks that the file may be written, before anything is read. */
export async function checkTarget(path: string, mayReplace: boolean): Promise<void> {
  await findTarget(path, mayReplace);
}

export interface WriteOptions {
  readonly mayReplace: boolean;
  readonly signal?: AbortSignal;
}

/** Writes a regular file completely or not at all, and anything else (a pipe, /dev/null) as a stream. */
export async function writeCapture(path: string, bytes: Buffer, options: WriteOptions): Promise<void> {
  const target = await findTarget(path, options.mayReplace);
  try {
    if (target.type === 'stream') await writeStream(target.path, bytes, options);
    else await writeWhole(target, bytes, options);
  } catch (error) {
    if (error instanceof UserError || options.signal?.aborted === true) throw error;
    throw unwritable(path, error);
  }
}

/** Under another name first, readable by its owner only. The name is new, so that no link can be waiting there. */
async function writeWhole(
  { path, replaces }: Extract<CaptureTarget, { type: 'file' }>,
  bytes: Buffer,
  { mayReplace, signal }: WriteOptions,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.part`);
  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx', flush: true, ...(signal && { signal }) });
    signal?.throwIfAborted();
    if (replaces !== undefined && (replaces.uid !== process.getuid?.() || replaces.gid !== process.getgid?.()))
      // Root may keep the owner of the file; for others the new file is theirs.
      await chown(temporary, replaces.uid, replaces.gid).catch(() => undefined);
    if (mayReplace) await replaceFile(temporary, path);
    else await link(temporary, path).catch((error: NodeJS.ErrnoException) => copyUnlinked(error, temporary, path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** rename() would also replace a device or a pipe, so the path is checked once more. */
async function replaceFile(temporary: string, path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    throw new UserError(`the path ${path} is no longer a regular file`, 'Choose another -o FILE');
  await rename(temporary, path);
}

/** link() refuses to replace a file that was created in the meantime, but some file systems have no links. */
async function copyUnlinked(error: NodeJS.ErrnoException, temporary: string, path: string): Promise<void> {
  if (error.code === 'EEXIST') throw taken(path);
  await copyFile(temporary, path, constants.COPYFILE_EXCL).catch((problem: NodeJS.ErrnoException) => {
    throw problem.code === 'EEXIST' ? taken(path) : problem;
  });
}

/**
 * Neither created nor truncated. A pipe without a reader is an error at once, where a blocking open would wait forever.
 */
async function writeStream(path: string, bytes: Buffer, { signal }: WriteOptions): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    for (let at = 0; at < bytes.length;) {
      signal?.throwIfAborted();
      at += await writeSome(file, bytes.subarray(at, at + 65_536));
    }
  } finally {
    await file.close();
  }
}

async function writeSome(file: FileHandle, bytes: Buffer): Promise<number> {
  try {
    return (await file.write(bytes)).bytesWritten;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A reader that has gone, as in `| head`, is no error.
    if (code === 'EPIPE') return bytes.length;
    if (code !== 'EAGAIN') throw error;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 0;
  }
}
