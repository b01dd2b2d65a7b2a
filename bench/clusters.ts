import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Snapshot } from '../src/model/snapshot.ts';
import { resources } from '../src/model/resources.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { benchCluster } from './bench-cluster.ts';
import type { BenchSize } from './bench-cluster.ts';
import { median } from './measure.ts';
import { missingForRealServer, startRealServer } from './real-server.ts';

/**
 * `why-pending -A` beside `kubectl get pvc -A` on clusters of some sizes, in turn and in one run:
 * node bench/clusters.ts --claims 1000,10000 --broken 0,20,2000 --server real,embedded --rounds 5
 */
const { values } = parseArgs({
  options: {
    claims: { type: 'string', default: '1000,10000' },
    broken: { type: 'string', default: '20' },
    server: { type: 'string', default: 'embedded,real' },
    rounds: { type: 'string', default: '5' },
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

const contestants = [
  { name: 'kubectl get pvc -A', command: values.kubectl, words: ['get', 'pvc', '-A'] },
  { name: 'kubectl-csi why-pending -A', command: values.program, words: ['why-pending', '-A'] },
] as const;

for (const kind of values.server.split(',')) {
  for (const claims of numbers(values.claims)) {
    for (const broken of numbers(values.broken).filter((count) => count <= claims / 2)) await compare(kind, { claims, broken });
  }
}

async function compare(kind: string, size: BenchSize): Promise<void> {
  if (kind === 'real' && missingForRealServer().length > 0) return say('the real API server is left out: its binaries are not in the cache; npm run e2e builds them');
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
  const served = kind === 'real' ? await serveReal(size, directory) : await serveEmbedded(size, directory);
  try {
    const runs: Run[][] = contestants.map(() => []);
    const loads: number[] = [];
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      for (const [index, contestant] of contestants.entries()) {
        const run = await measureOnce(contestant.command, contestant.words, served.kubeconfig, directory);
        if (round > 0) runs[index]?.push(run);
      }
      loads.push(loadavg()[0] ?? 0);
    }
    const traffic = [];
    for (const { command, words } of contestants) traffic.push(await countTraffic(command, words, served));
    show(kind, size, runs, traffic, loads);
  } finally {
    await served.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function serveReal(size: BenchSize, directory: string): Promise<Served> {
  const { kubeconfig, port, kubeconfigAt, stop } = await startRealServer(size, directory, say);
  return { kubeconfig, port, kubeconfigAt, stop };
}

async function serveEmbedded(size: BenchSize, directory: string): Promise<Served> {
  const now = new Date();
  const snapshot: Snapshot = { apiVersion: 'csi.kubectl.dev/v1', kind: 'Snapshot', takenAt: now.toISOString(), source: { type: 'cluster', name: 'bench' }, serverVersion: 'v1.37.1', objects: [...benchCluster(size, now)], observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })) };
  const server = await startApiServer(snapshot);
  const kubeconfigAt = async (port: number): Promise<string> => {
    const path = join(directory, `config-${port}`);
    await writeKubeconfig(path, `http://127.0.0.1:${port}`);
    return path;
  };
  return { kubeconfig: await kubeconfigAt(server.port), port: server.port, kubeconfigAt, stop: () => server.close() };
}

/** Processor time and peak memory come from GNU time, which must be there; they include children. */
async function measureOnce(command: string, words: readonly string[], kubeconfig: string, directory: string): Promise<Run> {
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
    const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, KUBECONFIG: kubeconfig } });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.on('error', reject);
    child.on('close', (code) => ((code ?? 4) < 4 ? resolve(text) : reject(new Error(`${command} ${words.join(' ')}: ${text.slice(-500)}`))));
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
    const text = await run(command, [...words, '-v=6'], await served.kubeconfigAt((relay.address() as AddressInfo).port));
    const lines = text.trim().split('\n');
    const last = lines.at(-1) ?? '';
    return { requests: lines.filter((line) => /\bGET (https?:|\/)|verb="GET"/.test(line)).length, bytes, words: / objects?, /.test(last) ? last : '' };
  } finally {
    relay.close();
  }
}

function show(kind: string, { claims, broken }: BenchSize, runs: readonly (readonly Run[])[], traffic: readonly Traffic[], loads: readonly number[]): void {
  const lines = contestants.map(({ name }, index) => {
    const own = runs[index] ?? [];
    const of = (value: (each: Run) => number): string => `${Math.min(...own.map(value)).toFixed(2)} (${median(own.map(value)).toFixed(2)})`;
    const { requests, bytes, words } = traffic[index] as Traffic;
    return `| ${name} | ${of(({ seconds }) => seconds)} | ${of(({ cpu }) => cpu)} | ${(Math.max(...own.map(({ memory }) => memory)) / 1024).toFixed(0)} | ${requests} | ${(bytes / 1e6).toFixed(2)} | ${/(\d+) objects?/.exec(words)?.[1] ?? ''} |`;
  });
  const ratio = (value: (index: number) => number): string => (value(1) / value(0)).toFixed(2);
  const least = (value: (each: Run) => number) => (index: number): number => Math.min(...(runs[index] ?? []).map(value));
  const middle = (value: (each: Run) => number) => (index: number): number => median((runs[index] ?? []).map(value));
  lines.push(`| ratio | ${ratio(least(({ seconds }) => seconds))} (${ratio(middle(({ seconds }) => seconds))}) | ${ratio(least(({ cpu }) => cpu))} (${ratio(middle(({ cpu }) => cpu))}) | ${ratio((index) => Math.max(...(runs[index] ?? []).map(({ memory }) => memory)))} | | ${ratio((index) => traffic[index]?.bytes ?? Number.NaN)} | |`);
  process.stdout.write(`\n${kind} server, ${claims} claims, ${broken} broken; ${values.rounds} rounds, load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}\n\n| | s, least (median) | CPU s, least (median) | peak MB | requests | MB received | full objects |\n|---|---|---|---|---|---|---|\n${lines.join('\n')}\n`);
}
