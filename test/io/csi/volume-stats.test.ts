import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPublishedVolumes } from '../../../src/io/csi/published-volumes.ts';
import { methods } from '../../../src/io/csi/methods.ts';
import { dial } from '../../../src/io/csi/client.ts';
import { deadlineIn } from '../../../src/io/csi/deadline.ts';
import { chunk, deepAnswers, rpcCapabilities, startDriver, varint } from '../../kit/csi-driver.ts';
import type { Answers } from '../../kit/csi-driver.ts';
import { runProgram } from '../../kit/run-program.ts';

let root: string;
const cleanUps: (() => unknown)[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
  mkdirSync(join(root, 'plugins/disk'), { recursive: true });
});
afterEach(() => {
  for (const step of cleanUps.splice(0)) step();
  rmSync(root, { recursive: true });
});

function publish(pod: string, volume: string, record: unknown = undefined, driver = 'disk.example.com'): void {
  const directory = join(root, 'pods', pod, 'volumes/kubernetes.io~csi', volume);
  mkdirSync(join(directory, 'mount'), { recursive: true });
  const usual = { specVolID: volume, volumeHandle: `handle-${volume}`, driverName: driver, nodeName: 'worker-1' };
  writeFileSync(
    join(directory, 'vol_data.json'),
    typeof record === 'string' ? record : JSON.stringify(record ?? usual),
  );
}

const usage = (available: number, total: number, used: number, unit: number): Buffer =>
  chunk(1, ...(available === 0 ? [] : [varint(1, available)]), varint(2, total), varint(3, used), varint(4, unit));
const gi = 1024 ** 3;
const requests: string[] = [];

/** Answers to the volume that the request names, as a driver does. */
const statsAnswers: Answers = {
  ...deepAnswers,
  '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([1, 2]),
  '/csi.v1.Node/NodeGetVolumeStats': (request) => {
    const text = request.toString('latin1');
    requests.push(text);
    if (text.includes('handle-full')) return Buffer.concat([usage(0, gi, gi, 1), usage(900, 1000, 100, 2)]);
    if (text.includes('handle-odd'))
      return Buffer.concat([usage(gi, 2 * gi, gi, 1), chunk(2, varint(1, 1), chunk(2, 'the path is not mounted'))]);
    if (text.includes('handle-gone')) return { code: 'NOT_FOUND', message: 'volume handle-gone does not exist' };
    if (text.includes('handle-hung')) return 'hang';
    if (text.includes('handle-empty')) return Buffer.alloc(0);
    return Buffer.concat([usage(3 * gi, 4 * gi, gi, 1), usage(10, 100, 90, 2)]);
  },
};

async function start(answers: Answers): Promise<{ readonly called: readonly string[] }> {
  const driver = await startDriver(join(root, 'plugins/disk/csi.sock'), answers);
  cleanUps.push(() => driver.stop());
  return driver;
}

interface Item {
  readonly status: string;
  readonly notes: readonly string[];
  readonly volumes?: readonly { readonly volume: string; readonly error?: string }[];
}
async function probe(...words: readonly string[]): Promise<{ readonly item: Item; readonly exitCode: number | null }> {
  const { stdout, exitCode } = await runProgram(['probe', '--kubelet-root', root, '--deep', '-o', 'json', ...words]);
  const schema = new URL('../../../docs/probe-report.schema.json', import.meta.url);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(schema, 'utf8')) as object);
  const report = JSON.parse(stdout) as { readonly items: readonly [Item] };
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  return { item: report.items[0], exitCode };
}

