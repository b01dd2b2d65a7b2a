import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';

/** How long work may take to clean up after an interruption. */
const graceMs = 2000;
let ending: AbortController | undefined;
let exitCode: ExitCode = exitCodes.interrupted;

/**
 * The signal that Ctrl-C or SIGTERM gives to work that has something to clean up: a server, a temporary file, a watch.
 * Unless this is called, an interruption ends the process at once.
 */
export function interruption(): AbortSignal {
  if (ending !== undefined) return ending.signal;
  const controller = new AbortController();
  ending = controller;
  const end = (code: ExitCode) => (): void => {
    exitCode = code;
    if (controller.signal.aborted) process.exit(code);
    controller.abort();
    setTimeout(() => process.exit(code), graceMs).unref();
  };
  process.on('SIGINT', end(exitCodes.interrupted));
  process.on('SIGTERM', end(exitCodes.terminated));
  process.on('SIGHUP', end(exitCodes.hungUp));
  return controller.signal;
}

/** The exit code after an interruption; undefined if there was none. */
export function interruptedExitCode(): ExitCode | undefined {
  return ending?.signal.aborted === true ? exitCode : undefined;
}

export function untilInterrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // Listening for a signal alone does not keep the process alive.
    const alive = setInterval(() => undefined, 1 << 30);
    const finish = (): void => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish, { once: true });
  });
}
