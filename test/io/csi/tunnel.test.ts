import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DriverPlace } from '../../../src/core/report/driver-endpoints.ts';
import { askThroughExec, entranceOf } from '../../../src/io/csi/route-exec.ts';
import type { Entrance } from '../../../src/io/csi/route-exec.ts';
import { isPlainPath, tunnelCommand } from '../../../src/io/csi/tunnel-command.ts';
import { deepAnswers, healthy, startDriver } from '../../kit/csi-driver.ts';
import { execHere, waysWith } from '../../kit/local-ways.ts';
import { leaveStale } from '../../kit/strange-listeners.ts';

let directory = '';
let stops: (() => void)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csi-tunnel-'));
  await mkdir(join(directory, 'bin'));
});
afterEach(async () => {
  for (const stop of stops) stop();
  stops = [];
  await rm(directory, { recursive: true, force: true });
});

const at = (name: string): string => join(directory, name);
const find = (program: string): string | undefined =>
  ['/usr/bin', '/bin', '/usr/local/bin']
    .map((place) => join(place, program))
    .find((path) => {
      try {
        execFileSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path]);
        return true;
      } catch {
        return false;
      }
    });

/** A tool that joins its streams to the socket in its last argument, whatever it is called; `-h` tells who it is. */
async function standIn(name: string, help: string): Promise<void> {
  const carrier = `const socket = require('node:net').connect({ path: process.argv.at(-1).replace(/^UNIX-CONNECT:/, ''), allowHalfOpen: true }, () => { process.stdin.pipe(socket); socket.pipe(process.stdout); }); socket.on('error', (error) => { console.error(error.message); process.exit(1); }); socket.on('end', () => process.exit(0));`;
  await writeFile(at('carrier.cjs'), carrier);
  await writeFile(
    at(`bin/${name}`),
    `#!/bin/sh\nif [ "$1" = -h ]; then echo '${help}'; exit 0; fi\necho "$*" >> ${at('called')}\nexec ${process.execPath} ${at('carrier.cjs')} "$@"\n`,
  );
  await chmod(at(`bin/${name}`), 0o755);
}

const place = (socket: string): DriverPlace => ({
  driver: 'disk.example.com',
  roles: ['node'],
  node: 'worker-1',
  namespace: 'storage',
  pod: 'disk-node-1',
  container: 'driver',
  socket,
  isRunning: true,
  hasEnded: false,
  callers: [],
  known: [],
  verdict: { status: 'unknown', summary: '', fix: [] },
});
async function probeThrough(
  socket: string,
  options: { readonly deep?: boolean; readonly timeoutMs?: number; readonly tunnelCommand?: string } = {},
): ReturnType<typeof askThroughExec> {
  await symlink('/bin/sh', at('bin/sh')).catch(() => undefined);
  const entrance = entranceOf(place(socket)) as Entrance;
  return askThroughExec(place(socket), entrance, waysWith({ exec: execHere(at('bin')) }), {
    timeoutMs: 60_000,
    deep: false,
    ...options,
  });
}
async function driver(name = 'csi.sock', answers = healthy): Promise<string> {
  stops.push((await startDriver(at(name), answers)).stop);
  return at(name);
}

describe('gRPC through a command in a container', () => {
  it.each(['socat', 'python3', 'perl'].flatMap((tool) => (find(tool) === undefined ? [] : [[tool]])))(
    'by %s',
    async (tool) => {
      await symlink(find(tool)!, at(`bin/${tool}`));
      const { route, told } = await probeThrough(await driver('csi.sock', deepAnswers), { deep: true });
      expect(told).toMatchObject({
        status: 'ready',
        driver: 'disk.example.com',
        version: 'v1.2.3',
        nodeInfo: { nodeId: 'worker-1' },
      });
      expect(route).toEqual({
        via: 'exec',
        outcome: 'answered',
        note: `gRPC through ${tool} in container driver of storage/disk-node-1`,
      });
    },
  );
  it.each([
    ['ncat', 'Ncat 7.92', /^-U \S+csi\.sock$/m],
    ['nc', 'Ncat 7.92', /^-U \S+csi\.sock$/m],
    ['nc', 'OpenBSD netcat (Debian patchlevel 1.226-1)', /^-NU \S+csi\.sock$/m],
    ['socat', '', /^- UNIX-CONNECT:\S+csi\.sock$/m],
  ])('by a %s that is %j', async (tool, help, called) => {
    await standIn(tool, help);
    const { told } = await probeThrough(await driver());
    expect(told).toMatchObject({ status: 'ready' });
    expect(execFileSync('/bin/cat', [at('called')], { encoding: 'utf8' })).toMatch(called);
  });
  it('not by an nc that knows no such sockets', async () => {
    await standIn('nc', 'BusyBox v1.36.1 nc [-iN] [-wN] [-l] [-p PORT] [-U?]');
    expect(await probeThrough(await driver())).toMatchObject({
      failure: 'exec-no-tool',
      route: {
        outcome: 'impossible',
        note: expect.stringContaining('the container has none of socat, ncat, nc, python3, perl'),
      },
    });
  });
  it('by a command of the user', async () => {
    await standIn('carry', '');
    expect((await probeThrough(await driver(), { tunnelCommand: 'carry --to {}' })).told).toMatchObject({
      status: 'ready',
    });
    expect(execFileSync('/bin/cat', [at('called')], { encoding: 'utf8' })).toContain(`--to ${at('csi.sock')}\n`);
  });
  it('without a shell in the container', async () => {
    const entrance = entranceOf(place(await driver())) as Entrance;
    const result = await askThroughExec(place(at('csi.sock')), entrance, waysWith({ exec: execHere(at('nowhere')) }), {
      timeoutMs: 60_000,
      deep: false,
    });
    expect(result).toMatchObject({
      failure: 'exec-no-tool',
      route: { outcome: 'impossible', note: expect.stringContaining('no shell') },
    });
    expect(result.told).toBeUndefined();
  });
});

