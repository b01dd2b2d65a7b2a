import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { programPath, runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');
const truth = join(import.meta.dirname, '../../truth');
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  return () => rm(directory, { recursive: true, force: true });
});

async function serve(denied: readonly string[] = [], extra: readonly RawObject[] = []): Promise<string> {
  const demo = demoSnapshot(demoTime);
  const server = await startApiServer(
    { ...demo, objects: [...demo.objects, ...extra] },
    { now: () => demoTime.getTime(), renewsLeases: false, faults: { deny: (kind) => denied.includes(kind) } },
  );
  onTestFinished(() => server.close());
  return server.url;
}

async function capture(...words: readonly string[]): Promise<Finished & { readonly path: string }> {
  const path = join(directory, 'capture.json.gz');
  return { ...(await runProgram(['capture', ...words, '-o', path])), path };
}

const open = async (path: string): Promise<Snapshot> =>
  JSON.parse(gunzipSync(await readFile(path)).toString()) as Snapshot;

/**
 * What a command answers, without where and when it looked and the command that shows more of it. What a fix leads to is
 * left out too, and which class is in use: a capture holds more than a command reads of a cluster.
 */
async function answer(words: readonly string[], place: readonly string[]): Promise<unknown> {
  const { exitCode, stdout } = await runProgram([...words, '-o', 'json', ...place]);
  const { source: _, takenAt: __, ...document } = JSON.parse(stdout) as Record<string, unknown>;
  const text = JSON.stringify(document, (key, value: unknown) => (key === 'after' ? undefined : value));
  return {
    exitCode,
    document: JSON.parse(text.replaceAll(/ --(?:from|server) [^ "]+| \(in use\)|(?<=retried-at=)\d+/g, '')) as unknown,
  };
}

async function expectSame(question: readonly string[], path: string, url: string): Promise<void> {
  const [file, live] = await Promise.all([answer(question, ['--from', path]), answer(question, ['-s', url])]);
  expect(file, question.join(' ')).toEqual(live);
}

describe('a capture, asked in place of the cluster', () => {
  it('gives every command the answer of the cluster', async () => {
    const url = await serve();
    const { path, exitCode, stdout, stderr } = await capture('-A', '--logs=auto', '-s', url);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(
      /^wrote .*capture\.json\.gz, \d+ kB\n\d+ objects of .*, all namespaces: .*29\s+persistentvolumeclaims/s,
    );
    const questions = [
      ['why', '-A'],
      ['why-pending', '-A'],
      ['why', 'pod/cart-0', '-n', 'shop'],
      ['why', 'sc/shared'],
      ['status'],
      ['status', '-n', 'shop'],
      ['trace', 'pvc/cart', '-n', 'shop'],
      ['trace', 'pvc/blog', '-n', 'web'],
      ...['pvc', 'pv', 'sc', 'csinodes', 'attachments', 'drivers', 'snapshots', 'capacity'].map((type) => [
        'get',
        type,
        '-A',
      ]),
    ];
    for (const question of questions) await expectSame(question, path, url);
  });

  it('of one namespace answers what is asked about that namespace', async () => {
    const url = await serve();
    const { path } = await capture('-n', 'shop', '-s', url);
    for (const question of [
      ['why', '-n', 'shop'],
      ['status', '-n', 'shop'],
      ['get', 'pvc', '-n', 'shop'],
      ['trace', 'pvc/cart', '-n', 'shop'],
    ])
      await expectSame(question, path, url);
    const { objects } = await open(path);
    expect(
      new Set(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.namespace)),
    ).toEqual(new Set(['shop']));
  });

  it('of one object answers what is asked about it, and holds little else', async () => {
    const url = await serve();
    const { path, stderr } = await capture('pvc/cart', '-n', 'shop', '-s', url);
    expect(stderr).toContain('pvc/cart in namespace shop');
    for (const question of [
      ['why', 'pvc/cart', '-n', 'shop'],
      ['trace', 'pvc/cart', '-n', 'shop'],
      ['get', 'pvc', 'cart', '-n', 'shop'],
    ])
      await expectSame(question, path, url);
    expect((await open(path)).objects.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toHaveLength(1);
  });

  it('is as blind as the one who took it, and says so', async () => {
    const url = await serve(['Lease', 'Node', 'StorageClass']);
    const { path, exitCode, stderr } = await capture('-A', '-s', url);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(
      '? could not read leases, nodes, storageclasses (forbidden)\n  List the missing rights: kubectl csi rbac --check\n',
    );
    for (const question of [['why', '-A'], ['status']]) await expectSame(question, path, url);
  });

  it('is the same, but for its time, when taken again', async () => {
    const url = await serve();
    const take = async (): Promise<string> =>
      JSON.stringify({ ...(await open((await capture('-A', '-s', url, '--force')).path)), takenAt: '' });
    expect(await take()).toBe(await take());
  });

  it('holds no value of a variable, an argument or a secret', async () => {
    const marker = 'zq7Marker9kx';
    const url = await serve(
      [],
      [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'db', namespace: 'shop', annotations: { note: marker } },
          data: { password: marker },
        },
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name: 'leak',
            namespace: 'shop',
            annotations: { 'kubectl.kubernetes.io/last-applied-configuration': marker },
          },
          spec: { containers: [{ name: 'a', env: [{ name: 'PASSWORD', value: marker }], args: ['--token', marker] }] },
          status: { phase: 'Running', message: `started with ${marker}` },
        },
      ],
    );
    const { path, stderr } = await capture('-A', '-s', url);
    expect(JSON.stringify(await open(path))).not.toContain(marker);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'redacted 3 texts: 1 annotation, 1 argument, 1 environment value (--dry-run lists them)',
    );
    const { stdout } = await runProgram(['capture', '-A', '-s', url, '--dry-run']);
    expect(stdout).toContain('pod/shop/leak  spec.containers[0].env[PASSWORD]');
    expect(stdout).not.toContain(marker);
  });
});

