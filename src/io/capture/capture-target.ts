import { access, constants, lstat, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';

/** Where the bytes of a capture go. */
export type CaptureTarget =
  /** A file that is created or replaced as a whole; `path` is the end of all links. */
  | { readonly type: 'file'; readonly path: string; readonly replaces?: { readonly uid: number; readonly gid: number } }
  /** A terminal, /dev/null, a pipe or an open descriptor: it is written to and never replaced. */
  | { readonly type: 'stream'; readonly path: string };

/** Names of open descriptors, such as `>(…)` of a shell: what is behind them is not ours to replace. */
const descriptor = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/**
 * Finds out what is at the path, and refuses what may not be written. A link is followed, as by a redirection of a
 * shell: the link stays and the file that it names is replaced. A link to nothing is refused, because another user may
 * have created it.
 */
export async function findTarget(path: string, mayReplace: boolean): Promise<CaptureTarget> {
  if (descriptor.test(path)) return { type: 'stream', path };
  const named = await lstat(path).catch((error: unknown) => absent(path, error));
  if (named === undefined) {
    await mayWriteTo(path, path);
    return { type: 'file', path };
  }
  const found = await stat(path).catch((error: unknown) => absent(path, error));
  if (found === undefined)
    throw new UserError(
      `the path ${path} is a link to a file that does not exist`,
      'Remove it, or choose another -o FILE',
    );
  if (found.isDirectory())
    throw new UserError(`the path ${path} is a directory`, 'Pass the file to write with -o FILE');
  if (found.isBlockDevice() || found.isSocket())
    throw new UserError(
      `cannot write a capture to ${path}, which is a ${found.isSocket() ? 'socket' : 'block device'}`,
      'Pass a file with -o FILE',
    );
  if (!found.isFile()) return { type: 'stream', path };
  if (!mayReplace) throw taken(path);
  const real = await realpath(path);
  if (descriptor.test(real)) return { type: 'stream', path };
  await mayWriteTo(real, path);
  return { type: 'file', path: real, replaces: { uid: found.uid, gid: found.gid } };
}

async function mayWriteTo(real: string, path: string): Promise<void> {
  await access(dirname(real), constants.W_OK).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}

function absent(path: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw unwritable(path, error);
}

export function taken(path: string): UserError {
  return new UserError(`the file ${path} already exists`, 'Choose another -o FILE, or overwrite it with --force');
}

export function unwritable(path: string, problem: unknown): UserError | EnvironmentError {
  const error = problem as NodeJS.ErrnoException;
  const cause = { cause: error };
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new UserError(
      `cannot write ${path}: the directory ${dirname(path)} does not exist`,
      'Create it, or choose another -o FILE',
      cause,
    );
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS')
    return new UserError(
      `cannot write ${path}: permission denied for ${dirname(path)}`,
      'Choose another -o FILE',
      cause,
    );
  if (error.code === 'ELOOP')
    return new UserError(`the path ${path} is a link to itself`, 'Choose another -o FILE', cause);
  if (error.code === 'ENXIO')
    return new UserError(`the path ${path} is a pipe without a reader`, 'Start the reader first', cause);
  return new EnvironmentError(`cannot write ${path}: ${error.code ?? error.message}`, undefined, cause);
}
