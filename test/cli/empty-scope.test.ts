import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../kit/run-program.ts';

const now = new Date('2026-05-06T07:08:09Z');
const snapshot = demoSnapshot(now);

async function serve(denied: readonly string[] = []): Promise<string> {
  const server = await startApiServer(snapshot, {
    now: () => now.getTime(),
    renewsLeases: false,
    faults: { deny: (kind) => denied.includes(kind) },
  });
  onTestFinished(() => server.close());
  return server.url;
}

async function dump(without: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'scope-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'dump.json');
  const items = snapshot.objects.filter(({ kind }) => !without.includes(kind));
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
}

const noNamespace = {
  exitCode: 2,
  stdout: '',
  stderr: 'error: Namespace "shp" does not exist.\n  Did you mean "shop"?\n',
};
const searches: readonly (readonly string[])[] = [
  ['why-pending'],
  ['why'],
  ['why', 'pvc/cart'],
  ['get', 'pvc'],
  ['get', 'pvc', 'cart'],
  ['trace', 'pvc/cart'],
  ['wait', 'pvc/cart', '--timeout=1h'],
  ['wait', 'pvc', '--all', '--timeout=1h'],
  ['status'],
  ['check'],
];

describe('a namespace that does not exist', () => {
  it.each(searches.map((words) => [words.join(' '), words] as const))('is refused by %s', async (_name, words) => {
    expect(await runProgram([...words, '-n', 'shp', '-s', await serve()])).toEqual(noNamespace);
  });

  it('is refused by capture, which writes nothing', async () => {
    const url = await serve();
    expect(await runProgram(['capture', '-n', 'shp', '-o', '-', '-s', url])).toEqual(noNamespace);
  });

  it('is refused in a dump, whether it holds Namespaces or not', async () => {
    for (const without of [[], ['Namespace']]) {
      const path = await dump(without);
      for (const words of searches)
        expect(
          await runProgram([...words, '-n', 'shp', '--from', path]),
          `${words.join(' ')} without ${without}`,
        ).toEqual(noNamespace);
    }
  });

  it('is named as that of the context where no other was asked for', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'scope-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const path = join(directory, 'kubeconfig');
    await writeFile(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'here',
        clusters: [{ name: 'here', cluster: { server: await serve() } }],
        contexts: [{ name: 'here', context: { cluster: 'here', user: 'me', namespace: 'shp' } }],
        users: [{ name: 'me', user: {} }],
      }),
    );
    const { exitCode, stderr } = await runProgram(['why-pending'], { env: { KUBECONFIG: path } });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: Namespace "shp" does not exist.\n  It is set in the current context. Did you mean "shop"?\n',
    });
  });

  it('leaves the answer open for one who may not read namespaces', async () => {
    const url = await serve(['Namespace']);
    for (const words of [['why-pending'], ['why'], ['get', 'pvc'], ['status'], ['check']]) {
      const { exitCode, stdout, stderr } = await runProgram([...words, '-n', 'shp', '-s', url]);
      expect({ words, exitCode }).toEqual({ words, exitCode: 3 });
      expect(stdout + stderr).toContain('namespace');
      expect(stdout + stderr).not.toContain('Nothing is stuck');
    }
  });

  it('is not asked about where something was found', async () => {
    const server = await startApiServer(snapshot, { now: () => now.getTime(), renewsLeases: false });
    onTestFinished(() => server.close());
    expect((await runProgram(['why-pending', '-n', 'shop', '-s', server.url])).exitCode).toBe(1);
    expect(server.requests.filter(({ path }) => /\/namespaces(?:\/shop)?$/.test(path))).toEqual([]);
  });
});

describe('a selector that matches nothing', () => {
  it('is not taken for claims that are well', async () => {
    const url = await serve();
    const { exitCode, stdout, stderr } = await runProgram(['why-pending', '-n', 'shop', '-l', 'app=nope', '-s', url]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: The selector app=nope matches none of \d+ claims in namespace shop, and no pod\.\n/,
    );
  });

  it('says so in a dump', async () => {
    const { exitCode, stderr } = await runProgram(['why', '-l', 'app=nope', '--from', await dump([])]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/matches none of \d+ claims in the dump, and no pod/);
  });

  it('says in a table of how many objects it matches none', async () => {
    const url = await serve();
    for (const selector of [
      ['-l', 'app=nope'],
      ['--field-selector', 'status.phase=Nope'],
    ]) {
      const { exitCode, stderr } = await runProgram(['get', 'pvc', '-n', 'shop', ...selector, '-s', url]);
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/^the selector matches none of \d+ claims in namespace shop\n$/);
    }
  });
});

describe('a namespace where nothing is stuck', () => {
  const calm = ['why-pending', '-n', 'kube-system'];

  it('is said to be so, with what is stuck elsewhere and how to see it', async () => {
    const { exitCode, stdout } = await runProgram([...calm, '-s', await serve()]);
    expect(stdout).toMatch(/^Nothing is stuck in namespace kube-system/);
    expect(stdout).toMatch(
      /\n\d+ claims and \d+ pods are stuck in other namespaces \(.*\): kubectl csi why-pending -A --server \S+\n$/,
    );
    expect(exitCode).toBe(0);
  });

  it('is all that is said in JSON, and where other namespaces may not be read', async () => {
    const url = await serve();
    const { stdout } = await runProgram([...calm, '-o', 'json', '-s', url]);
    expect(JSON.parse(stdout)).toMatchObject({ items: [], summary: { blocked: 0 } });
  });
});
