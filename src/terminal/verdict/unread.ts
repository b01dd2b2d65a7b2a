import type { Unread } from '../../core/report/report.ts';
import { whyUnread } from '../../core/report/why-unread.ts';
import { usualEnd } from '../screen.ts';
import type { EndOf, Screen } from '../screen.ts';
import { displayWidth, hang } from '../wrap.ts';
import { contextsOf } from './nouns.ts';

const enoughQuestions = 3;

/** Lists what may not be read; of several clusters, in the first of them. */
export function rightsCommand(unread: readonly Unread[], endOf = usualEnd): string {
  const end = endOf(unread.find(({ reason }) => reason === 'forbidden')?.context);
  // Whose rights were missing when a dump was taken is not known to it.
  return `kubectl csi rbac --check${/^ --from /.test(end) ? '' : end}`;
}

export function rightsHint(unread: readonly Unread[], endOf?: EndOf): string {
  return `List the missing rights: ${rightsCommand(unread, endOf)}`;
}

/** One line for all that a dump leaves out, and one for what it holds in part; what was refused is listed with what it would have shown. */
export function renderUnreadBriefly(unread: readonly Unread[], screen: Screen): string[] {
  if (screen.wide) return renderUnread(unread, screen);
  const isLeftOut = ({ reason }: Unread): boolean => reason === 'not in the dump';
  const { glyph, paint } = screen.theme;
  const lines = [...Map.groupBy(unread.filter(isLeftOut), whyUnread)].flatMap(([why, entries]) => {
    const absent = [...new Set(entries.map(({ resource }) => resource))].sort();
    return hang(
      `${paint('unknown', glyph.unknown)} `,
      `${why}: ${absent.join(', ')} (-o wide shows what ${absent.length === 1 ? 'it is' : 'they are'} needed for)`,
      screen.width,
      4,
    );
  });
  return [
    ...renderUnread(
      unread.filter((entry) => !isLeftOut(entry)),
      screen,
    ),
    ...lines,
  ];
}

/** What could not be read: without it, the report would look complete. */
export function renderUnread(unread: readonly Unread[], screen: Screen): string[] {
  const groups = new Map<string, Unread[]>();
  for (const entry of unread) {
    const key = `${entry.resource}|${whyUnread(entry)}|${entry.reason === 'failed' ? (entry.message ?? '') : ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  const lines = [...sameQuestions([...groups.values()]).values()].flatMap((kinds) => unreadLine(kinds, screen));
  return unread.some(({ reason }) => reason === 'forbidden')
    ? [...lines, ...hintLines(unread, screen).map((line) => screen.theme.paint('faint', line))]
    : lines;
}

/** A command is never broken, so that it can be copied whole. */
function hintLines(unread: readonly Unread[], { endOf, width }: Screen): string[] {
  const hint = `  ${rightsHint(unread, endOf)}`;
  return displayWidth(hint) <= width ? [hint] : ['  List the missing rights:', `    $ ${rightsCommand(unread, endOf)}`];
}

/** Kinds that would have answered the same questions share a line. */
function sameQuestions(groups: readonly Unread[][]): Map<string, Unread[][]> {
  const lines = new Map<string, Unread[][]>();
  for (const group of groups) {
    const questions = [...new Set(group.map(({ needed }) => needed))].sort();
    const { reason, message, resource } = group[0] as Unread;
    const key = JSON.stringify([reason, message ?? '', questions, questions.join('') === '' ? resource : '']);
    lines.set(key, [...(lines.get(key) ?? []), group]);
  }
  return lines;
}

function unreadLine(kinds: readonly Unread[][], screen: Screen): string[] {
  const group = kinds.flat();
  const entry = group[0] as Unread;
  const resources = kinds.map(([first]) => first?.resource ?? '').join(', ');
  const questions = [...new Set(group.map((one) => one.needed).filter((needed) => needed !== ''))];
  const shown =
    screen.wide || questions.length <= enoughQuestions + 1 ? questions : questions.slice(0, enoughQuestions);
  const left = questions.length - shown.length;
  const asked = shown.join('; ') + (left > 0 ? `; and ${left} more questions (-o wide lists them)` : '');
  const contexts = contextsOf(group);
  const where = contexts.length === 0 ? '' : ` in ${contexts.join(', ')}`;
  const text = `could not read ${resources} (${reasonOf(entry, screen)})${where}${asked === '' ? '' : `: ${asked}`}`;
  const lines = hang(`${screen.theme.glyph.unknown} `, text, screen.width, 4);
  return lines.map((line, index) =>
    index === 0
      ? screen.theme.paint('unknown', screen.theme.glyph.unknown) + line.slice(screen.theme.glyph.unknown.length)
      : line,
  );
}

function reasonOf(entry: Unread, screen: Screen): string {
  const message = entry.message === undefined || entry.message === '' ? undefined : entry.message;
  if (entry.reason === 'absent') return 'not installed in this cluster';
  if (entry.reason === 'failed') return message === undefined ? 'the read failed' : `the read failed: ${message}`;
  const why = whyUnread(entry);
  return screen.wide && message !== undefined && message !== why ? `${why}: ${message}` : why;
}
