import { isDocumentFormat } from '../terminal/document-format.ts';
import { complain, print } from '../terminal/output.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { interruptedExitCode, interruption } from './interruption.ts';
import type { ClusterSource } from './open-source.ts';
import type { Watched } from './question.ts';

/** Changes come in bursts, a dozen within a second while a pod starts: how long to wait for the end of one. */
const burstMs = 500;
/** Nodes, leases and volumes are not watched, and a wait grows too long without any change: look again this often. */
const usualWaitMs = 15_000;
/** A watch that was refused, or could not begin, is tried again after this time. */
const watchAgainMs = 15_000;
/** What is on the screen may no longer be true when a look takes this long, and several times as long as the one before. */
const usualLateMs = 10_000;
const lateLooks = 4;

/** Calls back when something may have changed, until the signal. */
export type Watch = (onChange: () => void, signal: AbortSignal) => Promise<void>;

/** The watch of some kinds of a cluster. */
export function watchOf(source: Pick<ClusterSource, 'watch'>, watched: Watched): Watch {
  return (onChange, signal) => source.watch(watched, onChange, signal);
}

/** What a look came to: the result that ends the loop, or how long to wait for a change before the next look. */
export type Turn<Result> = { readonly result: Result } | { readonly waitMs?: number };

/**
 * Looks immediately, after every change that the watch reports, and after a while without one, until a look gives a
 * result.
 */
export async function lookUntil<Result>(
  look: () => Promise<Turn<Result>>,
  { watch, signal }: { readonly watch?: Watch | undefined; readonly signal: AbortSignal },
): Promise<Result> {
  const over = new AbortController();
  const changes = new Changes(AbortSignal.any([signal, over.signal]));
  // Not awaited at the end: a server that does not answer would hold up the program.
  if (watch !== undefined) void keepWatching(watch, changes);
  try {
    for (;;) {
      const turn = await look();
      if ('result' in turn) return turn.result;
      await changes.next(turn.waitMs ?? usualWaitMs);
    }
  } finally {
    over.abort();
  }
}

interface Look {
  /** Printed again only when this differs. */
  readonly essence: string;
  readonly exitCode: ExitCode;
  readonly render: () => Promise<string>;
}

/**
 * Prints what a look gives, and again whenever its essence changes, until Ctrl-C or until the reader of the output is
 * gone. A look that was interrupted gives undefined.
 */
export async function printOnChange(
  look: (isFirst: boolean) => Promise<Look | undefined>,
  {
    watch,
    waitMs,
    lateMs = usualLateMs,
  }: { readonly watch?: Watch; readonly waitMs?: number; readonly lateMs?: number },
): Promise<ExitCode> {
  const readerGone = new AbortController();
  process.stdout.on('error', () => readerGone.abort());
  const signal = AbortSignal.any([interruption(), readerGone.signal]);
  let shown: string | undefined;
  let exitCode: ExitCode = exitCodes.ok;
  const delay = new Delay(lateMs);
  return lookUntil<ExitCode>(
    async () => {
      const isFirst = shown === undefined;
      const seen = signal.aborted ? undefined : await delay.report(() => look(isFirst), isFirst);
      if (seen === undefined) return { result: interruptedExitCode() ?? exitCode };
      exitCode = seen.exitCode;
      if (seen.essence !== shown) await print(await seen.render());
      else if (delay.isReported) await complain('The answer has come: nothing has changed.');
      shown = seen.essence;
      return waitMs === undefined ? {} : { waitMs };
    },
    { watch, signal },
  );
}

/** Says when a look takes so long that what was printed before may no longer be true. */
class Delay {
  readonly #leastMs: number;
  #lastMs = 0;
  /** Whether the latest look was late. */
  isReported = false;

  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  async report<Result>(look: () => Promise<Result>, isFirst: boolean): Promise<Result> {
    const begun = performance.now();
    const lateMs = Math.max(this.#leastMs, this.#lastMs * lateLooks);
    this.isReported = false;
    const timer = setTimeout(() => {
      this.isReported = true;
      const seconds = Math.round(lateMs / 1000);
      void complain(`warning: There has been no answer for ${seconds}s. What is printed above may be out of date.`);
    }, lateMs);
    // Before the first answer, nothing is printed that could be out of date.
    if (isFirst) clearTimeout(timer);
    try {
      return await look();
    } finally {
      clearTimeout(timer);
      this.#lastMs = performance.now() - begun;
    }
  }
}

/** A text to compare, without the ages in its sentences: that a lease is stale for a second longer is no change. */
export function withoutAges(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.replaceAll(/\b(?:\d+[dhms])+\b/g, '') : part,
  );
}

/** What is printed between two reports of one watch. */
export function separator(output: string, isFirst: boolean, at: string): string {
  if (output === 'yaml') return '---\n';
  if (isFirst || output === 'name' || isDocumentFormat(output)) return '';
  return `\n${at}\n\n`;
}

/** Resolves after the time, or at once when the signal is given. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Remembers changes until the loop waits for them. */
class Changes {
  readonly signal: AbortSignal;
  #hasChanged = false;
  #wake: AbortController | undefined;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  readonly report = (): void => {
    this.#hasChanged = true;
    this.#wake?.abort();
  };

  /** Resolves after a burst of changes, after the time without one, or when the signal is given. */
  async next(longestMs: number): Promise<void> {
    this.#wake = new AbortController();
    if (!this.#hasChanged) await pause(longestMs, AbortSignal.any([this.signal, this.#wake.signal]));
    this.#wake = undefined;
    if (this.#hasChanged) await pause(burstMs, this.signal);
    this.#hasChanged = false;
  }
}

/** A refused watch ends permanently, but the right may be granted later, or the server may return. */
async function keepWatching(watch: Watch, { report, signal }: Changes): Promise<void> {
  while (!signal.aborted) {
    await watch(report, signal).catch(() => undefined);
    await pause(watchAgainMs, signal);
  }
}