describe('probe --deep on a node', () => {
  it('measures the volumes that are mounted there, each once, and no volume of another driver', async () => {
    publish('pod-a', 'data');
    publish('pod-b', 'data');
    publish('pod-b', 'full');
    publish('pod-b', 'other', undefined, 'files.example.com');
    const driver = await start(statsAnswers);
    requests.length = 0;
    const { item, exitCode } = await probe();
    expect(item.volumes).toEqual([
      {
        volume: 'data',
        path: join(root, 'pods/pod-b/volumes/kubernetes.io~csi/data/mount'),
        bytes: { total: 4 * gi, used: gi, free: 3 * gi },
        inodes: { total: 100, used: 90, free: 10 },
      },
      {
        volume: 'full',
        path: join(root, 'pods/pod-b/volumes/kubernetes.io~csi/full/mount'),
        bytes: { total: gi, used: gi, free: 0 },
        inodes: { total: 1000, used: 100, free: 900 },
      },
    ]);
    expect(driver.called.filter((path) => path.endsWith('NodeGetVolumeStats'))).toHaveLength(2);
    // The kubelet sends the id and the target path (pkg/volume/csi/csi_client.go, NodeGetVolumeStats).
    expect(requests.some((text) => text.includes(join(root, 'pods/pod-b/volumes/kubernetes.io~csi/full/mount')))).toBe(
      true,
    );
    // A full volume is no fault of its driver.
    expect({ status: item.status, exitCode }).toEqual({ status: 'ready', exitCode: 0 });
    expect(item.notes).toContain('volume full is full');
  });

  it('says of each volume that was not measured why, and does not call the driver unhealthy for it', async () => {
    for (const name of ['data', 'odd', 'gone', 'hung', 'empty']) publish('pod-a', name);
    await start(statsAnswers);
    const { item, exitCode } = await probe('--timeout', '700ms');
    expect(item.volumes).toMatchObject([
      { volume: 'data', inodes: { free: 10 } },
      { volume: 'empty', error: 'the driver answered without figures' },
      { volume: 'gone', error: 'NOT_FOUND: volume handle-gone does not exist' },
      { volume: 'hung', error: expect.stringContaining('no answer within') as unknown },
      { volume: 'odd', bytes: { total: 2 * gi }, abnormal: 'the path is not mounted' },
    ]);
    expect(item.notes).toContain('the driver reports that volume odd is abnormal: the path is not mounted');
    expect(item.notes.some((note) => /^volume empty was not measured, nor 2 other volumes: /.test(note))).toBe(true);
    expect({ status: item.status, exitCode }).toEqual({ status: 'ready', exitCode: 0 });
  });

  it('prints the fullest first', async () => {
    for (const name of ['data', 'full', 'gone']) publish('pod-a', name);
    await start(statsAnswers);
    const { stdout } = await runProgram(['probe', '--kubelet-root', root, '--deep']);
    expect(stdout).toMatch(
      /volumes mounted here: 3, 2 measured by the driver\n +gone +\? +not measured\s*\n +full +100% of 1Gi +inodes 10% of 1000\s*\n +data +25% of 4Gi +inodes 90% of 100\n/,
    );
  });

  it('says that a driver cannot measure, and measures nothing without --deep', async () => {
    publish('pod-a', 'data');
    const driver = await start({ ...statsAnswers, '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([1]) });
    const { item } = await probe();
    expect(item.volumes).toBeUndefined();
    expect(item.notes).toContain('it cannot measure its 1 volume: it does not have GET_VOLUME_STATS');
    await runProgram(['probe', '--kubelet-root', root]);
    expect(driver.called.filter((path) => path.endsWith('NodeGetVolumeStats'))).toEqual([]);
  });
});

describe('the records of the kubelet', () => {
  it('are read whatever they hold, and no mount is entered', async () => {
    publish('pod-a', 'data');
    for (const [name, record] of Object.entries({
      broken: '{',
      list: '[]',
      text: '"x"',
      null: 'null',
      huge: 'x'.repeat(100_000),
    }))
      publish('pod-a', name, record);
    publish('pod-a', 'wrong', { specVolID: 1, volumeHandle: {}, driverName: [] });
    symlinkSync('/nonexistent', join(root, 'pods/link'));
    writeFileSync(join(root, 'pods/file'), '');
    expect((await findPublishedVolumes([root, '/nonexistent'])).map(({ volume }) => volume)).toEqual(['data']);
  });
});

describe('a call with a request of its own', () => {
  it('is refused except to NodeGetVolumeStats', async () => {
    await start(statsAnswers);
    const connection = dial({ type: 'unix', path: join(root, 'plugins/disk/csi.sock') });
    await expect(connection.call(methods.nodeGetInfo, deadlineIn(1000), Buffer.from([8, 1]))).rejects.toThrow(
      /not allowed/,
    );
    connection.close();
  });
});
