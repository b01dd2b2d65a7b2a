import { request } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { startRaw } from '../kit/mcp-agent.ts';
import type { RawServer } from '../kit/mcp-agent.ts';
import { runProgram } from '../kit/run-program.ts';

let cluster: ApiServer;
let server: RawServer;
let url: URL;
const path = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
const token = 'a-token-for-this-test-only';

async function listen(words: readonly string[]): Promise<{ readonly raw: RawServer; readonly address: URL }> {
  const raw = startRaw(['-s', cluster.url, ...words]);
  await raw.shows('Listening on ');
  return { raw, address: new URL(/http:\S+/.exec(raw.stderr())?.[0] ?? '') };
}

beforeAll(async () => {
  cluster = await startApiServer(demoSnapshot(new Date()));
  const started = await listen(['--http', '127.0.0.1:0']);
  [server, url] = [started.raw, started.address];
});
afterAll(async () => {
  server.kill('SIGTERM');
  await server.ended;
  await cluster.close();
  rmSync(path, { recursive: true });
});

interface Posted {
  readonly status: number;
  readonly body: string;
}
const toolsList = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
};

function post(
  address: URL,
  headers: Readonly<Record<string, string>>,
  body = JSON.stringify(toolsList),
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the server over HTTP', () => {
  it('answers several clients', async () => {
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const client = new Client({ name: 'test', version: '1' });
        await client.connect(new StreamableHTTPClientTransport(url));
        return client;
      }),
    );
    const answers = await Promise.all(
      clients.map((client) =>
        client.callTool({ name: 'why', arguments: { targets: ['pvc/cart'], namespace: 'shop' } }),
      ),
    );
    for (const { structuredContent } of answers)
      expect(structuredContent).toMatchObject({ kind: 'Report', items: [{ cause: 'sc-missing' }] });
    await Promise.all(clients.map((client) => client.close()));
    expect(server.stdout()).toBe('');
  });

  it('answers under the names of this machine only, so that no name of a page leads here', async () => {
    const { port } = url;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect((await post(url, { host })).status, host).toBe(200);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', `[::ffff:1.2.3.4]:${port}`])
      expect((await post(url, { host })).status, host).toBe(403);
  });

  it('answers no page of another origin', async () => {
    for (const origin of ['https://evil.example', 'null', 'file://', 'http://127.0.0.1.evil.example'])
      expect((await post(url, { origin })).status, origin).toBe(403);
    expect((await post(url, { origin: `http://localhost:${url.port}` })).status).toBe(200);
    expect((await post(url, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('survives whatever it is sent', async () => {
    expect((await post(url, {}, '{')).status).toBe(400);
    expect((await post(url, {}, 'x'.repeat(5 * 1024 * 1024)).catch(() => ({ status: 413 }))).status).toBe(413);
    expect((await post(new URL('/', url), {})).status).toBe(404);
    expect((await post(new URL('/mcp/../../etc/passwd', url), {})).status).toBe(404);
    expect((await post(new URL(`${url.origin}//`), {})).status).toBe(404);
    expect((await post(url, {})).status).toBe(200);
  });

  it('says that the port is taken', async () => {
    const { exitCode, stderr } = await runProgram(['mcp', '--http', `127.0.0.1:${url.port}`]);
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${url.port}`);
    expect(exitCode).toBe(4);
  });
});

describe('a token', () => {
  const file = join(path, 'token');
  it('is asked for by a server that other machines can reach', async () => {
    writeFileSync(file, `${token}\n`);
    const { raw, address } = await listen([
      '--http',
      '0.0.0.0:0',
      '--http-token-file',
      file,
      '--http-host',
      'csi.example',
    ]);
    const local = new URL(address.href.replace('0.0.0.0', '127.0.0.1'));
    const bearer = { authorization: `Bearer ${token}` };
    expect((await post(local, {})).status).toBe(401);
    expect((await post(local, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post(local, bearer)).status).toBe(200);
    expect((await post(local, { ...bearer, host: 'csi.example' })).status).toBe(200);
    expect((await post(local, { ...bearer, host: 'evil.example' })).status).toBe(403);
    expect(raw.stderr()).not.toContain(token);
    raw.kill('SIGTERM');
    await raw.ended;
  });
  it.each(['', 'short', 'two words that are long enough'])('is refused if its file holds %j', async (text) => {
    writeFileSync(file, text);
    const { exitCode, stderr } = await runProgram(['mcp', '--http', '127.0.0.1:0', '--http-token-file', file]);
    expect(stderr).toContain('must contain one token of at least 16 characters');
    expect(exitCode).toBe(2);
  });
});
