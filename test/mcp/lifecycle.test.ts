import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections } from '../../src/mcp/connections.ts';
import { createServer } from '../../src/mcp/server.ts';
import { serveStreams } from '../../src/mcp/stdio.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { kubeconfigText } from '../../src/sim/kubeconfig.ts';
import { startAgent, startRaw, textOf } from '../kit/mcp-agent.ts';
import type { RawServer } from '../kit/mcp-agent.ts';
import { runProgram } from '../kit/run-program.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUps.splice(0).toReversed()) await step();
});

async function startCluster(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(new Date()), options);
  cleanUps.push(() => server.close());
  return server;
}
async function agentOf(words: readonly string[], env?: Readonly<Record<string, string>>) {
  const agent = await startAgent(words, env);
  cleanUps.push(() => agent.close());
  return agent;
}
function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const initialize = line({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const initialized = line({ method: 'notifications/initialized' });
const callOf = (id: number | string, name: string, given: object): string =>
  line({ id, method: 'tools/call', params: { name, arguments: given } });

function answersOf(server: RawServer): Readonly<Record<string, unknown>>[] {
  return server
    .stdout()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
}

describe('the server over standard input and output', () => {
  it('speaks the protocol only on standard output, and ends with its input', async () => {
    const server = startRaw(['-s', 'http://127.0.0.1:1']);
    server.write(initialize + initialized + callOf(2, 'explain', { cause: 'sc-missing' }));
    await server.shows('"id":2');
    expect(answersOf(server).map(({ id, jsonrpc }) => [jsonrpc, id])).toEqual([
      ['2.0', 1],
      ['2.0', 2],
    ]);
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toBe('');
  });

  it('ends on SIGTERM', async () => {
    const server = startRaw([]);
    server.write(initialize);
    await server.shows('"id":1');
    server.kill('SIGTERM');
    expect(await server.ended).toBe(143);
  });

  it('ends with its input while a call waits for a server that hangs', async () => {
    const { url } = await startCluster({ faults: { hang: /./ } });
    const server = startRaw(['-s', url, '--request-timeout', '500ms']);
    server.write(initialize + initialized + callOf(2, 'status', {}) + callOf(3, 'explain', { cause: 'sc-missing' }));
    await server.shows('"id":3');
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(answersOf(server).find(({ id }) => id === 2)).toMatchObject({ result: { isError: true } });
  });

  it('answers what was asked before its input ended', async () => {
    const { url } = await startCluster({ faults: { latencyMs: 50 } });
    const server = startRaw(['-s', url]);
    // The last message of a script often has no line break.
    server.write(
      initialize + initialized + callOf(2, 'status', {}) + callOf(3, 'why', { namespace: 'shop' }).trimEnd(),
    );
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(
      answersOf(server)
        .map(({ id, result }) => [id, typeof result])
        .sort(),
    ).toEqual([
      [1, 'object'],
      [2, 'object'],
      [3, 'object'],
    ]);
  });

  it('does not wait for long after its input ended: what has no answer by then gets an error', async () => {
    const { url } = await startCluster({ faults: { hang: /./ } });
    const connections = new Connections({ server: url, allowsContexts: false });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const problems: string[] = [];
    const served = serveStreams(
      () => createServer({ server: url, allowsContexts: false }, connections),
      { stdin, stdout, onProblem: (line) => problems.push(line), patienceMs: 200 },
      new AbortController().signal,
    );
    stdin.end(initialize + initialized + callOf(2, 'status', {}) + callOf(3, 'explain', { cause: 'sc-missing' }));
    await served;
    const answers = (stdout.read() as Buffer).toString().trimEnd().split('\n');
    expect(answers.map((text) => JSON.parse(text) as object)).toEqual([
      expect.objectContaining({ id: 1 }),
      expect.objectContaining({ id: 3, result: expect.anything() as unknown }),
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32603, message: 'The input has ended, and there was no answer within 0.2 s.' },
      },
    ]);
    expect(problems).toEqual([]);
  });

  it('survives whatever it is sent', async () => {
    const server = startRaw([]);
    server.write(initialize + initialized);
    const hostile = [
      '{',
      'GET / HTTP/1.1',
      '[]',
      'null',
      '""',
      '{"jsonrpc":"2.0","id":7}',
      '{"jsonrpc":"1.0","id":7,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
      '{"jsonrpc":"2.0","id":"a","method":"no/such"}',
      '{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{}}',
      '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
      '{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"why","arguments":[1]}}',
      '{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"why","arguments":{"__proto__":{"x":1},"constructor":1}}}',
      '{"jsonrpc":"2.0","id":"f","method":"resources/list","params":{"cursor":"-1"}}',
      '{"jsonrpc":"2.0","id":"g","method":"prompts/get","params":{"name":"x"}}',
      `{"jsonrpc":"2.0","id":"h","method":"x","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      '\u0000\u0001\u001b[2J',
      'x'.repeat(9 * 1024 * 1024),
    ];
    server.write(hostile.map((text) => `${text}\n`).join(''));
    server.write(callOf('last', 'explain', { cause: 'sc-missing' }));
    await server.shows('"id":"last"');
    expect(server.stderr()).toContain('A message of 9437185 bytes was dropped');
    expect(server.stderr()).not.toMatch(/\u001b|\n\s+at /);
    for (const answer of answersOf(server)) expect(answer).toMatchObject({ jsonrpc: '2.0' });
    server.endInput();
    expect(await server.ended).toBe(0);
  });

  it('answers a client that speaks the revision of 2025 and one that speaks that of 2026', async () => {
    const agent = await agentOf([]);
    expect((await agent.client.listTools()).tools).toHaveLength(9);
    const server = startRaw([]);
    server.write(initialize + initialized + line({ id: 2, method: 'tools/list' }));
    await server.shows('"id":2');
    expect(answersOf(server)[0]).toMatchObject({
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'kubectl-csi' } },
    });
    server.endInput();
    await server.ended;
  });
});

describe('a cluster that does not answer', () => {
  it('ends a call at the request timeout, and the next call is answered', async () => {
    const hanging = await startCluster({ faults: { hang: /./ } });
    const agent = await agentOf(['-s', hanging.url, '--request-timeout', '300ms']);
    const result = await agent.call('why', {});
    expect(result).toMatchObject({ isError: true, _meta: { 'csi.kubectl.dev/exitCode': 4 } });
    expect(textOf(result)).toContain('did not answer within');
    expect((await agent.call('explain', { cause: 'sc-missing' })).isError).toBe(false);
  });

  it('is an error of the call where nothing listens', async () => {
    const agent = await agentOf(['-s', 'http://127.0.0.1:1']);
    const result = await agent.call('status');
    expect(result).toMatchObject({ isError: true, _meta: { 'csi.kubectl.dev/exitCode': 4 } });
    expect(textOf(result)).toContain('127.0.0.1:1');
  });

  it('is an error of the call where there is no kubeconfig, until there is one', async () => {
    const { url } = await startCluster();
    const kubeconfig = join(directory(), 'kubeconfig');
    const agent = await agentOf([], { KUBECONFIG: kubeconfig });
    expect(await agent.call('status')).toMatchObject({ isError: true, _meta: { 'csi.kubectl.dev/exitCode': 4 } });
    writeFileSync(kubeconfig, kubeconfigText(url));
    expect(await agent.call('status')).toMatchObject({ isError: false });
  });

  it('is left alone after a call was cancelled', async () => {
    let latencyMs = 0;
    const cluster = await startCluster({ faults: { latencyMs: () => latencyMs } });
    const agent = await agentOf(['-s', cluster.url]);
    // The first call also learns what the server serves.
    await agent.call('status');
    const before = cluster.requests.length;
    await agent.call('status');
    const whole = cluster.requests.length - before;
    // Long enough for the cancellation to arrive before the first answers, also on a busy machine.
    latencyMs = 2000;
    const begun = cluster.requests.length;
    const abort = new AbortController();
    const call = agent.client.callTool({ name: 'status', arguments: {} }, { signal: abort.signal });
    const hasFailed = call.then(
      () => false,
      () => true,
    );
    while (cluster.requests.length === begun) await new Promise((resolve) => setTimeout(resolve, 10));
    abort.abort('no longer needed');
    expect(await hasFailed).toBe(true);
    expect((await agent.call('explain', { cause: 'sc-missing' })).isError).toBe(false);
    // What was sent is answered; nothing more is asked.
    let asked = 0;
    while (asked !== cluster.requests.length || cluster.requests.some(({ status }) => status === 0)) {
      asked = cluster.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(asked - begun).toBeLessThan(whole);
    latencyMs = 0;
    await agent.call('status');
    expect(cluster.requests.length - asked).toBe(whole);
  });

  it('forbids: what could not be read is said, and is never healthy', async () => {
    const { url } = await startCluster({ faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    const agent = await agentOf(['-s', url]);
    const result = await agent.call('check', { namespace: 'shop' });
    expect((result.structuredContent as { exitCode: number }).exitCode).not.toBe(0);
    expect(textOf(result)).toMatch(/could not be read|forbidden/);
  });
});

describe('what the operator fixes', () => {
  it('is the context, unless the agent may choose one', async () => {
    const [one, two] = [await startCluster(), await startCluster()];
    const path = directory();
    const [first, second] = [join(path, 'one'), join(path, 'two')];
    writeFileSync(first, kubeconfigText(one.url, { context: 'one' }));
    writeFileSync(second, kubeconfigText(two.url, { context: 'two' }));
    const env = { KUBECONFIG: `${first}:${second}` };
    const fixed = await agentOf(['--context', 'two'], env);
    expect(await fixed.call('status', { context: 'one' })).toMatchObject({ isError: true });
    expect((await fixed.call('status')).structuredContent).toMatchObject({ source: { name: 'two' } });
    expect(one.requests).toHaveLength(0);
    const free = await agentOf(['--allow-contexts'], env);
    const names = await Promise.all(
      [{ context: 'two' }, { context: 'one' }, {}].map(
        async (given) => (await free.call('status', given)).structuredContent as { source: { name: string } },
      ),
    );
    expect(names.map(({ source }) => source.name)).toEqual(['two', 'one', 'one']);
    // Commands of an answer act on the cluster that was asked, whatever the current context is.
    const answers = [await fixed.call('why', { targets: ['pvc/cart'], namespace: 'shop' })];
    answers.push(await free.call('why', { targets: ['pvc/cart'], namespace: 'shop', context: 'two' }));
    for (const answer of answers) expect(textOf(answer)).toContain('$ kubectl --context two -n shop get pvc cart');
    expect(textOf(await free.call('status', { context: 'on' }))).toMatch(
      /context "on", which does not exist.*\bone\b/s,
    );
  });

  it('is the dump, which is all that is read', async () => {
    const path = join(directory(), 'dump.json');
    writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: demoSnapshot(new Date()).objects }));
    const agent = await agentOf(['--from', path]);
    const result = await agent.call('why', { targets: ['pvc/cart'] });
    expect(result.structuredContent).toMatchObject({ source: { type: 'files' }, items: [{ cause: 'sc-missing' }] });
    expect(await agent.call('why', { from: '/etc/passwd' })).toMatchObject({ isError: true });
  });

  it('must exist where flags name it, which is said before any call', async () => {
    const kubeconfig = join(directory(), 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText('http://127.0.0.1:1', { context: 'one' }));
    const attempt = async (words: readonly string[]) => {
      const server = startRaw(words, { KUBECONFIG: kubeconfig });
      return { exitCode: await server.ended, stdout: server.stdout(), stderr: server.stderr() };
    };
    const context = await attempt(['--context', 'two']);
    expect(context).toMatchObject({ exitCode: 4, stdout: '' });
    expect(context.stderr).toContain('--context refers to the context "two", which does not exist');
    const dump = await attempt(['--from', '/nonexistent/dump']);
    expect(dump).toMatchObject({ exitCode: 2, stdout: '' });
    expect(dump.stderr).toContain('/nonexistent/dump does not exist');
    const http = await attempt(['--http', '127.0.0.1:0', '--context', 'two']);
    expect(http).toMatchObject({ exitCode: 4, stdout: '' });
  });

  it('is not there yet without a kubeconfig, which is said, and the agent is served', async () => {
    const server = startRaw([]);
    server.write(initialize);
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toContain('warning: KUBECONFIG points to /nonexistent/kubeconfig, which does not exist.');
    expect(answersOf(server)).toMatchObject([{ id: 1 }]);
  });

  it('is whether logs are read', async () => {
    const read = async (words: readonly string[]): Promise<boolean> => {
      const server = await startCluster();
      const agent = await agentOf(['-s', server.url, ...words]);
      await agent.call('why', { targets: ['pvc/warehouse'], namespace: 'data' });
      return server.requests.some(({ path }) => path.endsWith('/log'));
    };
    expect([await read([]), await read(['--logs=auto']), await read(['--logs'])]).toEqual([false, true, true]);
  });

  it('writes no file', async () => {
    const { url } = await startCluster();
    const home = directory();
    const agent = await startAgent(['-s', url], { HOME: home, XDG_CACHE_HOME: home });
    for (const name of ['status', 'check', 'why']) await agent.call(name);
    expect(readdirSync(home).filter((entry) => entry !== 'kubectl-csi')).toEqual([]);
    await agent.close();
  });

  it.each([
    [['--from', '-'], '--from - cannot be combined with standard input'],
    [['--allow-contexts', '--from', 'dump.yaml'], '--allow-contexts cannot be combined with --from'],
    [['--http-token-file', 'x'], '--http-token-file needs --http'],
    [['--http', 'example.com:80'], '--http needs the IP address'],
    [['--http', '127.0.0.1'], '--http needs ADDRESS:PORT'],
    [['--http', '0.0.0.0:8931'], 'other machines can reach 0.0.0.0'],
    [['--complete'], '--complete needs --from'],
  ])('%j is refused', async (words, message) => {
    const { exitCode, stdout, stderr } = await runProgram(['mcp', ...words]);
    expect({ exitCode, stdout }).toEqual({ exitCode: message.includes('file x') ? 4 : 2, stdout: '' });
    expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  });
});
