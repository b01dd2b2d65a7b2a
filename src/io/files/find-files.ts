import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { UserError } from '../../core/kube/errors.ts';

export interface FoundFile {
  readonly path: string;
  /** The directories below the given one and the file's name: they may name a kind and a namespace. */
  readonly segments: readonly string[];
  /** Whether the user named it, so that it must be Kubernetes data. A file found in a directory may be anything. */
  readonly named: boolean;
  /** When it was changed, in milliseconds. */
  readonly changed?: number;
  /** Why it is not read, although it may hold objects: a dangling link, a device. */
  readonly problem?: string;
}

const mayHold = /\.(?:json|ya?ml)(?:\.gz)?$/i;
/** Objects in a form that is not read: the reader has to unpack them. */
const mayHoldPacked = /\.(?:json|ya?ml)\.(?:bz2|xz|zst|lz4|zip|7z)$/i;

const archive = /\.(?:tar|tgz|tar\.gz|zip)$/i;

/** Whether a file of this name in a dump is itself an archive. */
export function isArchiveName(name: string): boolean {
  return archive.test(name);
}

/** Whether a file of this name in a dump may hold objects. */
export function mayHoldObjects(name: string): boolean {
  return mayHold.test(name);
}

/** The files to read for a path: the file itself, or all files below a directory. */
export async function findFiles(path: string): Promise<FoundFile[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isBlockDevice() || found.isSocket())
    throw new UserError(
      `the path ${path} is a ${found.isSocket() ? 'socket' : 'block device'}`,
      'Pass a file, a directory, or - for standard input',
    );
  if (!found.isDirectory())
    return [
      {
        path,
        segments: path.split(/[\\/]/).slice(-3),
        named: true,
        ...(found.isFile() && { changed: found.mtimeMs }),
      },
    ];
  const files: FoundFile[] = [];
  await walk(path, [], files, await realpath(path));
  if (files.length === 0)
    throw new UserError(
      `the directory ${path} contains no .yaml or .json file`,
      'Pass a directory written by kubectl cluster-info dump, must-gather or a support bundle',
    );
  return files;
}

async function walk(directory: string, above: readonly string[], files: FoundFile[], root: string): Promise<void> {
  let entries;
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    const refused = unreadable(directory, error);
    if (above.length === 0) throw refused;
    files.push({ path: directory, segments: above, named: false, problem: reasonOf(error) });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const segments = [...above, entry.name];
    if (entry.isDirectory()) await walk(path, segments, files, root);
    else if (mayHold.test(entry.name) || entry.isSymbolicLink()) {
      const problem = entry.isFile() ? undefined : await problemOf(path, entry.name, root);
      if (problem !== harmless) files.push({ path, segments, named: false, ...(problem !== undefined && { problem }) });
    } else if (archive.test(entry.name) && entry.isFile()) files.push({ path, segments, named: false });
    else if (mayHoldPacked.test(entry.name))
      files.push({ path, segments, named: false, problem: 'is compressed in an unsupported format' });
  }
}

/** Nothing of the dump is lost without it. */
const harmless = 'harmless';

/** What keeps an entry that is no regular file from being read; undefined for a link to a regular file. */
async function problemOf(path: string, name: string, root: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    // Links to directories are not followed: a link to a parent would never end. What is inside the dump is read
    // anyway.
    if (found.isDirectory()) {
      const target = await realpath(path);
      return target === root ||
        target.startsWith(root + sep) ||
        root.startsWith(target.endsWith(sep) ? target : target + sep)
        ? harmless
        : 'is a link to a directory outside of the dump';
    }
    if (!mayHold.test(name)) return harmless;
    if (found.isFile()) return undefined;
    if (found.isFIFO()) return 'is a pipe';
    return found.isSocket() ? 'is a socket' : 'is a device';
  } catch (error) {
    return mayHold.test(name) ? reasonOf(error) : harmless;
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is a link to a file that does not exist';
  if (code === 'ELOOP') return 'is a link that leads to itself';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  return `cannot be read (${code ?? 'unknown error'})`;
}

export function unreadable(path: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new UserError(`the path ${path} does not exist`, 'Pass a file, a directory, or - for standard input', {
      cause: error,
    });
  if (code === 'EACCES' || code === 'EPERM')
    return new UserError(`cannot read ${path}: permission denied`, 'Change its permissions or copy it', {
      cause: error,
    });
  return new UserError(
    `cannot read ${path} (${code ?? 'unknown error'})`,
    'Pass a file, a directory, or - for standard input',
    { cause: error },
  );
}
