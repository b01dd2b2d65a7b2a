import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Snapshot } from '../src/core/kube/snapshot.ts';
import { resources } from '../src/core/kube/resources.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { buildBinaries } from '../test/e2e/binaries.ts';
import { benchCluster } from './bench-cluster.ts';
import type { BenchSize } from './bench-cluster.ts';
import { median } from './measure.ts';
import { missingForRealServer, startRealServer } from './real-server.ts';

/**
 * `why-pending -A` beside `kubectl get pvc -A`, and one claim beside `kubectl describe`, on clusters of some sizes, in turn and in one run:
 * node bench/clusters.ts --claims 1000,10000,100000 --broken 0,20,2000 --server embedded,real --rounds 5
 * A server without snapshots in its cache, as before 1.34: --server real --features ListFromCacheSnapshot=false
 */
const { values } = parseArgs({
  options: {
    claims: { type: 'string', default: '1000,10000,100000' },
    broken: { type: 'string', default: '0,20,2000' },
    server: { type: 'string', default: 'embedded,real' },
    rounds: { type: 'string', default: '5' },
    features: { type: 'string' },
    kubectl: { type: 'string', default: 'kubectl' },
    program: { type: 'string', default: fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url)) },
  },
});
const numbers = (text: string): number[] => text.split(',').map(Number);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const timer = '/usr/bin/time';

interface Run {
  readonly seconds: number;
  readonly cpu: number;
  /** Kilobytes. */
  readonly memory: number;
}

interface Served {
  readonly kubeconfig: string;
  readonly port: number;
  kubeconfigAt(port: number): Promise<string> | string;
  stop(): Promise<void>;
}

interface Contest {
  readonly title: string;
  readonly contestants: readonly [Contestant, Contestant];
}
interface Contestant {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
}
/** What one program took. */
interface Taken {
  readonly runs: readonly Run[];
  readonly traffic: Traffic;
}
interface Outcome {
  readonly title: string;
  readonly kind: string;
  readonly size: BenchSize;
  readonly taken: readonly [Taken, Taken];
}

const search: Contest = {
  title: 'search',
  contestants: [
    { name: 'kubectl get pvc -A', command: values.kubectl, words: ['get', 'pvc', '-A'] },
    { name: 'kubectl-csi why-pending -A', command: values.program, words: ['why-pending', '-A'] },
  ],
};
/** Two of the claims that bench-cluster.ts breaks: the class of the one does not exist, the driver refuses to make a volume for the other. */
function namedContests({ claims, broken }: BenchSize): Contest[] {
  const every = Math.floor(claims / broken);
  return (
    [
      ['whose class is missing', 0],
      ['that the driver refuses', 3],
    ] as const
  ).map(([what, turn]) => {
    const index = turn * every + Math.min(every - 1, 7);
    const words = [
      '-n',
      `team-${String(Math.floor(index / 100)).padStart(4, '0')}`,
      `data-${String(index).padStart(6, '0')}`,
    ];
    return {
      title: `claim ${what}`,
      contestants: [
        { name: `kubectl describe pvc, ${what}`, command: values.kubectl, words: ['describe', 'pvc', ...words] },
        { name: `kubectl-csi why-pending, ${what}`, command: values.program, words: ['why-pending', ...words] },
      ],
    };
  });
}

const outcomes: Outcome[] = [];
for (const kind of values.server.split(',')) {
  if (kind === 'real' && !(await hasRealServer())) continue;
  for (const broken of numbers(values.broken)) {
    for (const claims of numbers(values.claims).filter((count) => broken <= count / 2))
      await compare(kind, { claims, broken });
  }
}
showGrowth();

/** Built into the cache of the real-cluster suite on the first run; a machine without Go measures the rest. */
async function hasRealServer(): Promise<boolean> {
  const missing = missingForRealServer();
  if (missing.length === 0) return true;
  if (spawnSync('go', ['version']).status === 0) await buildBinaries(missing, say);
  else say('the real API server is left out: its binaries are not in the cache, and there is no go to build them');
  return missingForRealServer().length === 0;
}

async function compare(kind: string, size: BenchSize): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
  const served = kind === 'real' ? await serveReal(size, directory) : await serveEmbedded(size, directory);
  try {
    for (const contest of [search, ...(size.broken > 0 ? namedContests(size) : [])]) {
      const runs: [Run[], Run[]] = [[], []];
      const loads: number[] = [];
      for (let round = 0; round <= Number(values.rounds); round += 1) {
        for (const [index, { command, words }] of contest.contestants.entries()) {
          const run = await measureOnce(command, words, served.kubeconfig, directory);
          if (round > 0) runs[index]?.push(run);
        }
        loads.push(loadavg()[0] ?? 0);
      }
      const [theirs, ours] = contest.contestants;
      const taken = [
        { runs: runs[0], traffic: await countTraffic(theirs.command, theirs.words, served) },
        { runs: runs[1], traffic: await countTraffic(ours.command, ours.words, served) },
      ] as const;
      outcomes.push({ title: contest.title, kind, size, taken });
      show(contest, kind, size, taken, loads);
    }
  } finally {
    await served.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function serveReal(size: BenchSize, directory: string): Promise<Served> {
  const { kubeconfig, port, kubeconfigAt, stop } = await startRealServer(size, directory, say, values.features);
  return { kubeconfig, port, kubeconfigAt, stop };
}

async function serveEmbedded(size: BenchSize, directory: string): Promise<Served> {
  const now = new Date();
  const snapshot: Snapshot = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: now.toISOString(),
    source: { type: 'cluster', name: 'bench' },
    serverVersion: 'v1.37.1',
    objects: [...benchCluster(size, now)],
    observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
  };
  const server = await startApiServer(snapshot);
  const kubeconfigAt = async (port: number): Promise<string> => {
    const path = join(directory, `config-${port}`);
    await writeKubeconfig(path, `http://127.0.0.1:${port}`);
    return path;
  };
  return { kubeconfig: await kubeconfigAt(server.port), port: server.port, kubeconfigAt, stop: () => server.close() };
}

