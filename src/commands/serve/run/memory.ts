import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { heapGrowthPercent } from '../heap.ts';

/** It takes less than a second even for a large cluster, and nobody waits for it. */
const giveBackEveryMs = 120_000;

type Collect = (options: {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}) => void;

/**
 * Keeps the memory of this thread near what is in use. V8 gives freed memory back when a program is idle, and a thread that judges a cluster which
 * changes all the time is never idle.
 */
export function keepMemorySmall(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setInterval(() => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }), giveBackEveryMs).unref();
}
