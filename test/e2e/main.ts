import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBinaries, cacheDirectory, definitionsDirectory, missingBinaries, missingPackages } from './binaries.ts';
import { Cluster, removeRemains } from './cluster/cluster.ts';
import { Program } from './program.ts';
import { runScenario } from './run-scenario.ts';
import type { Result } from './run-scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { phases } from './scenarios/scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { Turn } from './turn.ts';
import { binariesFor, kubernetesVersions, newestMinor } from './versions.ts';
import type { KubernetesMinor } from './versions.ts';

const usage = `Breaks a real cluster in many ways and compares what the program says.

  node test/e2e/main.ts [flags]

  --only REGEX       the scenarios whose name matches
  --phase NAME,…     the scenarios of these phases: ${phases.join(', ')}
  --smoke            a few of each phase; never builds, and skips without the binaries
  --kubernetes MINOR ${Object.keys(kubernetesVersions).join(' or ')}
  --jobs N           how many scenarios run side by side (6)
  --save-truth DIR   save the dump of each broken cluster there, one after the other
  --build            build the binaries, and stop
  --list             print the scenarios, and stop
  --keep             keep the logs
  --hold             run no scenario: bring up the cluster, with two drivers in pods, and hold it until Ctrl-C
`;

const { values: flags } = parseArgs({ options: { only: { type: 'string' }, phase: { type: 'string' }, smoke: { type: 'boolean' }, kubernetes: { type: 'string', default: newestMinor }, jobs: { type: 'string', default: '6' }, 'save-truth': { type: 'string' }, build: { type: 'boolean' }, list: { type: 'boolean' }, keep: { type: 'boolean' }, hold: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
const began = Date.now();
const say = (line: string): void => { process.stdout.write(`${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${line}\n`); };

process.exitCode = await main();

async function main(): Promise<number> {
  if (flags.help === true) return print(usage);
  const minor = Object.keys(kubernetesVersions).find((known): known is KubernetesMinor => known === flags.kubernetes);
  if (minor === undefined) return fail(`--kubernetes is ${Object.keys(kubernetesVersions).join(' or ')}, not ${flags.kubernetes}`);
  const chosen = scenarios.filter(({ name, phase, smoke, minors }) => (minors === undefined || minors.includes(minor)) && (flags.only === undefined || new RegExp(flags.only).test(name)) && (flags.phase === undefined || flags.phase.split(',').includes(phase)) && (flags.smoke !== true || smoke === true));
  if (chosen.length === 0) return fail('no scenario is chosen by these flags');
  if (flags.list === true) return print(chosen.map(({ name, phase, causes }) => `${phase.padEnd(10)} ${name.padEnd(28)} ${causes.join(', ')}\n`).join(''));

  const binaries = binariesFor(minor);
  const lacking = missingPackages();
  const unbuilt = missingBinaries(binaries);
  if (flags.smoke === true && (lacking.length > 0 || unbuilt.length > 0 || process.getuid?.() !== 0 || !existsSync(definitionsDirectory))) {
    const reason = process.getuid?.() !== 0 ? 'it needs root' : lacking.length > 0 ? `the Debian packages ${lacking.join(', ')} are not installed` : `${unbuilt.map(({ name }) => name).join(', ') || 'the snapshot definitions'} are not in ${cacheDirectory}`;
    return print(`skipped the tests against a real cluster: ${reason}; npm run e2e -- --build builds them\n`);
  }
  if (process.getuid?.() !== 0) return fail('a kubelet and containers need root');
  if (lacking.length > 0) return fail(`these Debian packages are needed: apt-get install ${lacking.join(' ')}`);
  await buildBinaries(binaries, say);
  if (flags.build === true) return 0;
  if (!Program.isBuilt()) return fail('the program is not built: npm run build');
  try {
    const turn = await Turn.take(say, flags.smoke === true ? 300 : 7200, removeRemains);
    process.on('exit', () => turn.end());
    return flags.hold === true ? await hold(minor, turn) : await runAll(chosen, minor, turn);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** For looking around by hand: everything stays as it is until the signal, which also takes it away. */
async function hold(minor: KubernetesMinor, turn: Turn): Promise<number> {
  const cluster = await Cluster.start(minor, say, (directory) => turn.livesIn(directory));
  const namespace = 'csi-drivers';
  const drivers = [await cluster.startPoddedDriver({ name: 'podded.csi.test', namespace }), await cluster.startPoddedDriver({ name: 'shy.csi.test', namespace, health: 'loopback' })];
  for (const driver of drivers) say(`driver ${driver.name} runs in pod ${namespace}/${await driver.pod()}, health port ${driver.healthPort}, socket ${driver.socket}`);
  const { admin, viewer, nobody } = cluster.controlPlane.kubeconfigs;
  say(`sockets of this node are under --kubelet-root ${cluster.node.root}`);
  say(`kubeconfigs: ${admin} (may all), ${viewer} (the role view), ${nobody} (may nothing)`);
  say('held; Ctrl-C takes it away');
  return new Promise(() => {});
}

async function runAll(chosen: readonly Scenario[], minor: KubernetesMinor, turn: Turn): Promise<number> {
  const failures = join(tmpdir(), 'kubectl-csi-e2e-failures');
  rmSync(failures, { recursive: true, force: true });
  mkdirSync(failures, { recursive: true });
  say(`starting Kubernetes ${kubernetesVersions[minor]}`);
  const cluster = await Cluster.start(minor, say, (directory) => turn.livesIn(directory));
  const program = Program.install(join(cluster.directory, 'program'));
  const results: Result[] = [];
  try {
    const truth = flags['save-truth'];
    const run = async (scenario: Scenario): Promise<void> => {
      const result = await runScenario(scenario, cluster, { program, failures, ...(truth !== undefined && { truth }) });
      results.push(result);
      say(`${result.problem === undefined ? 'ok  ' : 'FAIL'} ${scenario.name} (${result.seconds} s)${result.cause === undefined ? '' : ` ${result.cause}`}`);
      for (const wrong of new Set(result.before)) say(`       before: ${wrong}`);
      if (result.problem !== undefined) say(`     ${result.problem}`);
    };
    // A dump must show one scenario, not four.
    const slowestFirst = chosen.toSorted((left, right) => (right.patience ?? 0) - (left.patience ?? 0));
    await inParallel(slowestFirst.filter(({ alone }) => alone !== true), truth === undefined ? Number(flags.jobs) : 1, run);
    await inParallel(slowestFirst.filter(({ alone }) => alone === true), 1, run);
  } finally {
    const failed = results.length < chosen.length || results.some(({ problem }) => problem !== undefined);
    await cluster.stop(flags.keep === true || failed);
    if (flags.keep === true || failed) say(`logs are in ${cluster.logs}, dumps of what failed in ${failures}`);
  }
  const passed = results.filter(({ problem }) => problem === undefined);
  const causes = new Set(passed.flatMap(({ cause }) => cause ?? []));
  say(`${passed.length} of ${results.length} scenarios passed on Kubernetes ${kubernetesVersions[minor]}, ${causes.size} causes: ${[...causes].sort().join(', ')}`);
  return passed.length === results.length ? 0 : 1;
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(Array.from({ length: width }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  }));
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(why: string): number {
  process.stderr.write(`${why}\n`);
  return 2;
}
