import { existsSync } from 'node:fs';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { clusterFlags } from '../../core/kube/context-flag.ts';
import { asSentence } from '../../core/kube/sentence.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import type { ContextAnswer, SeveralSources } from '../../core/survey/contexts/context-answer.ts';
import { isJsonpathFormat } from '../../terminal/document-format.ts';
import { complain } from '../../terminal/output.ts';
import { canMove, startLine } from '../../terminal/progress.ts';
import type { EndOf } from '../../terminal/screen.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { parseDuration } from '../duration.ts';
import type { ClusterSource } from '../open-source.ts';
import { chooseContexts, refuseSingleFlags } from './choose-contexts.ts';
import type { ChosenContext, SeveralFlags } from './choose-contexts.ts';
import { namedDump } from './contexts-flags.ts';
import { inTime, readInTurns } from './read-in-turns.ts';
import type { Turn } from './read-in-turns.ts';

const usualLimitMs = 60_000;

/** The answer of one cluster; the message names what does not exist in it. */
export interface OwnAnswer<Document> {
  readonly document: Document;
  readonly message?: string | undefined;
}

/** Several clusters or dumps that are asked the same question. */
export interface Several extends SeveralSources {
  /** What to append to a command that queries the cluster or the dump of this name again. */
  readonly endOf: EndOf;
  /** Queries each of them. None fails as a whole: its answer holds the failure. */
  ask<Document>(
    question: (source: ClusterSource, context: string) => Promise<OwnAnswer<Document>>,
  ): Promise<ContextAnswer<Document>[]>;
}

/** How one of them is opened. */
interface Opener {
  readonly chosen: readonly ChosenContext[];
  readonly limitMs: number | undefined;
  /** Dumps are read one after the other: reading one uses the whole processor. */
  readonly atOnce?: number;
  open(name: string, turn: Turn): Promise<ClusterSource>;
}

/** Undefined if the flags name one cluster or one dump after all. */
export async function openSeveral(flags: SeveralFlags, isAboutWholeCluster: boolean): Promise<Several | undefined> {
  const dumps = namedDumps(flags.from ?? []);
  const isAskingContexts =
    flags.contexts !== undefined || flags['all-contexts'] === true || flags['context-timeout'] !== undefined;
  if (dumps === undefined && !isAskingContexts) return undefined;
  const opener = isAskingContexts
    ? await contextOpener(flags, isAboutWholeCluster)
    : dumpOpener(dumps ?? new Map(), flags);
  if (flags.watch === true)
    throw new UserError(
      `--watch cannot be combined with ${dumps === undefined ? 'several contexts' : '--from'}`,
      dumps === undefined ? 'Follow one cluster: --context NAME -w' : 'A dump does not change: remove one of them',
    );
  return {
    isDump: !isAskingContexts,
    ...(isAskingContexts && { kubeconfig: flags.kubeconfig || undefined }),
    endOf: isAskingContexts
      ? (context) => ` ${clusterFlags({ kubeconfig: flags.kubeconfig, context })}`
      : (context) => dumpEnd(context, flags.from ?? []),
    now: new Date().toISOString(),
    ask: (question) => askAll(opener, question),
  };
}

/** The flags that read the dump of this name again. */
function dumpEnd(context: string | undefined, from: readonly string[]): string {
  return from
    .filter((written) => context !== undefined && written.startsWith(`${context}=`))
    .map((written) => ` --from ${shellWord(written)}`)
    .join('');
}

async function contextOpener(flags: SeveralFlags, isAboutWholeCluster: boolean): Promise<Opener> {
  refuseSingleFlags(flags);
  const written = flags['context-timeout'];
  const limitMs = written === undefined ? usualLimitMs : parseDuration('--context-timeout', written);
  const { kubeconfig, chosen } = await chooseContexts(flags, isAboutWholeCluster);
  const { openContext } = await import('../cluster-source.ts');
  return {
    chosen,
    limitMs,
    open: (name, turn) => openContext({ ...flags, context: name }, kubeconfig, turn.noteAnswer),
  };
}

function dumpOpener(dumps: ReadonlyMap<string, readonly string[]>, flags: SeveralFlags): Opener {
  return {
    chosen: [...dumps.keys()].map((name) => ({ name })),
    limitMs: undefined,
    atOnce: 1,
    open: async (name) => {
      const { openDump } = await import('../dump-source.ts');
      const note = (line: string): void => void complain(`warning: ${sanitise(`${name}: ${line}`)}`);
      const source = await openDump(dumps.get(name) ?? [], flags, note);
      // Read now, so that a file that does not exist is a mistake in the command line, and no answer of this cluster.
      await source.answer(() => Promise.resolve({ needs: [] }));
      return source;
    },
  };
}

