import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBinaries, cacheDirectory, definitionsDirectory, missingBinaries } from './binaries.ts';
import { Cluster, removeRemains } from './cluster/cluster.ts';
import { numbersOf, rowOf, showNumbers, writeTable } from './fix-table.ts';
import { installCommand, installPackages, isOnPath, missingPackages } from './packages.ts';
import type { FixResult } from './fix-result.ts';
import { Program } from './program.ts';
import { probeScenarios, runProbeScenarios } from './run-probe-scenarios.ts';
import type { ProbeResult } from './run-probe-scenarios.ts';
import { readings } from './run-readings.ts';
import { runScenario } from './run-scenario.ts';
import type { Result } from './run-scenario.ts';
import { waits } from './run-wait-scenarios.ts';
import { helm, imageScenarios, runImageScenarios } from './run-image-scenarios.ts';
import { runLogScenarios } from './run-log-scenarios.ts';
import { runUsageScenarios, usageScenarios } from './run-usage-scenarios.ts';
import { logFaults } from './scenarios/logs.ts';
import { runWhatIfScenario, whatIfs } from './run-what-if-scenarios.ts';
import type { Comparison } from './run-what-if-scenarios.ts';
import { saveComparisons } from './what-if-table.ts';
import { scenarios } from './scenarios/index.ts';
import { phases } from './scenarios/scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { Turn } from './turn.ts';
import { binariesFor, kubernetesVersions, newestMinor } from './versions.ts';
import type { Binary, KubernetesMinor } from './versions.ts';

const usage = `Breaks a real cluster in many ways and compares what the program says.

  node test/e2e/main.ts [flags]

  --only REGEX       the scenarios whose name matches
  --phase NAME,…     the scenarios of these phases: ${phases.join(', ')}, wait, reading, what-if, probe, logs,
                     usage, image
  --smoke            a few of each phase; never builds, and skips without the binaries
  --kubernetes MINOR ${Object.keys(kubernetesVersions).join(' or ')}
  --jobs N           how many scenarios run side by side (6)
  --no-fixes         heal by hand instead of running the first fix that is printed
  --fixes            run the fixes in a smoke test too
  --save-fixes       write what became of the fixes into the table of docs/fixes.md
  --save-what-if     write what was foretold and what happened into the table of docs/what-if.md
  --save-truth DIR   save the dump of each broken cluster there
  --no-install       say which Debian packages are missing, and stop, instead of installing them
  --build            build the binaries, and stop
  --list             print the scenarios, and stop
  --keep             keep the logs
  --hold             run no scenario: bring up the cluster, with two drivers in pods, and hold it until Ctrl-C
`;

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    phase: { type: 'string' },
    smoke: { type: 'boolean' },
    kubernetes: { type: 'string', default: newestMinor },
    jobs: { type: 'string', default: '6' },
    fixes: { type: 'boolean' },
    'no-fixes': { type: 'boolean' },
    'save-fixes': { type: 'boolean' },
    'save-what-if': { type: 'boolean' },
    'save-truth': { type: 'string' },
    'no-install': { type: 'boolean' },
    build: { type: 'boolean' },
    list: { type: 'boolean' },
    keep: { type: 'boolean' },
    hold: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
