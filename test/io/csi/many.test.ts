import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

/** Connections of the other side, which lives in this process too, end a moment later. */
async function settled(wanted: number): Promise<number> {
  for (let round = 0; round < 100 && (await descriptors()) > wanted; round += 1)
    await new Promise((resolve) => void setTimeout(resolve, 50));
  return descriptors();
}

it.runIf(process.platform === 'linux')(
  '500 sockets of which 50 hang: all of those are waited for at the same time, and no descriptor and no memory is left behind',
  async () => {
    // Ten drivers under 45 names each.
    const drivers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => startDriver(join(directory, `driver-${index}.sock`), healthy)),
    );
    const hanging = await Promise.all(
      Array.from({ length: 40 }, (_, index) => startSilent(join(directory, `hung-${index}.sock`))),
    );
    const stuck = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        startDriver(join(directory, `stuck-${index}.sock`), { ...healthy, '/csi.v1.Identity/Probe': 'hang' }),
      ),
    );
    stops.push(...drivers.map((driver) => driver.stop), ...hanging, ...stuck.map((driver) => driver.stop));
    const links = Array.from({ length: 450 }, (_, index) => join(directory, `link-${index}.sock`));
    await Promise.all(links.map((link, index) => symlink(join(directory, `driver-${index % 10}.sock`), link)));
    const named = (prefix: string, length: number): string[] =>
      Array.from({ length }, (_, index) => join(directory, `${prefix}-${index}.sock`));
    const endpoints = [...links, ...named('hung', 40), ...named('stuck', 10)].map(
      (path) => ({ type: 'unix', path }) as const,
    );
    const before = await descriptors();
    const timeoutMs = 4000;

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
    expect(await settled(before)).toBeLessThanOrEqual(before);

    const used = liveBytes();
    await probeEndpoints(endpoints, { timeoutMs, deep: false });
    expect(await settled(before)).toBeLessThanOrEqual(before);
    expect(liveBytes() - used).toBeLessThan(8 * 1024 * 1024);
  },
);
