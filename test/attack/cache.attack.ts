import { mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Finished } from '../kit/run-program.ts';
import { Installation, cacheAt } from './cache/installation.ts';
import {
  difference,
  flipByte,
  poisonWorks,
  runAfterCrash,
  runAsRootWithForeignHome,
  runInUselessPlace,
  runShippedTampering,
  runTampering,
  runTogether,
  shippedTamperings,
  uselessPlaces,
} from './cache/run-cases.ts';
import type { Verdict } from './cache/run-cases.ts';
import { isRoot, tamperings } from './cache/tamperings.ts';
import { inLanes } from './lanes.ts';
import { Random, attackSeed } from './random.ts';
import type { Limits, Outcome } from './suite.ts';

export const name = 'cache corruption';

const flips = 300;
const lanes = 2;
const dump = fileURLToPath(new URL('../scenarios/base.yaml', import.meta.url));
/** The clock of the dump, so that ages are the same in every run. */
const at = '2026-01-01T00:00:00Z';
/** Commands whose code is kept, and what their directory is called. */
const commands: Readonly<Record<string, readonly string[]>> = {
  completion: ['completion', 'bash'],
  explain: ['explain', 'sc-missing'],
  help: ['--help'],
  'why-pending-all-from': ['why-pending', '-A', '--from', dump, '--at', at],
  'status-from': ['status', '--from', dump, '--at', at],
};

/** Waits for standard input, with its code loaded. */
const waiting = { words: ['why-pending', '-A', '--from', '-'], directory: 'why-pending-all-from' };

export async function attack(report: (line: string) => void, limits: Limits): Promise<Outcome> {
  const installation = await Installation.create(Object.values(commands));
  try {
    const usable = tamperings.filter(({ needsRoot }) => isRoot || needsRoot !== true);
    const verdicts: Verdict[] = [await poisonWorks(installation)];
    report(`${usable.length} kinds of files, rights and owners`);
    verdicts.push(...(await inLanes(usable, lanes, (tampering) => runTampering(installation, tampering))));
    for (const shipped of shippedTamperings) verdicts.push(await runShippedTampering(installation, shipped));
    report('crashes, other homes, places where nothing can be kept');
    for (const signal of ['SIGSEGV', 'SIGABRT', 'SIGKILL', 'SIGBUS'] as const)
      verdicts.push(await runAfterCrash(installation, signal, waiting));
    for (const hasCache of [true, false]) verdicts.push(await runAsRootWithForeignHome(installation, hasCache));
    verdicts.push(await runTogether(installation, 6));
    for (const [place, path] of Object.entries(uselessPlaces(installation)))
      verdicts.push(await runInUselessPlace(installation, place, path));
    verdicts.push(...(await flipBytes(installation, report, limits)));
    return {
      cases: verdicts.length,
      failures: verdicts.filter((verdict) => verdict !== undefined),
      ...(isRoot ? {} : { skipped: 'other owners need root' }),
    };
  } finally {
    installation.remove();
  }
}

/** One byte of one file changes, again and again; the files are written anew by the runs in between. */
async function flipBytes(
  installation: Installation,
  report: (line: string) => void,
  limits: Limits,
): Promise<Verdict[]> {
  const seed = attackSeed();
  report(`${limits.seconds === undefined ? flips : `${limits.seconds} s of`} flipped bytes, ATTACK_SEED=${seed}`);
  const clean = new Map<string, Finished>();
  for (const [command, words] of Object.entries(commands)) clean.set(command, await installation.runClean(words));
  const end = performance.now() + (limits.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const laneNumbers = Array.from({ length: lanes }, (_, lane) => lane);
  const verdicts = await inLanes(laneNumbers, lanes, async (lane) => {
    const random = new Random(seed + lane);
    const { base, build } = installation.copyCache('good');
    const found: Verdict[] = [];
    for (let count = 0; count < flips / lanes || limits.seconds !== undefined; count += 1) {
      if (performance.now() > end) break;
      const command = random.pick(readdirSync(build).filter((entry) => commands[entry] !== undefined));
      const flip = flipByte(`${cacheAt(base).build}/${command}`, random);
      const finished = await installation.run(commands[command] ?? [], base);
      found.push(difference(flip, finished, clean.get(command) as Finished));
      mkdirSync(`${build}/${command}`, { recursive: true, mode: 0o700 });
    }
    return found;
  });
  return verdicts.flat();
}
