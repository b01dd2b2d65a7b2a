import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemo } from '../attack/signals/cluster.ts';
import type { RunningDemo } from '../attack/signals/cluster.ts';
import { nameOf, runCase } from '../attack/signals/run-case.ts';
import type { Case, Moment } from '../attack/signals/run-case.ts';
import { victims } from '../attack/signals/victims.ts';

function caseOf(victimName: string, signal: Case['signal'], moment: Moment): Case {
  const victim = victims.find(({ name }) => name === victimName);
  if (victim === undefined) throw new Error(`no victim is called ${victimName}`);
  return { victim, signal, moment };
}

const cases: readonly Case[] = [
  caseOf('why-pending -A', 'SIGINT', { afterMs: 100 }),
  caseOf('why-pending -A -w', 'SIGHUP', 'first output'),
  caseOf('why-pending -A -w', 'reader gone', { afterMs: 0 }),
  caseOf('status -w', 'SIGTERM', 'first output'),
  caseOf('capture -A -o FILE', 'SIGTERM', { afterMs: 250 }),
  caseOf('demo', 'SIGHUP', 'first output'),
  caseOf('why-pending -A with a plugin', 'SIGTERM', { afterMs: 1500 }),
];

describe('a signal ends a command with its own exit code and nothing left behind (npm run attack has more)', () => {
  let demo: RunningDemo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo.stop());
  it.each(cases.map((one) => [nameOf(one), one] as const))('%s', async (_name, one) => {
    expect(await runCase(one, demo)).toBeUndefined();
  });
});
