import { filesWritten } from '../../kube/command-context.ts';
import type { CommandPlace } from '../../kube/command-context.ts';
import type { ClusterChoice } from '../../kube/context-flag.ts';
import { parseTime } from '../../kube/time.ts';
import type { Source, SourceContext } from '../../kube/snapshot.ts';
import type { Unread } from '../../report/report.ts';

/** What became of the question in one of several clusters. */
export type ContextAnswer<Document> =
  | { readonly type: 'read'; readonly context: string; readonly document: Document; readonly message?: string }
  /** Read, and what was named does not exist in it. */
  | { readonly type: 'missing'; readonly context: string; readonly message: string }
  /** Not reached, not admitted, or not answered in time. */
  | { readonly type: 'unread'; readonly context: string; readonly message: string }
  /** Not read, because another context leads to the same cluster as the same user. */
  | { readonly type: 'same'; readonly context: string; readonly sameAs: string };

export interface SeveralSources {
  /** They are dumps, and no clusters. */
  readonly isDump: boolean;
  /** The file that --kubeconfig chose, which commands have to name too. */
  readonly kubeconfig?: string | undefined;
  /** The time, for an answer for which no cluster has a time. */
  readonly now: string;
}

/** What the documents of all commands share. */
interface Sourced {
  readonly takenAt: string;
  readonly source: Source;
}

export interface ReadContext<Document> {
  readonly context: string;
  readonly document: Document;
}

export function readContexts<Document>(answers: readonly ContextAnswer<Document>[]): ReadContext<Document>[] {
  return answers.flatMap((answer) => (answer.type === 'read' ? [answer] : []));
}

/** All clusters that an answer is about, in the order in which they were named. */
function sourceOfContexts<Document extends Sourced>(
  answers: readonly ContextAnswer<Document>[],
  isDump: boolean,
  summaryOf: (document: Document) => Readonly<Record<string, number>> | undefined,
): Source {
  const types = new Set(readContexts(answers).map(({ document }) => document.source.type));
  const [type = isDump ? 'files' : 'cluster', ...others] = types;
  const noun = isDump ? 'dump' : 'cluster';
  // Two contexts of one cluster are one cluster.
  const count = answers.filter((answer) => answer.type !== 'same').length;
  return {
    type: others.length > 0 ? 'files' : type,
    name: `${count} ${noun}${count === 1 ? '' : 's'}`,
    contexts: answers.map((answer) => sourceContext(answer, summaryOf)),
  };
}

function sourceContext<Document extends Sourced>(
  answer: ContextAnswer<Document>,
  summaryOf: (document: Document) => Readonly<Record<string, number>> | undefined,
): SourceContext {
  const { context: name } = answer;
  switch (answer.type) {
    case 'same':
      return { name, status: 'same', sameAs: answer.sameAs };
    case 'unread':
      return { name, status: 'unread', message: answer.message };
    case 'missing':
      return { name, status: 'read', message: answer.message };
    case 'read': {
      const summary = summaryOf(answer.document);
      return {
        name,
        status: 'read',
        takenAt: answer.document.takenAt,
        ...(answer.message !== undefined && { message: answer.message }),
        ...(summary && { summary }),
      };
    }
  }
}

/** The beginning of every document about several clusters. */
export function headOfContexts<Document extends Sourced>(
  answers: readonly ContextAnswer<Document>[],
  { isDump, now }: SeveralSources,
  summaryOf: (document: Document) => Readonly<Record<string, number>> | undefined,
): Sourced {
  const documents = readContexts(answers).map(({ document }) => document);
  return { takenAt: latestTime(documents, now), source: sourceOfContexts(answers, isDump, summaryOf) };
}

/** Each number of the summaries, added up over all clusters that were read. */
export function sumSummaries<Summary extends object>(
  read: readonly ReadContext<{ readonly summary: Summary }>[],
  names: readonly (keyof Summary)[],
): Summary {
  const total = (name: keyof Summary): number =>
    read.reduce((sum, { document }) => sum + (document.summary[name] as number), 0);
  return Object.fromEntries(names.map((name) => [name, total(name)])) as Summary;
}

