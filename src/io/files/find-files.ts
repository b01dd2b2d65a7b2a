import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../core/kube/errors.ts';

export interface FoundFile {
  readonly path: string;
  /** The directories below the given one and the file's name: they may name a kind and a namespace. */
  readonly segments: readonly string[];
  /** Whether the user named it, so that it must be Kubernetes data. A file found in a directory may be anything. */
  readonly named: boolean;
}

const mayHold = /\.(?:json|ya?ml)(?:\.gz)?$/i;

/** The files to read for a path: the file itself, or all files below a directory. */
export async function findFiles(path: string): Promise<FoundFile[]> {
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
  if (!isDirectory) return [{ path, segments: path.split(/[\\/]/).slice(-3), named: true }];
  const files: FoundFile[] = [];
  await walk(path, [], files);
  if (files.length === 0)
    throw new UserError(
      `${path} holds no .yaml or .json file`,
      'pass a directory that kubectl cluster-info dump, must-gather or a support bundle wrote',
    );
  return files;
}

async function walk(directory: string, above: readonly string[], files: FoundFile[]): Promise<void> {
  let entries;
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    throw unreadable(directory, error);
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const segments = [...above, entry.name];
    // Links to directories are not followed: a link to a parent would never end.
    if (entry.isDirectory()) await walk(path, segments, files);
    else if (mayHold.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
      files.push({ path, segments, named: false });
  }
}

export function unreadable(path: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new UserError(`${path} does not exist`, 'pass a file, a directory, or - for standard input', {
      cause: error,
    });
  if (code === 'EACCES' || code === 'EPERM')
    return new UserError(`${path} may not be read by this user`, 'change its permissions or copy it', { cause: error });
  return new UserError(
    `${path} cannot be read (${code ?? 'unknown error'})`,
    'pass a file, a directory, or - for standard input',
    { cause: error },
  );
}