/** Processor time and peak memory come from GNU time, which must be there; they include children. */
async function measureOnce(
  command: string,
  words: readonly string[],
  kubeconfig: string,
  directory: string,
): Promise<Run> {
  if (!existsSync(timer)) throw new Error(`${timer} is needed to measure memory`);
  const file = join(directory, 'time');
  const begun = process.hrtime.bigint();
  await run(timer, ['-q', '-o', file, '-f', '%U %S %M', command, ...words], kubeconfig);
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  const [user = 0, system = 0, memory = 0] = readFileSync(file, 'utf8').trim().split(/\s+/).map(Number);
  return { seconds, cpu: user + system, memory };
}

function run(command: string, words: readonly string[], kubeconfig: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      (code ?? 4) < 4 ? resolve(text) : reject(new Error(`${command} ${words.join(' ')}: ${text.slice(-500)}`)),
    );
  });
}

interface Traffic {
  readonly requests: number;
  readonly bytes: number;
  readonly words: string;
}

/** Bytes that come from the server through a relay, encrypted where the server encrypts; requests as each program tells them at -v=6. */
async function countTraffic(command: string, words: readonly string[], served: Served): Promise<Traffic> {
  let bytes = 0;
  const relay = createServer((client) => {
    const upstream = connect(served.port, '127.0.0.1');
    upstream.on('data', (chunk) => (bytes += chunk.length));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => void relay.listen(0, '127.0.0.1', resolve));
  try {
    const text = await run(
      command,
      [...words, '-v=6'],
      await served.kubeconfigAt((relay.address() as AddressInfo).port),
    );
    const lines = text.trim().split('\n');
    const last = lines.at(-1) ?? '';
    return {
      requests: lines.filter((line) => /\bGET (https?:|\/)|verb="GET"/.test(line)).length,
      bytes,
      words: / objects?, /.test(last) ? last : '',
    };
  } finally {
    relay.close();
  }
}

function least({ runs }: Taken, value: (run: Run) => number): number {
  return Math.min(...runs.map(value));
}

function middle({ runs }: Taken, value: (run: Run) => number): number {
  return median(runs.map(value));
}

function most({ runs }: Taken, value: (run: Run) => number): number {
  return Math.max(...runs.map(value));
}

function objectsOf({ traffic }: Taken): string {
  return /(\d+) objects?/.exec(traffic.words)?.[1] ?? '';
}

function show(
  { contestants }: Contest,
  kind: string,
  { claims, broken }: BenchSize,
  taken: readonly [Taken, Taken],
  loads: readonly number[],
): void {
  const both = (each: Taken, value: (run: Run) => number): string =>
    `${least(each, value).toFixed(2)} (${middle(each, value).toFixed(2)})`;
  const lines = contestants.map(({ name }, index) => {
    const own = taken[index] as Taken;
    return `| ${name} | ${both(own, ({ seconds }) => seconds)} | ${both(own, ({ cpu }) => cpu)} | ${(most(own, ({ memory }) => memory) / 1024).toFixed(0)} | ${own.traffic.requests} | ${(own.traffic.bytes / 1e6).toFixed(2)} | ${objectsOf(own)} |`;
  });
  const [theirs, ours] = taken;
  const ratios = (value: (run: Run) => number): string =>
    `${(least(ours, value) / least(theirs, value)).toFixed(2)} (${(middle(ours, value) / middle(theirs, value)).toFixed(2)})`;
  lines.push(
    `| ratio | ${ratios(({ seconds }) => seconds)} | ${ratios(({ cpu }) => cpu)} | ${(most(ours, ({ memory }) => memory) / most(theirs, ({ memory }) => memory)).toFixed(2)} | | ${(ours.traffic.bytes / theirs.traffic.bytes).toFixed(2)} | |`,
  );
  process.stdout.write(
    `\n${kind} server, ${claims} claims, ${broken} broken; ${values.rounds} rounds, load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}\n\n| | s, least (median) | CPU s, least (median) | peak MB | requests | MB received | full objects |\n|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`,
  );
}

/** What ten times as many claims cost us, with as many of them broken. */
function showGrowth(): void {
  const rows = outcomes.flatMap((large) => {
    const small = outcomes
      .filter(
        ({ title, kind, size }) =>
          title === large.title &&
          kind === large.kind &&
          size.broken === large.size.broken &&
          size.claims < large.size.claims,
      )
      .at(-1);
    if (small === undefined) return [];
    const [own, before] = [large.taken[1], small.taken[1]];
    const times = (value: (run: Run) => number): string => (least(own, value) / least(before, value)).toFixed(1);
    return [
      `| ${large.title}, ${large.kind} | ${large.size.broken} | ${small.size.claims} → ${large.size.claims} | ${times(({ seconds }) => seconds)} | ${times(({ cpu }) => cpu)} | ${(most(own, ({ memory }) => memory) / most(before, ({ memory }) => memory)).toFixed(1)} | ${(own.traffic.bytes / before.traffic.bytes).toFixed(1)} | ${objectsOf(before)} → ${objectsOf(own)} |`,
    ];
  });
  if (rows.length > 0)
    process.stdout.write(
      `\ngrowth of kubectl-csi\n\n| | broken | claims | time × | CPU × | memory × | bytes × | full objects |\n|---|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`,
    );
}
