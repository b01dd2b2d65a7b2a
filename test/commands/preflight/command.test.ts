import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { PreflightReport } from '../../../src/core/report/preflight.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';

const healthy = join(import.meta.dirname, '../../truth/healthy/cluster.yaml');
const demoTime = new Date('2026-05-06T07:08:09Z');

const claim = (name: string, storageClass: string): string =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: ${name}\nspec:\n  accessModes: [ReadWriteOnce]\n  storageClassName: ${storageClass}\n  resources:\n    requests:\n      storage: 5Gi\n`;
const web = (name: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec:\n      containers: [{name: main, image: example.org/web}]\n      volumes:\n        - name: data\n          persistentVolumeClaim: {claimName: data}\n`;
const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n';

async function serve(options: ApiServerOptions = {}): Promise<ApiServer> {
  const snapshot = demoSnapshot(demoTime);
  const server = await startApiServer(snapshot, { now: () => demoTime.getTime(), renewsLeases: false, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function directory(files: Readonly<Record<string, string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'preflight-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return path;
}

describe('preflight', () => {
  it('judges manifests on a live cluster, and only reads', async () => {
    const server = await serve();
    const path = await directory({ 'app.yaml': [claim('data', 'fast'), web('web'), service].join('---\n') });
    const { exitCode, stdout, stderr } = await runProgram(['preflight', '-n', 'shop', '-f', path, '-s', server.url]);
    expect(stdout).toBe(
      [
        '✔ pvc/data  namespace shop  ok',
        '  disk.csi.example.com would provision 5Gi (StorageClass fast)',
        '✔ deployment/web  namespace shop  ok',
        '  1 pod: no problem found',
        '',
        '2 ok; 1 more object was not judged (Service 1)',
        '',
      ].join('\n'),
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(server.requests.filter(({ path: asked }) => asked.endsWith('/secrets'))).toEqual([]);
  });

  it('ends with 1, the cause and the line where something would fail', async () => {
    const { url } = await serve();
    const path = await directory({ 'app.yaml': [service, claim('data', 'gold'), web('web')].join('---\n') });
    const { exitCode, stdout } = await runProgram(['preflight', '-n', 'shop', '-f', join(path, 'app.yaml'), '-s', url]);
    expect(stdout).toContain(
      `✖ pvc/data  namespace shop  would fail\n  ${join(path, 'app.yaml')}:12 (document 2)\n  Cause: sc-missing (certain)\n    StorageClass "gold" does not exist`,
    );
    expect(stdout).toContain('✖ deployment/web  namespace shop  would fail');
    expect(stdout).toContain('Same cause as pvc/data: sc-missing');
    expect(stdout).not.toContain('delete pvc');
    expect(exitCode).toBe(1);
  });

  it('ends with 3 where something could not be read that could stand against it', async () => {
    const { url } = await serve({ faults: { deny: (kind) => kind === 'ResourceQuota' } });
    const path = await directory({ 'app.yaml': claim('data', 'fast-immediate') });
    const { exitCode, stdout } = await runProgram(['preflight', '-n', 'shop', '-f', path, '-s', url]);
    expect(stdout).toContain('? pvc/data  namespace shop  not known');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'could not read resourcequotas (forbidden): whether a quota has room for the claim',
    );
    expect(exitCode).toBe(3);
  });

  it('judges on a dump, and says that a dump without quotas leaves a question open', async () => {
    const path = await directory({ 'app.yaml': claim('data', 'fast-immediate') });
    const open = await runProgram(['preflight', '-f', path, '--from', healthy]);
    expect(open.stdout).toContain('could not read resourcequotas (not in the dump)');
    expect(open.stdout).toContain('Add --complete if the dump is complete');
    expect(open.exitCode).toBe(3);
    const whole = await runProgram(['preflight', '-f', path, '--from', healthy, '--complete']);
    expect(whole.stdout).toContain('✔ pvc/data  namespace default  ok');
    expect(whole.exitCode).toBe(0);
  });

  it('reads standard input, lists, several paths, and with -R the directories below', async () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [parse(claim('one', 'fast-immediate')), parse(service)],
    });
    const piped = await runProgram(['preflight', '-f', '-', '--from', healthy, '--complete'], { stdin: list });
    expect(piped.stdout).toContain('✔ pvc/one');
    const path = await directory({
      'a.yaml': claim('one', 'fast-immediate'),
      'below/b.yml': claim('two', 'fast-immediate'),
      'notes.txt': 'no manifest',
    });
    const flat = await runProgram(['preflight', '-f', path, '--from', healthy, '--complete']);
    expect(flat.stdout).toContain('1 ok');
    const deep = await runProgram([
      'preflight',
      '-R',
      '-f',
      path,
      '-f',
      join(path, 'a.yaml'),
      '--from',
      healthy,
      '--complete',
    ]);
    expect(deep.stdout).toContain('✔ pvc/two');
  });

  it.each([
    ['no manifest at all', ['preflight'], '', 'error: No manifest was given.\n'],
    [
      'a word that is no flag',
      ['preflight', 'app.yaml'],
      '',
      'error: "app.yaml" is not a flag.\n  Pass manifests with -f: kubectl csi preflight -f app.yaml.\n',
    ],
    [
      'a file that is not there',
      ['preflight', '-f', '/nonexistent.yaml'],
      '',
      'error: The path /nonexistent.yaml does not exist.\n',
    ],
    [
      'broken YAML, with its line',
      ['preflight', '-f', '-'],
      'apiVersion: v1\nkind: Pod\nmetadata: {name: [}\n',
      'error: Standard input:3: not valid YAML',
    ],
    [
      'an object without a kind',
      ['preflight', '-f', '-'],
      'kind: List\napiVersion: v1\nitems:\n- metadata: {name: a}\n',
      'error: Standard input:4: an object without a kind.\n',
    ],
    [
      'an object without a name',
      ['preflight', '-f', '-'],
      'apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {}\n',
      'error: Standard input:1: a PersistentVolumeClaim without a name.\n',
    ],
    [
      'nothing in the file',
      ['preflight', '-f', '-'],
      '# only a remark\n',
      'error: Standard input contains no Kubernetes object.\n',
    ],
    [
      'standard input twice',
      ['preflight', '-f', '-', '--from', '-'],
      '',
      'error: Standard input cannot be both the manifests and the dump.\n',
    ],
    [
      'an address',
      ['preflight', '-f', 'https://example.org/app.yaml'],
      '',
      'error: Cannot read https://example.org/app.yaml: manifests are read from files only.\n',
    ],
  ])('refuses %s with 2', async (_what, words, stdin, said) => {
    const { exitCode, stdout, stderr } = await runProgram(
      words.includes('--from') || words.length === 1 ? words : [...words, '--from', healthy],
      { stdin },
    );
    expect(stderr.startsWith(said), stderr).toBe(true);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it("shows nothing of the manifests' own control characters", async () => {
    const { stdout } = await runProgram(['preflight', '-f', '-', '--from', healthy, '--complete'], {
      stdin: claim('"da\\e[31mta"', 'fast-immediate'),
    });
    expect(stdout).toContain('object-invalid');
    expect(stdout).not.toContain('\u001b');
  });

  it('writes JSON that its schema takes, and the same as YAML', async () => {
    const report = JSON.parse(
      await readFile(new URL('../../../docs/report.schema.json', import.meta.url), 'utf8'),
    ) as object;
    const schema = JSON.parse(
      await readFile(new URL('../../../docs/preflight.schema.json', import.meta.url), 'utf8'),
    ) as object;
    const validate = new Ajv2020({ allErrors: true, strictRequired: false, schemas: [report] }).compile(schema);
    const path = await directory({
      'app.yaml': [
        service,
        claim('data', 'gold'),
        web('web'),
        claim('later', 'fast-wffc'),
        claim('now', 'fast-immediate'),
      ].join('---\n'),
    });
    const json = await runProgram(['preflight', '-f', path, '--from', healthy, '-o', 'json']);
    const told = JSON.parse(json.stdout) as PreflightReport;
    validate(told);
    expect(validate.errors ?? []).toEqual([]);
    expect(told.summary).toEqual({ ok: 0, wouldWait: 0, wouldFail: 2, unknown: 2, skipped: 1 });
    const yaml = await runProgram(['preflight', '-f', path, '--from', healthy, '-o', 'yaml']);
    expect(parse(yaml.stdout)).toEqual(told);
    const whole = await runProgram(['preflight', '-f', path, '--from', healthy, '--complete', '-o', 'json']);
    validate(JSON.parse(whole.stdout));
    expect(validate.errors ?? []).toEqual([]);
    expect((JSON.parse(whole.stdout) as PreflightReport).items.map(({ status }) => status)).toEqual([
      'wouldFail',
      'wouldFail',
      'wouldWait',
      'ok',
    ]);
    expect(validate({ ...told, items: told.items.map(({ cause: _cause, ...item }) => item) })).toBe(false);
    expect(validate({ ...told, extra: 1 })).toBe(false);
  });

  it('tells warnings in every format, with nothing in them that only preflight imagines', async () => {
    const path = await directory({
      'app.yaml': [claim('data', 'fast-immediate'), web('web').replace('replicas: 1', 'replicas: 2')].join('---\n'),
    });
    const outputs = await Promise.all(
      ['text', 'json', 'yaml', 'junit', 'github', 'markdown'].map((format) =>
        runProgram(['preflight', '-f', path, '--from', healthy, '--complete', '-o', format]),
      ),
    );
    for (const { exitCode, stdout } of outputs) {
      expect(stdout).toContain('attach-rwo-held-by-running-pod');
      expect(stdout).not.toContain('preflight-pvc');
      expect(exitCode).toBe(0);
    }
  });

  it('annotates the line in a pull request, and writes JUnit and Markdown', async () => {
    const path = await directory({ 'app.yaml': [claim('data', 'gold'), web('web')].join('---\n') });
    const flags = ['preflight', '-f', path, '--from', healthy, '--complete'];
    const github = await runProgram([...flags, '-o', 'github']);
    expect(github.stdout.split('\n')[0]).toMatch(
      new RegExp(
        `^::error file=${join(path, 'app.yaml')},line=7,title=sc-missing::pvc/data: StorageClass "gold" does not exist`,
      ),
    );
    expect(github.stdout.match(/^::error/gm)).toHaveLength(1);
    const junit = await runProgram([...flags, '-o', 'junit']);
    expect(junit.stdout).toContain('<testsuite name="kubectl csi preflight" tests="2" failures="2" errors="0"');
    expect(junit.stdout).toContain('<failure type="sc-missing" message="StorageClass &quot;gold&quot; does not exist');
    const markdown = await runProgram([...flags, '-o', 'markdown']);
    expect(markdown.stdout).toContain('| ❌ would fail | `pvc/data` |');
    expect([github, junit, markdown].map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  });
});