const began = Date.now();
const say = (line: string): void => {
  process.stdout.write(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${line}\n`);
};

process.exitCode = await main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));

async function main(): Promise<number> {
  if (flags.help === true) return print(usage);
  const minor = Object.keys(kubernetesVersions).find((known): known is KubernetesMinor => known === flags.kubernetes);
  if (minor === undefined)
    return fail(`--kubernetes is ${Object.keys(kubernetesVersions).join(' or ')}, not ${flags.kubernetes}`);
  if (!/^[1-9]\d*$/.test(flags.jobs)) return fail(`--jobs is a number from 1 on, not ${flags.jobs}`);
  const isChosen = (name: string, phase: string): boolean =>
    (flags.only === undefined || new RegExp(flags.only).test(name)) &&
    (flags.phase === undefined || flags.phase.split(',').includes(phase));
  const chosen = scenarios.filter(
    ({ name, phase, smoke, minors }) =>
      (minors === undefined || minors.includes(minor)) &&
      isChosen(name, phase) &&
      (flags.smoke !== true || smoke === true),
  );
  // They start drivers in pods of their own: too long for a smoke test.
  const probes = flags.smoke === true ? [] : probeScenarios.filter(({ name }) => isChosen(name, 'probe'));
  const logged = flags.smoke === true ? [] : logFaults.filter(({ name }) => isChosen(name, 'logs'));
  const filled = flags.smoke === true ? [] : usageScenarios.filter(({ name }) => isChosen(name, 'usage'));
  const installed = flags.smoke === true ? [] : imageScenarios.filter(({ name }) => isChosen(name, 'image'));
  const waited =
    flags.smoke === true
      ? []
      : [
          ...waits.filter(({ name }) => isChosen(name, 'wait')),
          ...readings.filter(({ name }) => isChosen(name, 'reading')),
        ];
  const foretelling = flags.smoke === true ? [] : whatIfs.filter(({ name }) => isChosen(name, 'what-if'));
  const count = [chosen, probes, waited, logged, foretelling, filled, installed].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  if (count === 0) return fail('no scenario is chosen by these flags');
  if (flags.list === true)
    return print(
      chosen.map(({ name, phase, cause }) => `${phase.padEnd(10)} ${name.padEnd(28)} ${cause ?? '-'}\n`).join('') +
        probes
          .map(
            ({ name, expected }) => `${'probe'.padEnd(10)} ${name.padEnd(28)} ${expected.failure ?? expected.status}\n`,
          )
          .join('') +
        logged.map(({ name, causes }) => `${'logs'.padEnd(10)} ${name.padEnd(28)} ${causes.join(' or ')}\n`).join('') +
        foretelling.map(({ name, expected }) => `${'what-if'.padEnd(10)} ${name.padEnd(28)} ${expected}\n`).join('') +
        filled.map(({ name, expected }) => `${'usage'.padEnd(10)} ${name.padEnd(28)} ${expected}\n`).join('') +
        installed.map(({ name, expected }) => `${'image'.padEnd(10)} ${name.padEnd(28)} ${expected}\n`).join('') +
        waited
          .map(({ name, expected }) => `${(name.split('-')[0] ?? '').padEnd(10)} ${name.padEnd(28)} ${expected}\n`)
          .join(''),
    );

  const binaries = [...binariesFor(minor), ...(installed.length > 0 ? [helm] : [])];
  const unbuilt = missingBinaries(binaries);
  const why = obstacle(unbuilt);
  if (flags.smoke === true && why !== undefined)
    return print(`skipped the tests against a real cluster: ${why}; npm run e2e -- --build prepares everything\n`);
  if (process.getuid?.() !== 0) return fail('a kubelet and containers need root');
  if (!isOnPath('kubectl')) return fail('kubectl is not on the PATH, and the program is asked through it');
  if (unbuilt.length > 0 && !isOnPath('go'))
    return fail(
      `Go 1.26 is needed to build ${unbuilt.map(({ name }) => name).join(', ')}, and there is no go on the PATH`,
    );
  const lacking = missingPackages();
  if (lacking.length > 0 && (flags['no-install'] === true || !isOnPath('apt-get')))
    return fail(`this machine lacks Debian's ${lacking.join(', ')}: ${installCommand(lacking)}`);
  if (lacking.length > 0) await installPackages(lacking, say);
  await buildBinaries(binaries, say);
  if (flags.build === true) return 0;
  if (!Program.isBuilt()) return fail('the program is not built: npm run build');
  const turn = await Turn.take(flags.hold === true ? 1 : 0, say, flags.smoke === true ? 300 : 7200, removeRemains);
  process.on('exit', () => turn.end());
  return flags.hold === true
    ? hold(minor, turn)
    : runAll(chosen, waited, probes, logged, foretelling, filled, installed, minor, turn);
}

/** Why nothing can be run without preparing the machine first. */
function obstacle(unbuilt: readonly Binary[]): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const lacking = missingPackages();
  if (lacking.length > 0) return `this machine lacks Debian's ${lacking.join(', ')}`;
  if (!isOnPath('kubectl')) return 'kubectl is not on the PATH';
  if (unbuilt.length > 0 || !existsSync(definitionsDirectory))
    return `${unbuilt.map(({ name }) => name).join(', ') || 'the snapshot definitions'} are not in ${cacheDirectory}`;
  return undefined;
}

