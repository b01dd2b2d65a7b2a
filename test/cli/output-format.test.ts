import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { manifest } from '../../src/cli/manifest.ts';
import { readFormat } from '../../src/cli/output-format.ts';
import { runProgram } from '../kit/run-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-format-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const dump = new URL('../truth/mixed-tainted', import.meta.url).pathname;

/** How each command that prints a document is called, and the kind of its document. */
const calls: Readonly<Record<string, readonly [kind: string, ...words: string[]]>> = {
  why: ['Report', 'why', '-A', '--from', dump],
  'why-pending': ['Report', 'why-pending', '-A', '--from', dump],
  status: ['Status', 'status', '--from', dump],
  get: ['ClaimList', 'get', 'pvc', '-A', '--from', dump],
  trace: ['Trace', 'trace', 'pod/app', '-n', 'finch', '--from', dump],
  probe: ['ProbeReport', 'probe', join(directory, 'none.sock')],
  check: ['CheckReport', 'check', '--from', dump],
  wait: ['WaitReport', 'wait', 'pod/app', '-n', 'finch', '--from', dump],
  preflight: ['PreflightReport', 'preflight', '-f', join(directory, 'claim.yaml'), '--from', dump],
  explain: ['CausePage', 'explain', 'sc-missing'],
  causes: ['CauseList', 'causes'],
  rbac: ['ClusterRole', 'rbac'],
  'what-if': ['WhatIfReport', 'what-if', 'delete', 'pod/app', '-n', 'finch', '--from', dump],
  demo: ['Report', 'demo', '--once'],
  version: ['Version', 'version', '--client'],
};
writeFileSync(
  join(directory, 'claim.yaml'),
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {}\n',
);
writeFileSync(join(directory, 'kind.txt'), '{.kind}');

describe('-o jsonpath', () => {
  it('is offered by every command with an output format', () => {
    const withFormat = Object.values(manifest.commands).filter(
      ({ flags }) => flags['output']?.summary?.startsWith('Output format') === true,
    );
    expect(withFormat.map(({ id }) => id).sort()).toEqual(Object.keys(calls).sort());
    for (const { flags } of withFormat) expect(flags['output']?.summary).toContain('jsonpath=TEMPLATE');
  });

  it.each(Object.values(calls))('prints a part of the document %s', async (kind, ...words) => {
    const { stdout, exitCode } = await runProgram([...words, '-o', 'jsonpath={.kind}']);
    // Unlike kubectl, the program always ends what it prints with a line break.
    expect(stdout).toBe(`${kind}\n`);
    expect(exitCode).toBeLessThan(2);
  });

  it('takes the template from a file, and prints JSON where asked to', async () => {
    expect(await readFormat(`jsonpath-file=${join(directory, 'kind.txt')}`, ['text'])).toBe('jsonpath={.kind}');
    const { stdout } = await runProgram(['causes', '-o', 'jsonpath-as-json={.kind}']);
    expect(JSON.parse(stdout)).toEqual(['CauseList']);
  });

  it.each([
    [
      ['status', '-o', 'jsonpath={.kind'],
      'The jsonpath template "{.kind" cannot be read: the brace of {.kind is not closed.',
    ],
    [['get', 'pvc', '-o', 'jsonpath'], '-o jsonpath needs a template.'],
    [['causes', '-o', 'jsonpath-file=/nowhere/x'], 'There is no file /nowhere/x.'],
    [['causes', '-o', 'jsonpath={.items[1000]}'], 'The jsonpath template reads item 1000 of a list with'],
    [['check', '-o', 'jsn'], 'Format "jsn" does not exist.\n  Did you mean "json"? The formats are text, wide, json,'],
  ])('refuses a template or format that cannot be used with one message: %s', async (words, message) => {
    const { stdout, stderr, exitCode } = await runProgram(words);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });
});
