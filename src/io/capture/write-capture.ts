import { access, constants, link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';

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
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, error);
  });
  if (found?.isDirectory()) throw new UserError(`${path} is a directory`, 'name the file to write with -o FILE');
  if (found !== undefined && !mayReplace) throw taken(path);
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(path, error);
  });
}

/** Writes the file completely or not at all: first under another name, readable by its owner only. */
export async function writeCapture(
  path: string,
  bytes: Buffer,
  options: { readonly mayReplace: boolean; readonly signal?: AbortSignal },
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    await writeFile(temporary, bytes, { mode: 0o600, ...(options.signal && { signal: options.signal }) });
    options.signal?.throwIfAborted();
    if (options.mayReplace) await rename(temporary, path);
    else await link(temporary, path).catch((error: NodeJS.ErrnoException) => moveUnlinked(error, temporary, path));
  } catch (error) {
    if (error instanceof UserError || options.signal?.aborted === true) throw error;
    throw unwritable(path, error as NodeJS.ErrnoException);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** link() refuses to replace a file that was created in the meantime, but some file systems have no links. */
async function moveUnlinked(error: NodeJS.ErrnoException, temporary: string, path: string): Promise<void> {
  if (error.code === 'EEXIST') throw taken(path);
  await rename(temporary, path);
}

function taken(path: string): UserError {
  return new UserError(`${path} exists already`, 'choose another -o FILE, or replace it with --force');
}

function unwritable(path: string, error: NodeJS.ErrnoException): UserError | EnvironmentError {
  const cause = { cause: error };
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new UserError(
      `${path} cannot be written: there is no directory ${dirname(path)}`,
      'make it, or choose another -o FILE',
      cause,
    );
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS')
    return new UserError(
      `${path} cannot be written: this user may not write to ${dirname(path)}`,
      'choose another -o FILE',
      cause,
    );
  return new EnvironmentError(`${path} cannot be written: ${error.code ?? error.message}`, undefined, cause);
}