describe('a capture of a dump', () => {
  const dump = join(truth, 'secret-missing/cluster.yaml');

  it('gives the same answer as the dump', async () => {
    const { path, exitCode, stderr } = await capture('--from', dump);
    expect(exitCode).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('the whole dump');
    expect(await answer(['why'], ['--from', path])).toEqual(await answer(['why'], ['--from', dump]));
    const first = await readFile(path);
    expect((await readFile((await capture('--from', dump, '--force')).path)).equals(first)).toBe(true);
  });

  it('names the same causes under other names, which the key decides', async () => {
    const causes = async (path: string): Promise<unknown[]> =>
      (
        (await answer(['why'], ['--from', path])) as { document: { items: { cause?: string; status: string }[] } }
      ).document.items
        .map(({ cause, status }) => `${status} ${cause ?? ''}`)
        .sort();
    const { path } = await capture('--from', dump, '--anonymize', '--anonymize-key', 'one');
    const first = await readFile(path);
    expect(await causes(path)).toEqual(await causes(dump));
    const again = await capture('--from', dump, '--anonymize', '--anonymize-key', 'one', '--force');
    expect((await readFile(again.path)).equals(first)).toBe(true);
    const other = await capture('--from', dump, '--anonymize', '--force');
    expect((await readFile(other.path)).equals(first)).toBe(false);
    expect(other.stderr).toContain('names, addresses and ids are replaced');
  });

  it('can be written to standard output and read from standard input', async () => {
    const child = spawn(
      '/bin/sh',
      ['-c', `"$0" capture --from "$1" -o - | "$0" why --from - -o json`, programPath, dump],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    await once(child, 'close');
    expect((JSON.parse(stdout) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it('is plain JSON under a name that says so', async () => {
    const path = join(directory, 'capture.json');
    await runProgram(['capture', '--from', dump, '-o', path]);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ kind: 'Snapshot', source: { type: 'capture' } });
  });

  it.each([
    ['cut', (path: string) => truncate(path, 900), /ends in the middle.*the copy may have been interrupted/],
    [
      'damaged',
      async (path: string) =>
        writeFile(path, Buffer.concat([(await readFile(path)).subarray(0, 600), Buffer.alloc(600, 0xaa)])),
      /gzip data (?:is damaged|ends in the middle)|ends in the middle/,
    ],
    [
      'of another format',
      (path: string) =>
        writeFile(path, JSON.stringify({ apiVersion: 'csi.kubectl.dev/v9', kind: 'Snapshot', objects: [] })),
      /csi\.kubectl\.dev\/v9.*cannot read/,
    ],
  ])('that is %s is refused in one sentence', async (_how, spoil, words) => {
    const { path } = await capture('--from', dump);
    await spoil(path);
    const { exitCode, stdout, stderr } = await runProgram(['why', '--from', path]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split('\n').length).toBeLessThan(3);
  });
});

describe('the file of a capture', () => {
  const dump = join(truth, 'healthy/cluster.yaml');

  it('has a name of its own where none is given, and is for its owner alone', async () => {
    const { exitCode, stderr } = await here(['capture', '--from', dump]);
    expect(exitCode).toBe(0);
    const [name = '', ...others] = await readdir(directory);
    expect(others).toEqual([]);
    expect(name).toMatch(/^csi-capture-[A-Za-z0-9.-]+-\d{8}T\d{6}Z\.json\.gz$/);
    expect(stderr).toContain(`wrote ${name}`);
    expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });

  it('bears no name of the cluster where names are replaced', async () => {
    await here(['capture', '--from', dump, '--anonymize']);
    expect(await readdir(directory)).toEqual([expect.stringMatching(/^csi-capture-\d{8}T\d{6}Z\.json\.gz$/)]);
  });

  it('is not replaced unless asked', async () => {
    const path = join(directory, 'capture.json.gz');
    await writeFile(path, 'mine');
    const { exitCode, stderr } = await capture('--from', dump);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error: The file ${path} already exists.\n  Choose another -o FILE, or overwrite it with --force.\n`,
    });
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await capture('--from', dump, '--force')).exitCode).toBe(0);
    expect((await open(path)).kind).toBe('Snapshot');
    expect(await readdir(directory)).toEqual(['capture.json.gz']);
  });

  it('is not written where it cannot be, and nothing is left behind', async () => {
    await mkdir(join(directory, 'folder'));
    for (const [path, words] of [
      [join(directory, 'nowhere/x.json.gz'), 'does not exist'],
      [join(directory, 'folder'), 'is a directory'],
    ] as const) {
      const { exitCode, stderr } = await runProgram(['capture', '--from', dump, '-o', path]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(words);
    }
    expect(await readdir(directory, { recursive: true })).toEqual(['folder']);
  });

  it.skipIf(process.getuid?.() === 0)('is not written into a directory that may not be written to', async () => {
    await chmod(directory, 0o500);
    const { exitCode, stderr } = await capture('--from', dump);
    await chmod(directory, 0o700);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('may not write to');
  });

  it('is not written in a dry run', async () => {
    const { exitCode, stdout, stderr, path } = await capture('--from', dump, '--dry-run');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`would write ${path}`);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is not there when the cluster fails or the work is interrupted', async () => {
    expect((await capture('-A', '-s', 'http://127.0.0.1:1')).exitCode).toBe(4);
    const child = spawn(programPath, ['capture', '--from', '-', '-o', join(directory, 'x.json.gz')], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.write('apiVersion: v1\n');
    setTimeout(() => child.kill('SIGINT'), 700);
    await once(child, 'close');
    expect(await readdir(directory)).toEqual([]);
  });

  async function here(words: readonly string[]): Promise<Finished> {
    return runProgram(['-c', 'cd "$0" && exec "$@"', directory, programPath, ...words], { command: '/bin/sh' });
  }
});

describe('a capture that cannot be', () => {
  const dump = join(truth, 'healthy/cluster.yaml');

  it.each([
    [['pvc/data', '--from', dump], 'A dump is always captured as a whole'],
    [['-n', 'shop', '--from', dump], 'A dump is always captured as a whole'],
    [['pvc/data', '-A'], 'A name cannot be combined with -A'],
    [['--anonymize-key', 'x', '--from', dump], '--anonymize-key needs --anonymize'],
    [['--complete'], '--complete needs --from'],
    [['bogus/data'], 'Type "bogus" does not exist'],
  ])('%j is refused: %s', async (words, sentence) => {
    const { exitCode, stdout, stderr } = await runProgram(['capture', ...words, '-o', join(directory, 'x.json.gz')]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(await readdir(directory)).toEqual([]);
  });

  it('names what is near when nothing has the name', async () => {
    const { exitCode, stderr } = await capture('pvc/cartt', '-n', 'shop', '-s', await serve());
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean "cart"?');
    expect(await readdir(directory)).toEqual([]);
  });
});