/** For looking around by hand: everything stays as it is until the signal, which also takes it away. */
async function hold(minor: KubernetesMinor, turn: Turn): Promise<number> {
  const cluster = await Cluster.start(minor, turn, say);
  const namespace = 'csi-drivers';
  const drivers = [
    await cluster.startPoddedDriver({ name: 'podded.csi.test', namespace }),
    await cluster.startPoddedDriver({ name: 'shy.csi.test', namespace, health: 'loopback' }),
  ];
  for (const driver of drivers)
    say(
      `driver ${driver.name} runs in pod ${namespace}/${await driver.pod()}, health port ${driver.healthPort}, socket ${driver.socket}`,
    );
  const { admin, viewer, nobody } = cluster.controlPlane.kubeconfigs;
  say(`sockets of this node are under --kubelet-root ${cluster.node.root}`);
  say(`kubeconfigs: ${admin} (may all), ${viewer} (the role view), ${nobody} (may nothing)`);
  say('held; Ctrl-C takes it away');
  return new Promise(() => {});
}

async function runAll(
  chosen: readonly Scenario[],
  waited: typeof waits,
  probes: typeof probeScenarios,
  logged: typeof logFaults,
  foretelling: typeof whatIfs,
  filled: typeof usageScenarios,
  installed: typeof imageScenarios,
  minor: KubernetesMinor,
  turn: Turn,
): Promise<number> {
  const failures = join(tmpdir(), 'kubectl-csi-e2e-failures');
  rmSync(failures, { recursive: true, force: true });
  mkdirSync(failures, { recursive: true });
  say(`starting Kubernetes ${kubernetesVersions[minor]}`);
  const cluster = await Cluster.start(minor, turn, say);
  const program = Program.install(join(cluster.directory, 'program'));
  const results: Result[] = [];
  const waitResults: ProbeResult[] = [];
  let probed: readonly ProbeResult[] = [];
  let told: readonly ProbeResult[] = [];
  let measured: readonly ProbeResult[] = [];
  let deployed: readonly ProbeResult[] = [];
  const foretold: ProbeResult[] = [];
  const comparisons: Comparison[] = [];
  const tell = ({ name, seconds, problem }: ProbeResult): void => {
    say(`${problem === undefined ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (problem !== undefined) say(`     ${problem}`);
  };
  try {
    const truth = flags['save-truth'];
    // Repairs take as long as Kubernetes waits between two tries: too long for a smoke test.
    const fixes = flags.fixes === true || (flags.smoke !== true && flags['no-fixes'] !== true);
    const run = async (scenario: Scenario): Promise<void> => {
      const result = await runScenario(scenario, cluster, {
        program,
        failures,
        fixes,
        ...(truth !== undefined && { truth }),
      });
      results.push(result);
      say(
        `${result.problem === undefined ? 'ok  ' : 'FAIL'} ${scenario.name} (${result.seconds} s)${result.cause === undefined ? '' : ` ${result.cause}`}`,
      );
      for (const early of result.before)
        say(
          `       before, ${early.from === early.until ? `after ${early.from}` : `${early.from} to ${early.until}`} s: ${early.said}`,
        );
      if (result.fix !== undefined) {
        say(`       fix ${showFix(result.fix)}`);
        saveFix(result.fix);
      }
      if (result.problem !== undefined) say(`     ${result.problem}`);
    };
    const slowestFirst = chosen.toSorted((left, right) => (right.patience ?? 0) - (left.patience ?? 0));
    await inParallel(
      slowestFirst.filter(({ alone }) => alone !== true),
      Number(flags.jobs),
      run,
    );
    await inParallel(waited, Number(flags.jobs), async (wait) => {
      const result = await wait.run(cluster, program);
      waitResults.push(result);
      tell(result);
    });
    await inParallel(
      slowestFirst.filter(({ alone }) => alone === true),
      1,
      run,
    );
    for (const { name } of foretelling) {
      const result = await runWhatIfScenario(name, cluster, program, (comparison) => void comparisons.push(comparison));
      foretold.push(result);
      tell(result);
    }
    probed = await runProbeScenarios(probes, cluster, program, tell);
    told = await runLogScenarios(logged, cluster, program, tell);
    measured = await runUsageScenarios(filled, cluster, program, tell);
    deployed = await runImageScenarios(installed, cluster, program, tell);
  } finally {
    const failed =
      results.length < chosen.length ||
      waitResults.length < waited.length ||
      probed.length < probes.length ||
      told.length < logged.length ||
      measured.length < filled.length ||
      deployed.length < installed.length ||
      foretold.length < foretelling.length ||
      [...results, ...waitResults, ...probed, ...told, ...foretold, ...measured, ...deployed].some(
        ({ problem }) => problem !== undefined,
      );
    await cluster.stop(flags.keep === true || failed);
    if (flags.keep === true || failed) say(`logs are in ${cluster.logs}, dumps of what failed in ${failures}`);
  }
  const passed = results.filter(({ problem }) => problem === undefined);
  const causes = new Set(passed.flatMap(({ cause }) => cause ?? []));
  const early = results
    .filter(({ before }) => before.length > 0)
    .map(({ scenario, before }) => `${scenario.name} (${Math.max(...before.map(({ until }) => until))} s)`);
  say(
    early.length === 0
      ? 'no answer was wrong before it was right'
      : `${early.length} scenarios had a wrong answer before the right one: ${early.join(', ')}`,
  );
  say(
    `${passed.length} of ${results.length} scenarios passed on Kubernetes ${kubernetesVersions[minor]}, ${causes.size} causes: ${[...causes].sort().join(', ')}`,
  );
  const expected = passed.filter((result) => result.foretold === true);
  if (passed.length > 0) say(`preflight foretold ${expected.length} of them before they were made`);
  reportFixes(results.flatMap(({ fix }) => fix ?? []));
  const brokenOf = (tried: readonly ProbeResult[], what: string): number => {
    const broken = tried.filter(({ problem }) => problem !== undefined).length;
    if (tried.length > 0) say(`${tried.length - broken} of ${tried.length} ${what} passed`);
    return broken;
  };
  if (comparisons.length > 0) say(saveComparisons(comparisons, flags['save-what-if'] === true));
  const broken =
    brokenOf(waitResults, 'waits and readings') +
    brokenOf(probed, 'probes') +
    brokenOf(told, 'faults that only a log tells') +
    brokenOf(foretold, 'operations') +
    brokenOf(measured, 'measurements of full volumes') +
    brokenOf(deployed, 'tries of the image and the chart');
  return passed.length === results.length && broken === 0 ? 0 : 1;
}

function showFix({ how, reason, healedAfter, reached, lingered, predicted }: FixResult): string {
  const parts = [
    how,
    reason,
    healedAfter !== undefined && `${reached} after ${healedAfter} s`,
    lingered !== undefined && `the old cause for ${lingered} s`,
    predicted !== undefined && (predicted ? 'as predicted' : 'not as predicted'),
  ];
  return parts.filter((part) => typeof part === 'string').join('; ');
}

function reportFixes(fixes: readonly FixResult[]): void {
  if (fixes.length === 0) return;
  const rows = fixes.map(rowOf);
  for (const { how, scenario, cause, reason, fix } of fixes)
    if (how === 'weak' || how === 'not run') say(`${how}: ${scenario} (${cause}): ${reason ?? ''}: ${fix}`);
  say(showNumbers(numbersOf(rows)));
}

/** After each scenario, so that a run that is cut off leaves what it has found out. */
function saveFix(fix: FixResult): void {
  if (flags['save-fixes'] !== true) return;
  const page = join(import.meta.dirname, '../../docs/fixes.md');
  const names = scenarios.map(({ name }) => name);
  writeFileSync(page, writeTable(readFileSync(page, 'utf8'), [rowOf(fix)], names));
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(why: string): number {
  process.stderr.write(`${why}\n`);
  return 2;
}
