import { setTimeout as sleep } from 'node:timers/promises';

/** How much longer everything may take on a machine that is busy with other things. */
const busyFactor = 3;

/** Asks again and again until there is an answer; a failed question counts as no answer yet. */
export async function until<T>(what: string, seconds: number, ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + seconds * busyFactor * 1000;
  let trouble = '';
  for (let pause = 100; ; pause = Math.min(pause * 1.5, 1000)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      trouble = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (Date.now() > end) throw new Error(`waited ${seconds * busyFactor} s in vain for ${what}${trouble}`);
    await sleep(pause);
  }
}
