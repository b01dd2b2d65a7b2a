import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Endpoint } from '../../../src/io/csi/endpoint.ts';
import { probeEndpoints } from '../../../src/io/csi/probe-endpoints.ts';
import { healthy, startDriver } from '../../kit/csi-driver.ts';
import { startSilent } from '../../kit/strange-listeners.ts';
import type { Stop } from '../../kit/strange-listeners.ts';

let directory = '';
let stops: Stop[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csi-many-'));
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await rm(directory, { recursive: true, force: true });
});

const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

/** What is still held after all that can be thrown away is. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Connections of the other side, which is in this process too, end a moment later. */
function noneLeft(before: number): Promise<void> {
  return vi.waitFor(async () => expect(await descriptors()).toBeLessThanOrEqual(before), {
    timeout: 240_000,
    interval: 50,
  });
}

const named = (prefix: string, length: number): string[] =>
  Array.from({ length }, (_, index) => join(directory, `${prefix}-${index}.sock`));
const endpointsAt = (paths: readonly string[]): Endpoint[] => paths.map((path) => ({ type: 'unix', path }));

async function startAll(): Promise<void> {
  const stuck = { ...healthy, '/csi.v1.Identity/Probe': 'hang' } as const;
  const drivers = await Promise.all([
    ...named('driver', 10).map((path) => startDriver(path, healthy)),
    ...named('stuck', 10).map((path) => startDriver(path, stuck)),
  ]);
  const hanging = await Promise.all(named('hung', 40).map((path) => startSilent(path)));
  stops.push(...drivers.map((driver) => driver.stop), ...hanging);
  // Ten drivers under 45 names each.
  await Promise.all(
    named('link', 450).map((link, index) => symlink(join(directory, `driver-${index % 10}.sock`), link)),
  );
}

/** A limit that healthy drivers keep with ease on this machine, however busy it is. */
async function easyLimit(paths: readonly string[]): Promise<number> {
  const begun = performance.now();
  await probeEndpoints(endpointsAt(paths), { timeoutMs: 600_000, deep: false });
  return 2000 + 3 * (performance.now() - begun);
}

it.runIf(process.platform === 'linux')(
  '500 sockets of which 50 hang: all of those are waited for at the same time, and no descriptor and no memory is left behind',
  async () => {
    await startAll();
    const before = await descriptors();
    const timeoutMs = await easyLimit(named('link', 450));
    await noneLeft(before);
    const endpoints = endpointsAt([...named('link', 450), ...named('hung', 40), ...named('stuck', 10)]);

    let most = 0;
    const looking = setInterval(() => void descriptors().then((open) => (most = Math.max(most, open))), 50);
    const items = await probeEndpoints(endpoints, { timeoutMs, deep: false });
    clearInterval(looking);
    // Both ends of each hanging connection are in this process.
    expect(most - before).toBeGreaterThanOrEqual(2 * 50);
    const count = (failure: string | undefined): number => items.filter((item) => item.failure === failure).length;
    expect({
      all: items.length,
      ready: count(undefined),
      hung: count('handshake-hang'),
      stuck: count('rpc-hang'),
    }).toEqual({ all: 500, ready: 450, hung: 40, stuck: 10 });
    await noneLeft(before);

    const used = liveBytes();
    await probeEndpoints(endpoints, { timeoutMs, deep: false });
    await noneLeft(before);
    expect(liveBytes() - used).toBeLessThan(8 * 1024 * 1024);
  },
);
