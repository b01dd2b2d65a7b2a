import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { healthy, startDriver } from '../kit/csi-driver.ts';
import type { Stop } from '../kit/strange-listeners.ts';
import { Random, attackSeed } from './random.ts';
import { hostileListeners } from './sockets/listeners.ts';
import type { Hostile } from './sockets/listeners.ts';
import { runProbe } from './sockets/run-probe.ts';
import type { Outcome } from './suite.ts';

export const name = 'sockets';

const atLeast = 531;
const batchSize = 50;
const timeoutMs = 3000;

export async function attack(report: (line: string) => void): Promise<Outcome> {
  const seed = attackSeed();
  const hostile = hostileListeners(new Random(seed), atLeast);
  report(`${hostile.length} hostile sockets in batches of ${batchSize}, ATTACK_SEED=${seed}`);
  const failures: string[] = [];
  for (let from = 0; from < hostile.length; from += batchSize) {
    const batch = hostile.slice(from, from + batchSize);
    failures.push(...(await attackWith(batch)));
    report(`${from + batch.length} done, ${failures.length} failures`);
  }
  failures.push(...(await manyWithFewHung()));
  return { cases: hostile.length + 1, failures };
}

/** Probes all of them in one run, with a driver that works among them: it is still found ready, and no other one is. */
async function attackWith(batch: readonly Hostile[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'csi-hostile-'));
  const stops: Stop[] = [];
  try {
    const paths = batch.map((_, index) => join(directory, `${index}.sock`));
    for (const [index, { start }] of batch.entries()) stops.push(await start(paths[index] as string));
    const driver = await startDriver(join(directory, 'driver.sock'), healthy);
    stops.push(driver.stop);
    const probe = await runProbe([...paths, join(directory, 'driver.sock')], timeoutMs);
    const named = (endpoint: string): string =>
      batch[Number(/(\d+)\.sock$/.exec(endpoint)?.[1])]?.name ?? (endpoint || 'the batch');
    return probe
      .problems(({ endpoint, status }) => (endpoint.endsWith('driver.sock') ? status === 'ready' : status !== 'ready'))
      .map(({ endpoint, problem }) => `${named(endpoint)}: ${problem}`);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** 500 sockets of which 50 hang: all of them are waited for at the same time. */
async function manyWithFewHung(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'csi-many-'));
  const silent = hostileListeners(new Random(1), 0).find(({ name }) => name === 'silent') as Hostile;
  const stops: Stop[] = [];
  try {
    const paths = Array.from({ length: 500 }, (_, index) => join(directory, `${index}.sock`));
    for (const [index, path] of paths.entries())
      stops.push(index % 10 === 0 ? await silent.start(path) : (await startDriver(path, healthy)).stop);
    const probe = await runProbe(paths, 20_000);
    return probe
      .problems(
        ({ endpoint, status }) => (Number(/(\d+)\.sock/.exec(endpoint)?.[1]) % 10 === 0) === (status !== 'ready'),
      )
      .map(({ endpoint, problem }) => `500 sockets: ${endpoint}: ${problem}`);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(directory, { recursive: true, force: true });
  }
}
