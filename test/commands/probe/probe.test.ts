import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { deepAnswers, healthy, registrationInfo, startDriver } from '../../kit/csi-driver.ts';
import type { Answers } from '../../kit/csi-driver.ts';
import { runProgram } from '../../kit/run-program.ts';
import { leaveStale, startTls } from '../../kit/strange-listeners.ts';

const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(
  JSON.parse(readFileSync(new URL('../../../docs/probe-report.schema.json', import.meta.url), 'utf8')) as object,
);

let directory = '';
let stops: (() => void)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csi-program-'));
});
afterEach(async () => {
  for (const stop of stops) stop();
  stops = [];
  await rm(directory, { recursive: true, force: true });
});
const at = (name: string): string => join(directory, name);
async function driver(name: string, answers: Answers = healthy): Promise<() => void> {
  const { stop } = await startDriver(at(name), answers);
  stops.push(stop);
  return stop;
}

describe('probe ends with', () => {
  it('0 when all are ready', async () => {
    await driver('csi.sock');
    const { exitCode, stdout, stderr } = await runProgram(['probe', at('csi.sock')]);
    expect(stdout).toMatch(new RegExp(`^✔ ready  unix://${at('csi.sock')}\\s+disk.example.com v1.2.3  [\\d.]+ ms\n$`));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
  it('1 when one is not', async () => {
    await driver('csi.sock');
    await leaveStale(at('stale.sock'));
    const { exitCode, stdout } = await runProgram(['probe', at('*.sock')]);
    expect(stdout).toContain('socket-stale');
    expect(stdout).toMatch(/\n1 ready, 1 unreachable\n$/);
    expect(exitCode).toBe(1);
  });
  it('1 for one that wants TLS', async () => {
    const stop = await startTls(at('csi.sock'));
    const { exitCode, stdout, stderr } = await runProgram(['probe', at('csi.sock')]);
    await stop();
    expect(stdout).toContain('tls-expected');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });
  it('1 while a driver initialises', async () => {
    await driver('csi.sock', { ...healthy, '/csi.v1.Identity/Probe': Buffer.from([0x0a, 0x00]) });
    expect((await runProgram(['probe', at('csi.sock')])).exitCode).toBe(1);
  });
  it('1 when nothing matches a pattern', async () => {
    const { exitCode, stdout } = await runProgram(['probe', at('*.sock')]);
    expect(stdout).toContain('The socket does not exist: nothing matches the pattern');
    expect(exitCode).toBe(1);
  });
  it('0 for a kubelet directory that is named from here', async () => {
    await mkdir(at('plugins'));
    await driver('plugins/csi.sock');
    expect(await runProgram(['probe', '--kubelet-root', relative(process.cwd(), directory)])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`unix://${at('plugins/csi.sock')}`),
    });
  });
  it('3 when there is nothing to judge by', async () => {
    const { exitCode, stdout } = await runProgram(['probe', '--kubelet-root', directory]);
    expect(stdout).toContain('no socket of a CSI driver');
    expect(exitCode).toBe(3);
  });
  it('4 where no kubelet lives', async () => {
    const { exitCode, stderr } = await runProgram(['probe', '--kubelet-root', '/nonexistent']);
    expect(stderr).toBe(
      'error: This machine has no kubelet directory (/nonexistent).\n  Pass an endpoint, or the directory with --kubelet-root.\n',
    );
    expect(exitCode).toBe(4);
  });
  it.each([
    [
      ['/a.sock', 'ebs.csi.aws.com'],
      'error: "/a.sock" is on this machine, and "ebs.csi.aws.com" is a driver of a cluster.\n',
    ],
    [['csidriver'], 'error: "csidriver" is a type without a name.\n'],
    [['csidriver/a_b'], 'error: "a_b" is not a valid driver name.\n'],
    [
      ['/a.sock', '--exec'],
      'error: --exec is for drivers of a cluster and cannot be combined with an endpoint on this machine.\n',
    ],
    [
      ['--kubelet-root', '/x', '--context', 'y'],
      'error: --context is for drivers of a cluster and cannot be combined with --kubelet-root.\n',
    ],
    [['a.csi', '--driver', 'b.csi'], 'error: --driver needs an endpoint.\n'],
    [['a.csi', '--node', 'b', '--all-nodes'], 'error: --node cannot be combined with --all-nodes.\n'],
    [
      ['a.csi', '--create-pods', '--watch'],
      'error: --create-pods cannot be combined with --watch, --retry or --wait-ready.\n',
    ],
    [
      ['a.csi', '--exec', '--tunnel-command', 'socat'],
      'error: --tunnel-command has no {} for the path of the socket.\n',
    ],
    [['a.csi', '--tunnel-command', 'socat {}'], 'error: --tunnel-command needs --exec or --create-pods.\n'],
    [['a.csi', '--concurrency', '0'], 'error: --concurrency must be a number from 1 to 1000, not "0".\n'],
    [['/a.sock', '--timeout', 'soon'], 'error: --timeout must be a time such as 5s, 500ms or 2m, not "soon".\n'],
    [['/a.sock', '--timeout', '0'], 'error: --timeout must be at least 1ms, not "0".\n'],
    [['/a.sock', '-w', '--interval', '200ms'], 'error: --interval must be at least 1s, not "200ms".\n'],
    [['/a.sock', '--retry', 'often'], 'error: --retry must be a number, not "often".\n'],
    [['/a.sock', '-w', '--wait-ready', '5s'], 'error: --watch cannot be combined with --retry or --wait-ready.\n'],
    [['/a.sock', '-w', '-o', 'junit'], 'error: -o junit cannot be combined with --watch.\n'],
    [['/a.sock', '--interval', '2s'], 'error: --interval needs --watch, --retry or --wait-ready.\n'],
    [['/a.sock', '--kubelet-root', '/x'], 'error: --kubelet-root cannot be combined with an endpoint.\n'],
  ])('2 for %j', async (words, message) => {
    const { exitCode, stdout, stderr } = await runProgram(['probe', ...words]);
    expect(stderr).toContain(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});

describe('probe prints', () => {
  it('JSON and YAML that follow the schema', async () => {
    await driver('csi.sock', deepAnswers);
    await leaveStale(at('stale.sock'));
    await mkdir(at('plugins_registry'));
    await driver('plugins_registry/disk-reg.sock', {
      '/pluginregistration.Registration/GetInfo': registrationInfo('disk.example.com', at('csi.sock')),
    });
    const words = ['probe', at('csi.sock'), at('stale.sock'), at('none.sock'), at('plugins_registry/*'), '--deep'];
    for (const [format, read] of [
      ['json', (text: string) => JSON.parse(text) as object],
      ['yaml', (text: string) => parse(text) as object],
    ] as const) {
      const report = read((await runProgram([...words, '-o', format])).stdout);
      validate(report);
      expect(validate.errors ?? []).toEqual([]);
      expect(report).toMatchObject({
        kind: 'ProbeReport',
        items: [
          { status: 'ready' },
          { failure: 'socket-stale' },
          { failure: 'socket-missing' },
          { protocol: 'registration', status: 'ready' },
        ],
        summary: { ready: 2, unreachable: 2 },
      });
    }
  });
  it('JUnit, with what a driver says made harmless', async () => {
    await driver('csi.sock', {
      ...healthy,
      '/csi.v1.Identity/Probe': { code: 'FAILED_PRECONDITION', message: 'no <pool> & "disk"\u001B[31m' },
    });
    const { stdout, exitCode } = await runProgram(['probe', at('csi.sock'), '-o', 'junit']);
    expect(stdout).toContain('<testsuite name="kubectl csi probe" tests="1" failures="1" errors="0"');
    expect(stdout).toContain(
      '<failure type="failed-precondition" message="The driver reports that it is not healthy, or that a dependency is missing: no &lt;pool&gt; &amp; &quot;disk&quot;.">',
    );
    expect(stdout).not.toContain('\u001B');
    expect(exitCode).toBe(1);
  });
  it('the matrix of capabilities when wide, within 80 columns', async () => {
    await driver('csi.sock', deepAnswers);
    const { stdout } = await runProgram(['probe', at('csi.sock'), '--deep', '-o', 'wide']);
    expect(stdout).toMatch(/^controller +EXPAND_VOLUME +yes$/m);
    expect(stdout).toMatch(/^controller +CLONE_VOLUME +-$/m);
    expect(stdout).toMatch(/^group +not served or not asked +\?$/m);
    expect(stdout).toMatch(/^access +ReadWriteOncePod +yes$/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
  it('ASCII only where the locale has nothing else', async () => {
    await leaveStale(at('stale.sock'));
    expect((await runProgram(['probe', at('stale.sock')], { env: { LC_ALL: 'C' } })).stdout).toMatch(
      /^[\n\u0020-\u007E]*$/,
    );
  });
});

describe('probe waits', () => {
  it('until a driver is there, and says for what', async () => {
    let started: Promise<unknown> | undefined;
    const { exitCode, stderr } = await runProgram(['probe', at('csi.sock'), '--wait-ready', '60s'], {
      onOutput: (_printed, errors) => {
        if (errors.includes('waiting for')) started ??= driver('csi.sock');
      },
    });
    await started;
    expect(stderr).toMatch(new RegExp(`^waiting for unix://${at('csi.sock')}: The socket does not exist`));
    expect(exitCode).toBe(0);
  });
  it('no longer than it was told', async () => {
    const { exitCode, stdout } = await runProgram(['probe', at('csi.sock'), '--retry', '1']);
    expect(stdout).toContain('socket-missing');
    expect(exitCode).toBe(1);
  });
  it('and watches: prints when a verdict changes, until it is stopped', async () => {
    const stop = await driver('csi.sock');
    let isStopped = false;
    const { exitCode, stdout } = await runProgram(['probe', at('csi.sock'), '--watch', '--interval', '1s'], {
      onOutput: (printed, _errors, kill) => {
        if (printed.includes('ready') && !isStopped) {
          isStopped = true;
          stop();
        }
        if (printed.includes('unreachable')) kill('SIGINT');
      },
    });
    expect(stdout.match(/^✔ ready/gm)).toHaveLength(1);
    expect(stdout).toMatch(/✖ unreachable {2}unix:/);
    expect(exitCode).toBe(130);
  });
});
