import { readFileSync } from 'node:fs';
import { unknownName } from '../../../cli/near-names.ts';
import { UserError } from '../../../core/kube/errors.ts';
import { ownChecks } from '../../../core/report/check.ts';
import { ignoreFlag, parseIgnore, parseIgnoreFile } from '../ignores.ts';
import type { IgnoreEntry } from '../ignores.ts';

const usualIgnoreFile = '.kubectl-csi-ignore';

/** The entries of the command line, then those of the file. Only the usual file may be missing. */
export async function readIgnores(flags: {
  readonly ignore?: string[] | undefined;
  readonly 'ignore-file'?: string | undefined;
}): Promise<IgnoreEntry[]> {
  const entries = [
    ...(flags.ignore ?? []).map((text) => parseIgnore(text, ignoreFlag)),
    ...fileEntries(flags['ignore-file']),
  ];
  if (entries.length > 0) await refuseUnknownIds(entries);
  return entries;
}

async function refuseUnknownIds(entries: readonly IgnoreEntry[]): Promise<void> {
  const { causeNames } = await import('../../../cli/cause-pages.ts');
  const known = [...ownChecks.map(({ id }): string => id), ...causeNames()];
  for (const { id, place } of entries) {
    if (known.includes(id)) continue;
    const { message, next } = await unknownName(
      'cause or check',
      id,
      known,
      'Run kubectl csi causes or kubectl csi check --list to list them all',
    );
    throw new UserError(`${place}: ${message}`, next);
  }
}

function fileEntries(path: string | undefined): IgnoreEntry[] {
  const file = path ?? usualIgnoreFile;
  try {
    return parseIgnoreFile(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return [];
    throw new UserError(`cannot read the ignore file ${file}: ${readFailure(error)}`, undefined, { cause: error });
  }
}

function readFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist';
  return code === 'EISDIR' ? 'it is a directory' : message;
}
