import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WhatIfReport } from '../../../src/core/report/what-if.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');
const schema = JSON.parse(
  readFileSync(new URL('../../../docs/what-if.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

async function serve(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(demoTime), {
    now: () => demoTime.getTime(),
    renewsLeases: false,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

async function dump(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'what-if-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'dump.json');
  await writeFile(path, JSON.stringify(demoSnapshot(demoTime)));
  return path;
}

describe('what-if', () => {
  it.each([
    [['drain', 'worker-1']],
    [['lose', 'zone=zone-a']],
    [['delete', 'ns/shop', 'sc/fast', 'csidriver/files.csi.example.com']],
    [['scale', 'deploy/storage-system/disk-controller', '--replicas=0', '+', 'delete', 'pvc/shop/data-catalog-0']],
    [['upgrade', '1.37']],
  ])('%j on a live cluster only reads, and prints what the schema says', async (words) => {
    const server = await serve();
    const { exitCode, stdout, stderr } = await runProgram(['what-if', ...words, '-o', 'json', '-s', server.url]);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as WhatIfReport;
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
    expect(exitCode).toBe({ breaks: 1, safe: 0, unknown: 3 }[report.verdict]);
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(server.requests.filter(({ path }) => path.endsWith('/secrets'))).toEqual([]);
  });

  it('says the same of a dump', async () => {
    const server = await serve();
    const live = await runProgram(['what-if', 'drain', 'worker-2', '-s', server.url]);
    const dumped = await runProgram(['what-if', 'drain', 'worker-2', '--from', await dump()]);
    expect(dumped).toEqual({ ...live, stdout: live.stdout.replaceAll(/ --server \S+/g, '') });
    expect(live.exitCode).toBe(1);
  });

  it('ends with 2 and the near name for a node that does not exist', async () => {
    const server = await serve();
    const { exitCode, stdout, stderr } = await runProgram(['what-if', 'drain', 'worker-11', '-s', server.url]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: Node "worker-11" does not exist\.\n {2}Did you mean "worker-1"/);
  });

  it('names what would break, for scripts, and is a table in a summary', async () => {
    const path = await dump();
    const names = await runProgram(['what-if', 'drain', 'worker-2', '--from', path, '-o', 'name']);
    expect(names.stdout).toBe('pod/docs-0\n');
    const { stdout } = await runProgram(['what-if', 'drain', 'worker-2', '--from', path, '-o', 'markdown']);
    expect(stdout).toContain('### What if: drain worker-2');
    expect(stdout).toMatch(/\| ✖ Refused \|/);
  });

  it('cannot tell from a dump that leaves kinds out', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'what-if-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const path = join(directory, 'nodes.json');
    const nodes = demoSnapshot(demoTime).objects.filter(({ kind }) => kind === 'Node');
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes }));
    const { exitCode, stdout } = await runProgram(['what-if', 'drain', 'worker-1', '--from', path]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('Cannot tell');
    expect(stdout).not.toContain('Nothing would break');
  });
});
