import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Route } from '../../../src/commands/serve/routes.ts';
import { emptyPicture } from '../../../src/commands/serve/picture.ts';
import { startWebServer } from '../../../src/commands/serve/run/server.ts';
import { Streams } from '../../../src/commands/serve/run/streams.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { programPath, runProgram } from '../../kit/run-program.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

/** The built program, once it says where it serves. */
async function run(words: readonly string[]): Promise<Running> {
  const child = spawn(programPath, ['serve', '--port', '0', ...words], {
    env: { ...process.env, KUBECONFIG: '/dev/null' },
  });
  opened.push(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = await vi.waitFor(
    () => {
      const found = /^Serving at (http:\S+)$/m.exec(stdout)?.[1];
      if (found === undefined) throw new Error(`it does not serve: ${stderr}`);
      return found;
    },
    { timeout: 240_000 },
  );
  return { child, url, stderr: () => stderr, ended };
}

describe('the program', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends at %s: pages are told, nothing is left, and the exit code says why', async (signal, code) => {
    const server = await startApiServer(demoSnapshot(new Date()));
    opened.push(() => server.close());
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('kubectl-csi-serve'));
    const { child, url, ended, stderr } = await run(['--server', server.url]);
    await vi.waitFor(async () => expect((await fetch(`${url}readyz`)).status).toBe(200), { timeout: 240_000 });
    const stream = await fetch(`${url}events`);
    const closed = (async () => {
      for await (const chunk of stream.body!) void chunk;
      return 'ended';
    })().catch(() => 'cut');
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(await closed).toBe('ended');
    expect(stderr()).toBe('');
    await expect(fetch(url)).rejects.toThrow();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('kubectl-csi-serve'))).toEqual(before);
  });

  it('refuses wrong flags before it listens', async () => {
    const refused = async (...words: string[]) => runProgram(['serve', ...words], { timeoutMs: 240_000 });
    expect(await refused('--address', '0.0.0.0')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: listening on 0\.0\.0\.0 needs --auth/i) as string,
    });
    expect((await refused('--auth', 'maybe')).exitCode).toBe(2);
    expect(await refused('--tls-cert', programPath, '--tls-key', programPath)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `--tls-cert ${programPath} and --tls-key ${programPath} cannot be used`,
      ) as string,
    });
    const secret = await refused('--server', 'http://127.0.0.1:9', '--notify', 'hooks.example.com/T000/B000/secret');
    expect(secret.exitCode).toBe(2);
    expect(secret.stderr).not.toContain('secret');
    expect(await refused('--from', '/no/such/dump')).toMatchObject({ exitCode: 2 });
    expect(await refused('--context', 'none', '--kubeconfig', '/dev/null')).toMatchObject({ exitCode: 4, stdout: '' });
  });

  it('takes who may call, and the lease, as words of the command line', async () => {
    const words = ['--address', '0.0.0.0', '--auth', 'kubernetes', '--notify', 'http://127.0.0.1:9', '--lease', 'a/b'];
    const { url } = await run(['--server', 'http://127.0.0.1:9', ...words]);
    expect((await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}metrics`)).status).toBe(401);
  });

  it('says that a port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    opened.push(() => other.close());
    const { port } = other.address() as AddressInfo;
    const { exitCode, stderr } = await runProgram(['serve', '--server', 'http://127.0.0.1:9', '--port', String(port)], {
      timeoutMs: 60_000,
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`Port ${port} of 127.0.0.1 cannot be used: another program uses it`) as string,
    });
  });

  it('says when the cluster does not answer', async () => {
    const { url, stderr } = await run(['--server', 'http://127.0.0.1:9', '--request-timeout', '1s']);
    await vi.waitFor(() => expect(stderr()).toMatch(/cannot be read: .*It is tried again\./), { timeout: 240_000 });
    expect((await fetch(`${url}readyz`)).status).toBe(503);
  });
});

describe('a slow client', () => {
  it('of a stream is dropped when it does not take its updates', async () => {
    const streams = new Streams({ most: 4, bufferBytes: 10_000, beatMs: 1_000_000 });
    opened.push(() => streams.close());
    const web = await startWebServer({
      addresses: ['127.0.0.1'],
      port: 0,
      basePath: '',
      hosts: [],
      answer: async () => ({ stream: (response) => streams.add(response) }),
    });
    opened.push(() => web.close());
    const socket = connect(web.port, '127.0.0.1', () =>
      socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    socket.on('error', () => undefined);
    opened.push(() => socket.destroy());
    // It never reads.
    socket.pause();
    await vi.waitFor(() => expect(streams.size).toBe(1));
    const reason = 'x'.repeat(100_000);
    for (let turn = 0; streams.dropped === 0 && turn < 2000; turn += 1) {
      streams.publish({ ...emptyPicture('test', '2026-01-01T00:00:00Z', reason), revision: String(turn) });
      await new Promise(setImmediate);
    }
    expect(streams.dropped).toBe(1);
    expect(streams.size).toBe(0);
  });

  it('of a page is cut off when it takes too long', async () => {
    const routes: [Route['type'], number][] = [];
    const web = await startWebServer({
      addresses: ['127.0.0.1'],
      port: 0,
      basePath: '',
      hosts: [],
      limits: { answerMs: 200, idleMs: 100_000 },
      answer: async () => ({ status: 200, type: 'text/plain', body: Buffer.alloc(64 * 1024 * 1024) }),
      onAnswer: (route, status) => void routes.push([route, status]),
    });
    opened.push(() => web.close());
    const socket = connect(web.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    opened.push(() => socket.destroy());
    socket.pause();
    const closed = new Promise<string>((resolve) => {
      socket.on('error', () => resolve('cut'));
      socket.on('close', () => resolve('cut'));
    });
    // The cut shows once it reads what is in between.
    setTimeout(() => socket.resume(), 1000);
    expect(await closed).toBe('cut');
    expect(routes).toEqual([]);
  });
});
