import { spawn } from 'node:child_process';

export interface Contestant {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly name: string;
  readonly milliseconds: readonly number[];
}

/** Runs all contestants in turn, so that whatever else the machine does hits them alike; the first round only warms the caches. */
export async function measure(contestants: readonly Contestant[], rounds: number): Promise<Measured[]> {
  const times = contestants.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const taken = await time(contestant);
      if (round > 0 && taken !== undefined) times[index]?.push(taken);
    }
  }
  return contestants.map(({ name }, index) => ({ name, milliseconds: times[index] ?? [] }));
}

/** A child process, not a synchronous one: the server that answers it may live in this process. */
function time({ command, words, env }: Contestant): Promise<number | undefined> {
  const begun = process.hrtime.bigint();
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: 'ignore', env: { ...process.env, ...env } });
    child.on('error', () => resolve(undefined));
    child.on('close', () => resolve(Number(process.hrtime.bigint() - begun) / 1e6));
  });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A table of medians, and each as a ratio to the named one of the same run. */
export function ratioTable(measured: readonly Measured[], against: string): string {
  const base = median(measured.find(({ name }) => name === against)?.milliseconds ?? []);
  const width = Math.max(...measured.map(({ name }) => name.length)) + 2;
  return measured
    .map(({ name, milliseconds }) => {
      if (milliseconds.length === 0) return `${name.padEnd(width)}not installed`;
      const middle = median(milliseconds);
      return `${name.padEnd(width)}${middle.toFixed(0).padStart(5)} ms  least ${Math.min(...milliseconds).toFixed(0)} ms  ratio ${(middle / base).toFixed(2)}`;
    })
    .join('\n');
}
