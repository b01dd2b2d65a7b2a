import type { ChildProcess } from 'node:child_process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts a child that ends when this process ends or is sent a signal: otherwise a plugin that waits for a login would
 * stay. It listens before the start, because a signal that arrives during the start would end only this process.
 */
export function startEndingWithThisProcess<Child extends ChildProcess>(start: () => Child): Child {
  let child: Child | undefined = undefined;
  const end = (): void => void child?.kill();
  const pass = (signal: NodeJS.Signals): void => {
    child?.kill(signal);
    stop();
    // Another listener decides how this process ends; without one the signal ends it, as if there were no child.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const stop = (): void => {
    process.off('exit', end);
    for (const signal of signals) process.off(signal, pass);
  };
  process.on('exit', end);
  for (const signal of signals) process.on(signal, pass);
  try {
    const started = start();
    child = started;
    started.once('close', stop).once('error', stop);
    return started;
  } catch (error) {
    stop();
    throw error;
  }
}
