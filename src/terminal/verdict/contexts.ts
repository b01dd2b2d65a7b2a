import type { Source, SourceContext } from '../../core/kube/snapshot.ts';
import type { Unread } from '../../core/report/report.ts';
import type { Screen } from '../screen.ts';
import { hang } from '../wrap.ts';

/** More clusters than this in which nothing is wrong are counted; `-o wide` names all. */
const enoughContexts = 12;

/** The entry for a cluster of which nothing could be read. */
export function isWholeCluster({ resource, context }: Unread): boolean {
  return context !== undefined && resource === 'the whole cluster';
}

/** How many clusters an answer is about: two contexts of one cluster are one. */
export function countContexts({ contexts = [], type }: Source): {
  readonly total: number;
  readonly unread: number;
  readonly noun: (count: number) => string;
} {
  const word = type === 'cluster' ? 'cluster' : 'dump';
  return {
    total: contexts.filter(({ status }) => status !== 'same').length,
    unread: contexts.filter(({ status }) => status === 'unread').length,
    noun: (count) => (count === 1 ? word : `${word}s`),
  };
}

/** What became of each cluster: those that could not be read by name, and those where nothing is wrong in one line. */
export function renderContexts(
  { contexts = [] }: Source,
  unread: readonly Unread[],
  screen: Screen,
  isQuiet = isWithoutFindings,
): string[] {
  const { paint, glyph } = screen.theme;
  // If something could not be read, nothing is reported to be in order.
  const open = new Set(unread.map(({ context }) => context));
  const lost = contexts.filter(({ status }) => status === 'unread');
  const sound = contexts.filter((context) => context.status === 'read' && !open.has(context.name) && isQuiet(context));
  const byMessage = Map.groupBy(
    contexts.filter(({ status, message }) => status === 'read' && message !== undefined),
    ({ message = '' }) => message,
  );
  const same = Map.groupBy(
    contexts.filter(({ status }) => status === 'same'),
    ({ sameAs = '' }) => sameAs,
  );
  return [
    ...lost.flatMap(({ name, message = '' }) =>
      hang(
        `${paint('unknown', glyph.unknown)} `,
        `${name} could not be read: ${screen.theme.prose(message)}`,
        screen.width,
        4,
      ),
    ),
    ...[...byMessage].flatMap(([message, own]) =>
      hang(`${glyph.notApplicable} `, `In ${namesOf(own, screen)}: ${screen.theme.prose(message)}`, screen.width, 4),
    ),
    ...(sound.length === 0
      ? []
      : hang(`${paint('passed', glyph.passed)} `, `Nothing stuck in ${namesOf(sound, screen)}`, screen.width, 4)),
    ...[...same].flatMap(([sameAs, own]) =>
      hang(
        `${glyph.notApplicable} `,
        `${own.map(({ name }) => name).join(', ')}: the same cluster and user as ${sameAs}, and asked only once`,
        screen.width,
        4,
      ),
    ),
  ];
}

function isWithoutFindings({ summary, message }: SourceContext): boolean {
  return message === undefined && (summary?.['blocked'] ?? 0) + (summary?.['unknown'] ?? 0) === 0;
}

/** `a, b and 30 more`. */
function namesOf(contexts: readonly SourceContext[], screen: Screen): string {
  const names = contexts.map(({ name }) => name);
  const shown = screen.wide || names.length <= enoughContexts + 1 ? names : names.slice(0, enoughContexts);
  const left = names.length - shown.length;
  const count = names.length === 1 ? '' : `${names.length} clusters: `;
  return `${count}${shown.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}
