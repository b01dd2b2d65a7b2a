import { UserError } from '../../core/kube/errors.ts';
import type { CheckFinding, JudgedFinding } from '../../core/report/check.ts';

/** `CAUSE` or `CAUSE:OBJECT`, and why. */
export interface IgnoreEntry {
  readonly text: string;
  readonly id: string;
  /** NAMESPACE/NAME, or NAME for an object without a namespace; `*` matches anything. Absent: every object. */
  readonly object?: string;
  readonly reason?: string;
  /** The flag, or the file and the line. */
  readonly place: string;
}

/** The place of entries from the command line. */
export const ignoreFlag = '--ignore';

/** One entry a line; its reason follows a `#`, or is the comment right above it. */
export function parseIgnoreFile(text: string, file: string): IgnoreEntry[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const entries: IgnoreEntry[] = [];
  let above: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, written = '', comment = ''] = /^([^#]*)#?(.*)$/.exec(line) ?? [];
    const reason = comment.replace(/^#+/, '').trim();
    if (written.trim() !== '')
      entries.push(parseIgnore(written.trim(), `${file}:${index + 1}`, reason || above.join(' ')));
    above = written.trim() === '' && reason !== '' ? [...above, reason] : [];
  }
  return entries;
}

export function parseIgnore(text: string, place: string, reason = ''): IgnoreEntry {
  const colon = text.indexOf(':');
  const id = colon < 0 ? text : text.slice(0, colon);
  const object = colon < 0 ? undefined : text.slice(colon + 1);
  if (id === '' || object === '' || /\s/.test(text) || (object?.split('/').length ?? 0) > 2)
    throw new UserError(
      `${place}: "${text}" is not CAUSE or CAUSE:NAMESPACE/NAME`,
      'Write only NAME for an object without a namespace; * matches any text',
    );
  return { text, id, ...(object !== undefined && { object }), ...(reason !== '' && { reason }), place };
}

/** Marks the findings that an entry matches, and names the entries that match none. */
export function applyIgnores(
  findings: readonly CheckFinding[],
  entries: readonly IgnoreEntry[],
): { readonly findings: readonly JudgedFinding[]; readonly unused: readonly string[] } {
  const used = new Set<IgnoreEntry>();
  const judged = findings.map((finding): JudgedFinding => {
    const matching = entries.filter((entry) => matches(entry, finding));
    for (const entry of matching) used.add(entry);
    const [entry] = matching;
    if (entry === undefined) return { ...finding, outcome: 'new' };
    const { text: ignoredBy, reason } = entry;
    return { ...finding, outcome: 'ignored', ignoredBy, ...(reason !== undefined && { reason }) };
  });
  const unused = entries.filter((entry) => !used.has(entry));
  return {
    findings: judged,
    unused: unused.map(({ text, place }) => (place === ignoreFlag ? `${place} ${text}` : `${place}: ${text}`)),
  };
}

function matches({ id, object }: IgnoreEntry, finding: CheckFinding): boolean {
  if (id !== finding.id) return false;
  const { namespace, name } = finding.object;
  return object === undefined || matchesGlob(object, namespace === undefined ? name : `${namespace}/${name}`);
}

/** Only `*` is special, and the search never backtracks, so no pattern is slow. */
function matchesGlob(pattern: string, text: string): boolean {
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
