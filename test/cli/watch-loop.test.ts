import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lookUntil, printOnChange, withoutAges } from '../../src/cli/watch-loop.ts';
import type { Turn, Watch } from '../../src/cli/watch-loop.ts';

const never = (): AbortSignal => new AbortController().signal;
/** Longer than any test may take. */
const longMs = 600_000;

describe('looking until there is a result', () => {
  it('ends with the first result, and ends the watch', async () => {
    let ended: AbortSignal | undefined;
    const watch: Watch = (_onChange, signal) => {
      ended = signal;
      return new Promise(() => undefined);
    };
    await expect(lookUntil(() => Promise.resolve({ result: 7 }), { watch, signal: never() })).resolves.toBe(7);
    expect(ended?.aborted).toBe(true);
  });
  it('looks again after a change, once for a burst of them', async () => {
    let report: (() => void) | undefined;
    let changes = 0;
    const watch: Watch = (onChange) => {
      report = () => {
        changes += 1;
        onChange();
      };
      return new Promise(() => undefined);
    };
    const changesAtLooks: number[] = [];
    const look = (): Promise<Turn<readonly number[]>> => {
      changesAtLooks.push(changes);
      if (changesAtLooks.length === 2) return Promise.resolve({ result: changesAtLooks });
      for (const delay of [0, 20, 40, 60]) setTimeout(() => report?.(), delay);
      return Promise.resolve({ waitMs: longMs });
    };
    await expect(lookUntil(look, { watch, signal: never() })).resolves.toEqual([0, 4]);
  });
  it('looks again after a while without any change', async () => {
    let looks = 0;
    const look = (): Promise<Turn<number>> => {
      looks += 1;
      return Promise.resolve(looks === 3 ? { result: looks } : { waitMs: 5 });
    };
    await expect(lookUntil(look, { signal: never() })).resolves.toBe(3);
  });
  it('looks at once when it is interrupted, so that the look can end it', async () => {
    const ending = new AbortController();
    const look = (): Promise<Turn<string>> => {
      if (ending.signal.aborted) return Promise.resolve({ result: 'interrupted' });
      setTimeout(() => ending.abort(), 5);
      return Promise.resolve({ waitMs: longMs });
    };
    await expect(lookUntil(look, { signal: ending.signal })).resolves.toBe('interrupted');
  });
  it('goes on without a watch that fails, and passes on what a look throws', async () => {
    const watch: Watch = () => Promise.reject(new Error('refused'));
    let looks = 0;
    const look = (): Promise<Turn<number>> => {
      looks += 1;
      return looks === 2 ? Promise.reject(new Error('unreachable')) : Promise.resolve({ waitMs: 5 });
    };
    await expect(lookUntil(look, { watch, signal: never() })).rejects.toThrow('unreachable');
  });
});

describe('printing on every change', () => {
  /** Prints what these looks give, each after its time in milliseconds, and returns what was written. */
  async function printed(looks: readonly (readonly [essence: string, takesMs: number])[]): Promise<string[]> {
    const written: string[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      const spy = vi.spyOn(stream, 'write').mockImplementation((text, ...rest: unknown[]) => {
        written.push(String(text).trimEnd());
        (rest.at(-1) as () => void)();
        return true;
      });
      onTestFinished(() => spy.mockRestore());
    }
    let next = 0;
    const look = async () => {
      const [essence, takesMs] = looks[next++] ?? [];
      if (essence === undefined) return undefined;
      await new Promise((resolve) => setTimeout(resolve, takesMs));
      return { essence, exitCode: 0, render: () => Promise.resolve(`${essence}\n`) } as const;
    };
    await printOnChange(look, { waitMs: 1, lateMs: 50 });
    return written;
  }
  const late = expect.stringMatching(/^warning: There has been no answer for .* may be out of date\.$/) as unknown;

  it('says that what was printed may be out of date while an answer takes long', async () => {
    expect(
      await printed([
        ['nothing', 0],
        ['nothing', 500],
        ['stuck', 500],
      ]),
    ).toEqual(['nothing', late, 'The answer has come: nothing has changed.', 'stuck']);
  });
  it('says nothing of the kind before something was printed', async () => {
    expect(await printed([['nothing', 500]])).toEqual(['nothing']);
  });
});

describe('comparing two looks', () => {
  it('takes no notice of ages in sentences', () => {
    expect(withoutAges({ note: 'not renewed for 97m' })).toBe(withoutAges({ note: 'not renewed for 2h3m' }));
    expect(withoutAges({ note: '3 of 25 slots' })).not.toBe(withoutAges({ note: '4 of 25 slots' }));
  });
});