const real = ['socat', 'python3', 'perl'].filter((tool) => find(tool) !== undefined);
describe.each(real.map((tool) => [tool]))('what %s says when it cannot connect', (tool) => {
  beforeEach(() => symlink(find(tool)!, at(`bin/${tool}`)));
  it('tells a socket that is missing', async () => {
    expect((await probeThrough(at('none.sock'))).told).toMatchObject({
      status: 'unreachable',
      failure: 'socket-missing',
    });
  });
  it('tells a leftover', async () => {
    await leaveStale(at('stale.sock'));
    expect((await probeThrough(at('stale.sock'))).told).toMatchObject({
      status: 'unreachable',
      failure: 'socket-stale',
      fix: expect.arrayContaining([
        expect.objectContaining({ command: 'kubectl -n storage logs disk-node-1 -c driver --tail=50' }),
      ]),
    });
  });
  it('tells a file', async () => {
    await writeFile(at('file.sock'), '');
    expect((await probeThrough(at('file.sock'))).told).toMatchObject({
      status: 'unreachable',
      failure: 'not-a-socket',
    });
  });
});

describe('a tunnel', () => {
  it('that carries, to a driver that is silent, shows that the driver hangs', async () => {
    await standIn('socat', '');
    const { createServer } = await import('node:net');
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => void server.listen(at('csi.sock'), resolve));
    stops.push(() => server.close());
    expect((await probeThrough(at('csi.sock'), { timeoutMs: 6000 })).told).toMatchObject({
      status: 'unreachable',
      failure: 'handshake-hang',
    });
  });
  it('whose command never began proves nothing about the driver', async () => {
    await writeFile(at('bin/sh'), '#!/bin/sh\nexec sleep 5\n', { mode: 0o755 });
    const entrance = entranceOf(place(await driver())) as Entrance;
    const result = await askThroughExec(
      place(at('csi.sock')),
      entrance,
      waysWith({ exec: execHere(`${at('bin')}:/bin:/usr/bin`) }),
      { timeoutMs: 700, deep: false },
    );
    expect(result).toMatchObject({ route: { outcome: 'failed', note: expect.stringContaining('did not start') } });
    expect(result.told).toBeUndefined();
  });
  it('may be forbidden, before or after it was tried', async () => {
    const entrance = entranceOf(place('/csi/csi.sock')) as Entrance;
    const lacking = await askThroughExec(
      place('/csi/csi.sock'),
      entrance,
      waysWith({ lacks: () => Promise.resolve({ verb: 'create', resource: 'pods/exec' }) }),
      { timeoutMs: 60_000, deep: false },
    );
    expect(lacking).toMatchObject({
      failure: 'exec-forbidden',
      route: { outcome: 'forbidden', note: 'you may not create pods/exec in namespace storage' },
    });
    const refused = await askThroughExec(
      place('/csi/csi.sock'),
      entrance,
      waysWith({ exec: () => Promise.resolve({ type: 'no way', reason: 'forbidden', message: 'pods is forbidden' }) }),
      { timeoutMs: 60_000, deep: false },
    );
    expect(refused).toMatchObject({
      failure: 'exec-forbidden',
      route: { outcome: 'forbidden', note: 'pods is forbidden' },
    });
  });
  it('goes only to paths that nothing gives a meaning of its own', () => {
    for (const path of ['/csi/csi.sock', '/var/lib/kubelet/plugins/a.b-c_d/csi.sock'])
      expect(isPlainPath(path)).toBe(true);
    for (const path of [
      '/csi/$(x).sock',
      '/csi/a,b.sock',
      '/csi/a b.sock',
      'csi.sock',
      "/csi/'.sock",
      '/csi/a:b',
      '/csi/a!b',
    ])
      expect(isPlainPath(path)).toBe(false);
    expect(entranceOf(place("/csi/'; rm -rf /;'.sock"))).toContain('not safe in a command');
  });
  it('hands the path over as an argument, never as a part of the script', () => {
    const [shell, flag, script, , path] = tunnelCommand('/csi/csi.sock');
    expect([shell, flag, path]).toEqual(['sh', '-c', '/csi/csi.sock']);
    expect(script).not.toContain('/csi/csi.sock');
  });
});
