import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expandPattern, findEndpoints } from '../../../src/io/csi/find-endpoints.ts';
import { probeEndpoints } from '../../../src/io/csi/probe-endpoints.ts';
import { healthy, pluginInfo, registrationInfo, startDriver } from '../../kit/csi-driver.ts';
import type { Answers } from '../../kit/csi-driver.ts';
import { startSilent } from '../../kit/strange-listeners.ts';
import type { Stop } from '../../kit/strange-listeners.ts';

let root = '';
let stops: Stop[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'csi-node-'));
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await rm(root, { recursive: true, force: true });
});

const at = (path: string): string => join(root, path);
const unix = (path: string) => ({ type: 'unix', path: at(path) }) as const;
async function driver(path: string, answers: Answers = healthy): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  stops.push((await startDriver(at(path), answers)).stop);
}
async function silent(path: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  stops.push(await startSilent(at(path)));
}
const registrar = (name: string, endpoint: string, versions?: readonly string[], type?: string): Answers => ({
  '/pluginregistration.Registration/GetInfo': registrationInfo(name, endpoint, versions, type),
});
const options = { timeoutMs: 60_000, deep: false };

describe('the sockets of a node', () => {
  it('are found in the kubelet directory: plugins, registrations, controllers in pods', async () => {
    for (const path of [
      'plugins/disk/csi.sock',
      'plugins_registry/disk-reg.sock',
      'csi-plugins/nas/csi.sock',
      'pods/1234/volumes/kubernetes.io~empty-dir/socket-dir/csi.sock',
    ])
      await silent(path);
    for (const path of [
      'plugins/kubernetes.io/csi/x.sock',
      'plugins_registry/.hidden.sock',
      'pods/1234/volumes/kubernetes.io~empty-dir/run/mysql.sock',
    ])
      await silent(path);
    await writeFile(at('plugins/disk/notes.txt'), '');
    const found = await findEndpoints([root, '/nonexistent']);
    expect(found.endpoints.map(({ path }) => path.slice(root.length + 1))).toEqual([
      'csi-plugins/nas/csi.sock',
      'plugins/disk/csi.sock',
      'plugins_registry/disk-reg.sock',
      'pods/1234/volumes/kubernetes.io~empty-dir/socket-dir/csi.sock',
    ]);
    expect(found.roots).toEqual([root]);
  });
  it('are found once where one layout is a link to another', async () => {
    await silent('kubelet/plugins/disk/csi.sock');
    await symlink(at('kubelet'), at('other'));
    expect((await findEndpoints([at('kubelet'), at('other')])).endpoints).toHaveLength(1);
  });
  it('match a pattern; what is no socket is left out', async () => {
    await silent('a/csi.sock');
    await silent('b/csi.sock');
    await mkdir(at('c/csi.sock'), { recursive: true });
    const { endpoints, others } = await expandPattern({ type: 'pattern', pattern: at('*/csi.sock') });
    expect(endpoints.map(({ path }) => path)).toEqual([at('a/csi.sock'), at('b/csi.sock')]);
    expect(others).toBe(1);
  });
});

describe('a registration socket', () => {
  it('is asked in its own language, and the driver behind it in its own', async () => {
    await driver('plugins/disk/csi.sock');
    await driver('plugins_registry/disk-reg.sock', registrar('disk.example.com', at('plugins/disk/csi.sock')));
    const items = await probeEndpoints([unix('plugins_registry/disk-reg.sock')], options);
    expect(items).toMatchObject([
      {
        protocol: 'registration',
        status: 'ready',
        driver: 'disk.example.com',
        registration: { type: 'CSIPlugin', supportedVersions: ['1.0.0'] },
      },
      {
        protocol: 'csi',
        status: 'ready',
        driver: 'disk.example.com',
        endpoint: `unix://${at('plugins/disk/csi.sock')}`,
      },
    ]);
  });
  it('of a frozen registrar is not called the driver', async () => {
    await silent('plugins_registry/disk-reg.sock');
    const [item] = await probeEndpoints([unix('plugins_registry/disk-reg.sock')], { ...options, timeoutMs: 500 });
    expect(item).toMatchObject({ protocol: 'registration', status: 'unreachable', failure: 'handshake-hang' });
    expect(item?.summary).toContain('registrar accepts the connection but sends nothing');
    expect(item?.summary).not.toMatch(/driver/i);
  });
  it('stays ready when the driver behind it is gone, and the driver is not', async () => {
    await driver('plugins_registry/disk-reg.sock', registrar('disk.example.com', at('plugins/disk/csi.sock')));
    const items = await probeEndpoints([unix('plugins_registry/disk-reg.sock')], options);
    expect(items.map((item) => [item.status, item.failure])).toEqual([
      ['ready', undefined],
      ['unreachable', 'socket-missing'],
    ]);
  });
  it('tells a driver that calls itself otherwise', async () => {
    await driver('csi.sock', { ...healthy, '/csi.v1.Identity/GetPluginInfo': pluginInfo('renamed.example.com', '2') });
    await driver('disk-reg.sock', registrar('disk.example.com', at('csi.sock')));
    const [, item] = await probeEndpoints([unix('disk-reg.sock'), unix('csi.sock')], options);
    expect(item).toMatchObject({
      status: 'unhealthy',
      failure: 'name-mismatch',
      summary:
        'The driver reports another name than expected: it reports renamed.example.com, but its registration reports disk.example.com.',
    });
  });
  it('may be the very socket of the driver', async () => {
    await driver('self-reg.sock', { ...healthy, ...registrar('disk.example.com', '') });
    const items = await probeEndpoints([unix('self-reg.sock')], options);
    expect(items.map((item) => [item.protocol, item.status])).toEqual([
      ['registration', 'ready'],
      ['csi', 'ready'],
    ]);
  });
  it('may belong to another kind of plugin, which is not asked as a driver', async () => {
    await driver('gpu-reg.sock', registrar('gpu.example.com', at('gpu.sock'), ['v1'], 'DRAPlugin'));
    expect(await probeEndpoints([unix('gpu-reg.sock')], options)).toMatchObject([
      { status: 'ready', notes: ['it registers a DRAPlugin, which is not a CSI driver'] },
    ]);
  });
  it.each([
    ['only old versions', registrar('disk.example.com', '', ['0.3.0']), 'csi-v0'],
    ['no name', registrar('', ''), 'name-empty'],
    ['no registration at all', healthy, 'service-absent'],
  ])('with %s cannot be used', async (_name, answers, failure) => {
    await driver('disk-reg.sock', answers);
    expect((await probeEndpoints([unix('disk-reg.sock')], options))[0]).toMatchObject({
      protocol: 'registration',
      status: 'unhealthy',
      failure,
    });
  });
});