/** The entries of all clusters that were read, each with the name of its cluster. */
export function entriesInContext<Document, Entry extends object>(
  read: readonly ReadContext<Document>[],
  entriesOf: (document: Document) => readonly Entry[],
): (Entry & { readonly context: string })[] {
  return read.flatMap(({ context, document }) => entriesOf(document).map(inContext(context)));
}

/** The namespace, if the question was about the same one in every cluster. */
export function sharedNamespace(read: readonly ReadContext<{ readonly namespace?: string | undefined }>[]): {
  readonly namespace?: string;
} {
  const [namespace, ...others] = new Set(read.map(({ document }) => document.namespace));
  return namespace === undefined || others.length > 0 ? {} : { namespace };
}

/** A cluster that was not read hides anything, so each is an entry of what is unread. */
export function unreadContexts(answers: readonly ContextAnswer<unknown>[], needed: string): Unread[] {
  return answers.flatMap((answer) =>
    answer.type === 'unread'
      ? [
          {
            resource: 'the whole cluster',
            verb: 'list' as const,
            reason: 'failed' as const,
            needed,
            message: answer.message,
            context: answer.context,
          },
        ]
      : [],
  );
}

export const inContext =
  (context: string) =>
  <Entry extends object>(entry: Entry): Entry & { readonly context: string } => ({ context, ...entry });

/** The latest: that is when the answer was complete. */
function latestTime(documents: readonly Sourced[], now: string): string {
  const times = documents.map(({ takenAt }) => takenAt);
  return times.toSorted((one, other) => (parseTime(other) ?? 0) - (parseTime(one) ?? 0))[0] ?? now;
}

/**
 * The same cause reads differently in each cluster: its counts, ages and the generated ends of pod names are others.
 * What remains of the first sentence is what two clusters must share for their causes to be one. All other names count:
 * two classes that are missing are two causes, even if only a digit tells them apart.
 */
export function sharedSentence(sentence: string): string {
  const [first = ''] = /^.*?[^.\s]{2}\.(?= [A-Z"])/s.exec(sentence) ?? [sentence];
  return (
    first
      .replaceAll(/\bpod\/[\w.-]*\w/g, (pod) => pod.replace(/(?:-[0-9a-f]{5,10})?-[0-9a-z]{5}$/, '-#'))
      // A number of its own, with or without a unit.
      .replaceAll(/(?<![\w./"-])\d[\d.A-Za-z%]*(?![\w/"-])/g, '#')
      // `1 claim waits`, `2 claims wait`.
      .replaceAll(/# (\w+?)s?\b(?: (?:is|are|waits?|has|have)\b)?/g, '# $1')
  );
}

/** The sentence of several clusters: where theirs differ, it says which one it is about. */
export function sentenceOf(own: readonly { readonly context: string; readonly sentence: string }[]): string {
  const [first] = own;
  if (first === undefined) return '';
  const isShared = own.every(({ sentence }) => sentence === first.sentence);
  return isShared ? first.sentence : `In ${first.context}: ${first.sentence}`;
}

/** How the commands of a cluster reach it, and what the files that they write are called. */
export function placeOfCommands(choice: ClusterChoice, prefix: string, commands: readonly string[]): CommandPlace {
  return { ...choice, filePrefix: prefix, files: filesWritten(commands) };
}

/** A beginning for file names for each context; no two are the same. */
export function filePrefixes(contexts: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    contexts.map((context) => {
      const plain = context.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^[-._]+/, '') || 'cluster';
      let name = plain;
      // Case does not tell files apart on every system.
      for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${plain}-${number}`;
      taken.add(name.toLowerCase());
      return [context, `${name}.`];
    }),
  );
}
