import { readFileSync } from 'node:fs';
import { UserError } from '../../core/kube/errors.ts';
import { ownChecks } from '../../core/report/check.ts';
import type { CheckFinding, JudgedFinding } from '../../core/report/check.ts';
import { unknownName } from '../../cli/near-names.ts';

export const usualIgnoreFile = '.kubectl-csi-ignore';

/** `CAUSE` or `CAUSE:OBJECT`, and why. */
export interface IgnoreEntry {
  readonly text: string;
  readonly id: string;
  /** NAMESPACE/NAME, or the bare NAME of what has no namespace; `*` stands for anything. Absent: every object. */
  readonly object?: string;
  readonly reason?: string;
  /** The flag, or the file and the line. */
  readonly place: string;
}

/** The entries of the command line, then those of the file. Only the usual file may be absent. */
export async function readIgnores(flags: {
  readonly ignore?: string[] | undefined;
  readonly 'ignore-file'?: string | undefined;
}): Promise<IgnoreEntry[]> {
  const entries = [
    ...(flags.ignore ?? []).map((text) => entryOf(text, '--ignore')),
    ...fileEntries(flags['ignore-file']),
  ];
  if (entries.length === 0) return [];
  const { causeNames } = await import('../../cli/cause-pages.ts');
  const known = [...ownChecks.map(({ id }): string => id), ...causeNames()];
  for (const { id, place } of entries) {
    if (known.includes(id)) continue;
    const { message, next } = await unknownName(
      'cause or check',
      id,
      known,
      'kubectl csi causes and kubectl csi check --list name them all',
    );
    throw new UserError(`${place}: ${message}`, next);
  }
  return entries;
}

function fileEntries(path: string | undefined): IgnoreEntry[] {
  const file = path ?? usualIgnoreFile;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return [];
    throw new UserError(
      `the ignore file ${file} cannot be read: ${code === 'ENOENT' ? 'it does not exist' : code === 'EISDIR' ? 'it is a directory' : message}`,
      undefined,
      { cause: error },
    );
  }
  return parseIgnoreFile(text, file);
}

/** One entry a line; what follows a `#`, or else the comment right above, is the reason. */
export function parseIgnoreFile(text: string, file: string): IgnoreEntry[] {
  const entries: IgnoreEntry[] = [];
  let above: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    const [, written = '', comment = ''] = /^([^#]*)#?(.*)$/.exec(line) ?? [];
    const reason = comment.replace(/^#+/, '').trim();
    if (written.trim() !== '') entries.push(entryOf(written.trim(), `${file}:${index + 1}`, reason || above.join(' ')));
    above = written.trim() === '' && reason !== '' ? [...above, reason] : [];
  }
  return entries;
}

function entryOf(text: string, place: string, reason = ''): IgnoreEntry {
  const colon = text.indexOf(':');
  const id = colon < 0 ? text : text.slice(0, colon);
  const object = colon < 0 ? undefined : text.slice(colon + 1);
  if (id === '' || object === '' || /\s/.test(text) || (object?.split('/').length ?? 0) > 2)
    throw new UserError(
      `${place}: "${text}" is not CAUSE or CAUSE:NAMESPACE/NAME`,
      'write the bare NAME for what has no namespace; * stands for anything',
    );
  return { text, id, ...(object !== undefined && { object }), ...(reason !== '' && { reason }), place };
}

/** Each finding with what became of it, and the entries that no finding needed. */
export function applyIgnores(
  findings: readonly CheckFinding[],
  entries: readonly IgnoreEntry[],
): { readonly findings: readonly JudgedFinding[]; readonly unused: readonly string[] } {
  const used = new Set<IgnoreEntry>();
  const judged = findings.map((finding): JudgedFinding => {
    const matching = entries.filter((entry) => matches(entry, finding));
    for (const entry of matching) used.add(entry);
    const [entry] = matching;
    return entry === undefined
      ? { ...finding, outcome: 'new' }
      : {
          ...finding,
          outcome: 'ignored',
          ignoredBy: entry.text,
          ...(entry.reason !== undefined && { reason: entry.reason }),
        };
  });
  return {
    findings: judged,
    unused: entries
      .filter((entry) => !used.has(entry))
      .map(({ text, place }) => (place === '--ignore' ? `--ignore ${text}` : `${place}: ${text}`)),
  };
}

function matches({ id, object }: IgnoreEntry, finding: CheckFinding): boolean {
  if (id !== finding.id) return false;
  const { namespace, name } = finding.object;
  return object === undefined || globs(object, namespace === undefined ? name : `${namespace}/${name}`);
}

/** Only `*` is special, and the search never goes back: hostile patterns cost nothing. */
function globs(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
