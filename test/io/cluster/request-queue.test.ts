import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestQueue } from '../../../src/io/cluster/request-queue.ts';
import type { Distance } from '../../../src/io/cluster/request-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue with so many requests in it, on a clock that shows how long the process has waited. */
async function queueOf(count: number, distance: Distance) {
  const clock = { waited: 0 };
  const queue = new RequestQueue(
    () => distance,
    () => clock.waited,
  );
  const running: (() => void)[] = [];
  const ask = (): void => void queue.enter().then((leave) => running.push(leave));
  for (let index = 0; index < count; index += 1) ask();
  await vi.advanceTimersByTimeAsync(0);
  return {
    running,
    ask,
    async pass(milliseconds: number, isBusy = false) {
      if (!isBusy) clock.waited += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    },
    async answer(count: number) {
      for (const leave of running.splice(0, count)) {
        queue.noteAnswer();
        leave();
      }
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('requests to a server that connects at once', () => {
  const tunnel: Distance = { roundTripMs: 0, hasProxy: false };

  it('share a connection while answers are quick', async () => {
    const queue = await queueOf(4, tunnel);
    expect(queue.running).toHaveLength(1);
    await queue.pass(1);
    await queue.answer(1);
    expect(queue.running).toHaveLength(1);
  });

  it('are all sent as soon as the first answer is late: it may be the end of a tunnel', async () => {
    const queue = await queueOf(8, tunnel);
    await queue.pass(12);
    expect(queue.running).toHaveLength(8);
  });

  it('stay parallel once answers were late', async () => {
    const queue = await queueOf(4, tunnel);
    await queue.pass(12);
    await queue.pass(30);
    await queue.answer(4);
    for (let index = 0; index < 6; index += 1) queue.ask();
    await queue.pass(0);
    expect(queue.running).toHaveLength(6);
  });

  it('are not late because this process is busy', async () => {
    const queue = await queueOf(4, tunnel);
    await queue.pass(200, true);
    expect(queue.running).toHaveLength(1);
  });

  it('do not wait behind a single slow one', async () => {
    const queue = await queueOf(1, tunnel);
    await queue.pass(1);
    await queue.answer(1);
    for (let index = 0; index < 4; index += 1) queue.ask();
    await queue.pass(1);
    await queue.answer(1);
    await queue.pass(9);
    expect(queue.running).toHaveLength(2);
  });
});

it('a server that takes long to connect to, and one behind a proxy, are asked in parallel from the start', async () => {
  expect((await queueOf(12, { roundTripMs: 30, hasProxy: false })).running).toHaveLength(10);
  expect((await queueOf(12, { roundTripMs: undefined, hasProxy: true })).running).toHaveLength(10);
});
