import type { Stats } from 'node:fs';

/** Permission bits: of the group and of others, and those of them that allow writing. */
const othersBits = 0o077;
const othersWriteBits = 0o022;

/** Whether only this user can read and write it. Windows has no such bits; its cache directory is the user's own. */
export function isPrivate(stats: Stats): boolean {
  return process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & othersBits) === 0);
}

/** A directory, not a link to one. */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstat(path);
  return stats !== undefined && stats.isDirectory() && isPrivate(stats);
}

/**
 * Whether it belongs to the owner of the program (or to root), and only users who can write the program can write it.
 */
export function isTrustedLike(program: Stats): (stats: Stats) => boolean {
  return (stats) =>
    process.geteuid === undefined ||
    ((stats.uid === program.uid || stats.uid === 0) && (stats.mode & othersWriteBits & ~program.mode) === 0);
}

/**
 * Whether files may be created below: the closest directory that exists is this user's or root's. Under sudo, HOME can
 * be another user's, and nothing of root's is left there.
 */
export function mayCreateBelow(path: string): boolean {
  if (process.geteuid === undefined) return true;
  const stats = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() && (stats.uid === process.geteuid() || stats.uid === 0);
  const parent = path.replace(/\/+[^/]*\/*$/, '');
  return parent !== path && mayCreateBelow(parent || '/');
}

/**
 * The content of a regular file that passes the check; undefined for anything else. What is checked is what was opened,
 * links are not followed, and opening a FIFO does not block.
 */
export function readTrusted(path: string, isTrusted: (stats: Stats) => boolean): Buffer | undefined {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(descriptor);
    return stats.isFile() && isTrusted(stats) ? fs.readFileSync(descriptor) : undefined;
  } catch (_) {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

export function lstat(path: string): Stats | undefined {
  try {
    return process.getBuiltinModule('node:fs').lstatSync(path, { throwIfNoEntry: false });
  } catch (_) {
    // Below a file, or in a directory that may not be searched.
    return undefined;
  }
}
