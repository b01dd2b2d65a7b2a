import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until there is an answer; a failed question counts as no answer yet. */
export async function until<T>(what: string, seconds: number, ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let trouble = '';
  for (let pause = 100; ; pause = Math.min(pause * 1.5, 1000)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      trouble = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}${trouble}`);
    await sleep(pause);
  }
}
