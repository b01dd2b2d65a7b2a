import { lstat, readdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Doubt, Problem } from './problem.ts';

/** sockaddr_un holds 108 bytes with the closing zero on Linux, 104 on macOS. */
const longestPath = process.platform === 'darwin' ? 103 : 107;

/**
 * Checks the path before anything is connected. Only this distinguishes a regular file from a stale socket: the
 * connection is refused on both. Nothing is ever written near the socket.
 */
export async function checkPath(path: string): Promise<Problem | Doubt | undefined> {
  const bytes = Buffer.byteLength(path);
  if (bytes > longestPath)
    return { failure: 'path-too-long', detail: `${bytes} bytes; a socket path can have at most ${longestPath}` };
  let found: Stats;
  try {
    found = await lstat(path);
  } catch (error) {
    return judgeError(error as NodeJS.ErrnoException, path);
  }
  if (found.isSymbolicLink()) {
    try {
      found = await stat(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT')
        return { failure: 'socket-missing', detail: 'it is a symbolic link to a file that does not exist' };
      if (code === 'ELOOP') return { failure: 'socket-missing', detail: 'it is a symbolic link to itself' };
      return judgeError(error as NodeJS.ErrnoException, path);
    }
  }
  return found.isSocket() ? undefined : { failure: 'not-a-socket', detail: typeOf(found) };
}

async function judgeError(error: NodeJS.ErrnoException, path: string): Promise<Problem | Doubt> {
  switch (error.code) {
    case 'ENOENT':
      return { failure: 'socket-missing', detail: await whatIsThere(path) };
    case 'ENOTDIR':
      return { failure: 'parent-not-directory', detail: await nearestFile(path) };
    case 'EACCES':
    case 'EPERM':
      return { failure: 'permission-denied', stage: 'stat', detail: 'permission denied for the directory' };
    case 'ELOOP':
      return { failure: 'socket-missing', detail: 'a symbolic link in the path points to itself' };
    default:
      return { doubt: `the socket cannot be read: ${error.message}` };
  }
}

/** The deepest directory that exists points to a wrong mount, or to a driver that never ran. */
async function whatIsThere(path: string): Promise<string> {
  const directory = dirname(path);
  try {
    const names = (await readdir(directory)).sort();
    const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ' and more' : '');
    return names.length === 0
      ? `the directory ${directory} is empty`
      : `there is no ${basename(path)} in ${directory}, only ${shown}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return `there is no such file`;
  }
  let missing = directory;
  for (let parent = dirname(missing); parent !== missing; parent = dirname(missing)) {
    if (await exists(parent)) break;
    missing = parent;
  }
  return `the directory ${missing} does not exist either`;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function nearestFile(path: string): Promise<string> {
  for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent)) {
    if (await exists(parent)) return `${parent} is not a directory`;
  }
  return 'a part of the path is not a directory';
}

function typeOf(found: Stats): string {
  if (found.isDirectory()) return 'a directory';
  if (found.isFIFO()) return 'a named pipe';
  if (found.isCharacterDevice() || found.isBlockDevice()) return 'a device';
  return found.isFile() ? `a regular file of ${found.size} bytes` : 'something else';
}