/** `--from NAME=PATH`: the paths of each name. Undefined where no dump is named. */
function namedDumps(from: readonly string[]): ReadonlyMap<string, readonly string[]> | undefined {
  const read = from.map((written) => ({
    written,
    groups: existsSync(written) ? undefined : namedDump.exec(written)?.groups,
  }));
  if (read.every(({ groups }) => groups === undefined)) return undefined;
  const bare = read.find(({ groups }) => groups === undefined);
  if (bare !== undefined)
    throw new UserError(
      `--from ${bare.written} has no name, but other dumps have one`,
      `Name every dump (--from NAME=${bare.written}), or none to read all as one cluster`,
    );
  const dumps = new Map<string, string[]>();
  for (const { groups = {} } of read) {
    const { name = '', path = '' } = groups;
    dumps.set(name, [...(dumps.get(name) ?? []), path]);
  }
  const stdin = [...dumps.values()].flat().filter((path) => path === '-').length;
  if (stdin > 1) throw new UserError('standard input is one dump, and cannot be read twice', 'Name files instead of -');
  return dumps;
}

async function askAll<Document>(
  { chosen, limitMs, atOnce, open }: Opener,
  question: (source: ClusterSource, context: string) => Promise<OwnAnswer<Document>>,
): Promise<ContextAnswer<Document>[]> {
  const different = chosen.filter(({ sameAs }) => sameAs === undefined);
  let done = 0;
  const stop = startProgress(() => `reading ${different.length} clusters, ${done} done`);
  try {
    return await readInTurns(
      chosen,
      async ({ name, sameAs }, turn): Promise<ContextAnswer<Document>> => {
        if (sameAs !== undefined) return { type: 'same', context: name, sameAs };
        const answer = await askOne(name, () => open(name, turn), question, limitMs);
        done += 1;
        return answer;
      },
      atOnce,
    );
  } finally {
    stop();
  }
}

function startProgress(text: () => string): () => void {
  return canMove(process.stderr) ? startLine(text, false, process.stderr) : () => undefined;
}

async function askOne<Document>(
  context: string,
  open: () => Promise<ClusterSource>,
  question: (source: ClusterSource, context: string) => Promise<OwnAnswer<Document>>,
  limitMs: number | undefined,
): Promise<ContextAnswer<Document>> {
  let source: ClusterSource | undefined;
  const work = async (): Promise<OwnAnswer<Document>> => question((source = await open()), context);
  try {
    const own = limitMs === undefined ? await work() : await inTime(work(), limitMs);
    if (own === undefined) return { type: 'unread', context, message: lateMessage(limitMs ?? 0) };
    const { document, message } = own;
    return { type: 'read', context, document, ...(message !== undefined && { message }) };
  } catch (error) {
    // Nothing was opened: the mistake is in the flags, and not in what this cluster holds.
    if (error instanceof UserError && source === undefined) throw error;
    return failedAnswer(context, error);
  } finally {
    // Closes its connections and releases what it has read so far.
    await source?.close();
  }
}

const lateMessage = (limitMs: number): string =>
  asSentence(`it was not read within ${limitMs / 1000} s (--context-timeout)`);

/** A cluster that fails is one that could not be read; what does not exist in it is an answer. */
function failedAnswer(context: string, error: unknown): ContextAnswer<never> {
  if (error instanceof UserError) return { type: 'missing', context, message: asSentence(error.message) };
  if (error instanceof EnvironmentError) return { type: 'unread', context, message: asSentence(error.message) };
  const what = error instanceof Error ? `${error.name}: ${error.message.split('\n', 1)[0] ?? ''}` : String(error);
  return { type: 'unread', context, message: asSentence(`this is a bug in kubectl csi: ${what}`) };
}

/** Names the clusters that could not be read on standard error, for formats that hold objects only. */
export async function sayUnread(answers: readonly ContextAnswer<unknown>[], output: string): Promise<void> {
  if (output !== 'name' && !isJsonpathFormat(output)) return;
  for (const answer of answers)
    if (answer.type === 'unread') await complain(sanitise(`${answer.context} could not be read: ${answer.message}`));
}

/**
 * Ends the command where no cluster has an answer: none could be read, or what was named exists in none of them. Where
 * one of several could not be read, nothing is known to exist in none.
 */
export async function refuseNoAnswer(answers: readonly ContextAnswer<unknown>[], isDump: boolean): Promise<void> {
  if (answers.some(({ type }) => type === 'read')) return;
  const unread = answers.filter((answer) => answer.type === 'unread');
  const missing = answers.filter((answer) => answer.type === 'missing');
  if (unread.length > 0 && missing.length > 0) return;
  const noun = isDump ? 'dump' : 'cluster';
  const failed = [...unread, ...missing];
  const [first] = failed;
  if (first === undefined) return;
  const isShared = failed.every(({ message }) => message === first.message);
  if (!isShared) for (const { context, message } of failed) await complain(sanitise(`${context}: ${message}`));
  const where = failed.length === 1 ? first.context : `each of ${failed.length} ${noun}s`;
  if (unread.length > 0)
    throw new EnvironmentError(
      failed.length === 1
        ? `${noun === 'dump' ? noun : 'context'} "${first.context}" could not be read: ${first.message}`
        : `none of ${failed.length} ${noun}s could be read${isShared ? `: ${first.message}` : ''}`,
    );
  throw new UserError(
    isShared ? `in ${where}: ${first.message}` : `nothing of what was named exists in any of ${failed.length} ${noun}s`,
    'Check the name and the namespace (-n)',
  );
}
