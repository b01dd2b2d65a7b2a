import { inLanes } from './lanes.ts';
import { startDemo } from './signals/cluster.ts';
import { runCase } from './signals/run-case.ts';
import type { Case, Moment, Victim } from './signals/run-case.ts';
import { screens, victims, whyNoTerminal } from './signals/victims.ts';
import type { Outcome } from './suite.ts';

export const name = 'signals';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const moments: readonly Moment[] = [
  { afterMs: 0 },
  { afterMs: 60 },
  { afterMs: 250 },
  'first output',
  { afterMs: 1500 },
];
const lanes = 3;

function momentsOf({ isSilent }: Victim): readonly Moment[] {
  return isSilent === true ? moments.filter((moment) => moment !== 'first output') : moments;
}

export async function attack(report: (line: string) => void): Promise<Outcome> {
  const missing = whyNoTerminal();
  const cases: Case[] = [
    ...[...victims, ...(missing === undefined ? screens : [])].flatMap((victim) => [
      ...signals.flatMap((signal) => momentsOf(victim).map((moment): Case => ({ victim, signal, moment }))),
      { victim, signal: 'SIGINT', moment: { afterMs: 600 }, twice: true } as const,
    ]),
    ...victims
      .filter(({ name }) => !/plugin|^demo$|FILE|wait/.test(name))
      .flatMap((victim) =>
        // A watch notices that its reader is gone when it prints the next time, as kubectl's does.
        ([{ afterMs: 0 }, ...(victim.waits ? [] : (['first output'] as const))] as const).map((moment): Case => ({
          victim,
          signal: 'reader gone',
          moment,
        })),
      ),
    ...victims
      .filter(({ waits }) => !waits)
      .map((victim): Case => ({ victim, signal: 'SIGPIPE', moment: { afterMs: 200 } })),
  ];
  report(`${cases.length} signals`);
  const demo = await startDemo();
  try {
    const found = await inLanes(cases, lanes, (one) => runCase(one, demo));
    return {
      cases: cases.length,
      failures: found.filter((problem) => problem !== undefined),
      ...(missing === undefined ? {} : { skipped: missing }),
    };
  } finally {
    await demo.stop();
  }
}
