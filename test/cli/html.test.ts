import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../kit/run-program.ts';

const dump = ['--from', join(import.meta.dirname, '../truth/mount-driver-crashed/cluster.yaml')];

describe('-o html', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-page-'));
  const manifest = join(folder, 'app.yaml');
  writeFileSync(
    manifest,
    'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: spare}\nspec: {accessModes: [ReadWriteOnce], storageClassName: gone, resources: {requests: {storage: 1Gi}}}\n',
  );
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [['why', '-A'], 'pod/app2 in namespace shop'],
    [['why', 'pod/app2', '-n', 'shop'], 'pod/app2 in namespace shop'],
    [['why-pending', '-A'], 'pod/app2 in namespace shop'],
    [['status'], 'Storage status'],
    [['check'], 'Storage check'],
    [['trace', 'pod/app2', '-n', 'shop'], 'Trace of pod/app2 in namespace shop'],
    [['preflight', '-f', manifest], 'Storage preflight'],
    [['what-if', 'drain', 'node-a'], 'What if: drain node-a'],
  ])('%j is one page with the exit code of the text', async (words, title) => {
    const page = await runProgram([...words, ...dump, '-o', 'html']);
    const text = await runProgram([...words, ...dump]);
    expect(page.stderr).toBe(text.stderr);
    expect(page.exitCode).toBe(text.exitCode);
    expect(page.stdout).toMatch(/^<!doctype html>[^]*<\/html>\s*$/);
    expect(page.stdout).toContain(`<h1>${title}`);
    expect(page.stdout.match(/<html/g)).toHaveLength(1);
    expect(page.stdout).not.toMatch(/https?:\/\/|\ssrc=|@import|url\(/);
    // As the bundler leaves it.
    expect(page.stdout).toContain('summary::before{content:"\\25b8"');
    expect(page.stdout).not.toMatch(/\\u[0-9a-f]{4}/);
  });

  it.each([['why'], ['status'], ['trace', 'data']])('cannot be watched: %s', async (...words) => {
    const { exitCode, stdout, stderr } = await runProgram([...words, '-o', 'html', '-w']);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('-o html cannot be combined with --watch');
  });

  it('is offered by completion', async () => {
    const { stdout } = await runProgram(['__complete', 'why', '-o', 'h']);
    expect(stdout).toContain('html');
  });
});
