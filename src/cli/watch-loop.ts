import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { interruptedExitCode, interruption } from './interruption.ts';
import type { ClusterSource, Watched } from './open-source.ts';
import { print } from '../terminal/output.ts';

/** Changes come in flocks: a pod that starts is changed a dozen times in a second. */
const quietMs = 500;
/** Nodes, leases and volumes are not watched, and time alone makes a wait too long: look again now and then. */
const lookAgainMs = 15_000;

export interface Look {
  /** Whatever must differ for it to be printed again. */
  readonly essence: string;
  readonly exitCode: ExitCode;
  readonly render: () => Promise<string>;
}

/** Prints what a look gives, and again whenever its essence changes, until Ctrl-C or until nobody reads it. */
export async function printOnChange(
  source: ClusterSource,
  watched: Watched,
  look: (isFirst: boolean) => Promise<Look>,
): Promise<ExitCode> {
  const readerGone = new AbortController();
  process.stdout.on('error', () => readerGone.abort());
  const signal = AbortSignal.any([interruption(), readerGone.signal]);
  const bell = createBell(signal);
  // The watch itself may fail later on (a right is taken away); then only the regular look is left.
  const watching = source.watch(watched, bell.ring, signal).catch(() => undefined);
  let shown: string | undefined;
  let exitCode: ExitCode = exitCodes.ok;
  while (!signal.aborted) {
    const seen = await look(shown === undefined);
    exitCode = seen.exitCode;
    if (seen.essence !== shown) {
      await print(await seen.render());
      shown = seen.essence;
    }
    await bell.next();
  }
  await watching;
  return interruptedExitCode() ?? exitCode;
}

/** Something to compare without the ages in its sentences: that a lease is stale for a second more is no news. */
export function withoutAges(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.replaceAll(/\b(?:\d+[dhms])+\b/g, '') : part,
  );
}

/** What stands between two reports of one watch. */
export function separator(output: string, isFirst: boolean, at: string): string {
  if (output === 'yaml') return '---\n';
  if (isFirst || output === 'json' || output === 'name') return '';
  return `\n${at}\n\n`;
}

/** Rings once for many changes that come close together, and by itself after a while. */
export function createBell(signal: AbortSignal): { ring: () => void; next: (mostMs?: number) => Promise<void> } {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    next: async (mostMs = lookAgainMs) => {
      await new Promise<void>((resolve) => {
        if (rung || signal.aborted) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, mostMs);
        wake = end;
        signal.addEventListener('abort', end, { once: true });
      });
      wake = undefined;
      if (rung && !signal.aborted) await quiet(signal);
      rung = false;
    },
  };
}

function quiet(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, quietMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
