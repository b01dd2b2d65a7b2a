import type { Picture } from './picture.ts';
import { mostNotes, mostTargets } from './notes.ts';
import type { StuckNote } from './notes.ts';

/** A cause that was announced: enough to say later that it is gone. */
export interface Announced {
  readonly key: string;
  readonly cause: string;
  readonly summary?: string;
  readonly targets: readonly string[];
}

/** What was announced so far; undefined where nothing is known of earlier runs. */
export type Memory = readonly Announced[] | undefined;

export interface News {
  /** The first message of a server that knows of no earlier one: one summary instead of one line for each cause. */
  readonly isFirst: boolean;
  readonly appeared: readonly StuckNote[];
  readonly cleared: readonly Announced[];
}

/**
 * What the receivers have not received yet. Undefined if the picture is incomplete: what cannot be read is never called
 * cleared.
 */
export function newsOf({ stuck, unknown, freshness, isSearched }: Picture, memory: Memory): News | undefined {
  if (freshness.state !== 'live') return undefined;
  const known = new Set((memory ?? []).map(({ key }) => key));
  const present = new Set(stuck.map(({ key }) => key));
  const open = new Set(unknown);
  // Where it is not known which objects it was, as after a restart, or not of all: then nothing may be open at all.
  const isOpen = (targets: readonly string[]): boolean =>
    targets.length === 0 || targets.length >= mostTargets ? open.size > 0 : targets.some((target) => open.has(target));
  const isWhole = isSearched && stuck.length < mostNotes;
  const isGone = ({ key, targets }: Announced): boolean => isWhole && !present.has(key) && !isOpen(targets);
  return {
    isFirst: memory === undefined,
    appeared: stuck.filter(({ key }) => !known.has(key)),
    cleared: (memory ?? []).filter(isGone),
  };
}

export function isEmpty({ appeared, cleared }: News): boolean {
  return appeared.length === 0 && cleared.length === 0;
}

/** The memory with the objects that each cause has stopped by now. */
export function refresh(memory: Memory, { stuck }: Picture): Memory {
  const present = new Map(stuck.map((note) => [note.key, note]));
  return memory?.map((entry) => {
    const { summary, targets } = present.get(entry.key) ?? entry;
    return { ...entry, targets, ...(summary !== undefined && { summary }) };
  });
}

/** The memory once the news were delivered. */
export function remember(memory: Memory, { appeared, cleared }: News): readonly Announced[] {
  const gone = new Set(cleared.map(({ key }) => key));
  return [
    ...(memory ?? []).filter(({ key }) => !gone.has(key)),
    ...appeared.map(({ key, cause, summary, targets }) => ({ key, cause, summary, targets })),
  ];
}

const mostLines = 10;

/**
 * A message that Slack, Mattermost, Rocket.Chat and others take: a text, attachments for people, and details for
 * programs.
 */
export function messageOf(news: News, { sourceName, takenAt = '' }: Picture): object {
  const { isFirst, appeared, cleared } = news;
  return {
    text: `${headline(news)} (${escapeSlack(sourceName)})`,
    attachments: [
      ...appeared.slice(0, mostLines).map(attachmentOf),
      ...cleared.slice(0, mostLines).map(({ cause, summary }) => ({
        color: 'good',
        fallback: `Cleared: ${escapeSlack(cause)}`,
        title: `Cleared: ${escapeSlack(cause)}`,
        ...(summary !== undefined && { text: `It was: ${escapeSlack(summary)}` }),
      })),
      ...moreThan(
        appeared.length + cleared.length - Math.min(appeared.length, mostLines) - Math.min(cleared.length, mostLines),
      ),
    ],
    details: {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'StorageNotice',
      takenAt,
      source: sourceName,
      first: isFirst,
      appeared: appeared.map(({ key: _, targets: __, ...note }) => note),
      cleared: cleared.map(({ cause }) => ({ cause })),
    },
  };
}

function headline({ isFirst, appeared, cleared }: News): string {
  const causes = (count: number): string => `${count} ${count === 1 ? 'cause' : 'causes'}`;
  if (isFirst) return `Storage is stuck for ${causes(appeared.length)}`;
  if (cleared.length === 0)
    return appeared.length === 1
      ? `Storage is stuck: ${appeared[0]?.cause}`
      : `Storage is stuck for ${causes(appeared.length)} more`;
  if (appeared.length === 0)
    return cleared.length === 1
      ? `Cleared: ${cleared[0]?.cause}`
      : `${causes(cleared.length)} of stuck storage cleared`;
  return `Storage is stuck for ${causes(appeared.length)} more; ${causes(cleared.length)} cleared`;
}

function attachmentOf({ cause, summary, count, since, namespaces, fix }: StuckNote): object {
  const places =
    namespaces.slice(0, 5).join(', ') + (namespaces.length > 5 ? ` and ${namespaces.length - 5} more` : '');
  const field = (title: string, value: string): object => ({ title, value: escapeSlack(value), short: true });
  return {
    color: 'danger',
    fallback: `${escapeSlack(cause)}: ${escapeSlack(summary)}`,
    title: escapeSlack(cause),
    text: escapeSlack(summary),
    fields: [
      field('Objects', String(count)),
      ...(places === '' ? [] : [field('Namespaces', places)]),
      ...(since === undefined ? [] : [field('Since', since)]),
      ...(fix === undefined ? [] : [{ ...field('Fix', fix), short: false }]),
    ],
  };
}

function moreThan(left: number): object[] {
  return left > 0 ? [{ color: 'warning', fallback: `and ${left} more`, text: `and ${left} more` }] : [];
}

/**
 * These three characters are markup in Slack's messages: with them, a name in a cluster could notify a whole channel.
 */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
