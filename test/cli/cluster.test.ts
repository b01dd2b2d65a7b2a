import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../src/sim/api-server.ts';
import { runProgram } from '../kit/run-program.ts';

const claim = (name: string, storageClassName: string): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName,
    volumeMode: 'Filesystem',
    resources: { requests: { storage: '1Gi' } },
  },
  status: { phase: 'Pending' },
});
const snapshot: Snapshot = {
  apiVersion: 'csi.kubectl.dev/v1',
  kind: 'Snapshot',
  takenAt: '2026-01-01T01:00:00Z',
  source: { type: 'files', name: 'test' },
  objects: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'uid-default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'uid-shop' } },
    claim('data', 'gold'),
  ],
  observations: [],
};

let server: ApiServer | undefined;
const start = async (options?: ApiServerOptions): Promise<ApiServer> =>
  (server = await startApiServer(snapshot, options));
afterEach(() => server?.close());

describe('why-pending on a cluster', () => {
  it('finds what is stuck in a namespace, and everywhere', async () => {
    const { url } = await start();
    for (const where of [['-n', 'shop'], ['-A']]) {
      const { exitCode, stdout } = await runProgram(['why-pending', '-s', url, ...where, '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({
        source: { type: 'cluster' },
        items: [{ target: { namespace: 'shop', name: 'data' }, cause: 'sc-missing' }],
      });
      expect(exitCode).toBe(1);
    }
  });
  it('looks in the namespace "default" when none is named, and finds nothing stuck there', async () => {
    const { url } = await start();
    const { exitCode, stdout } = await runProgram(['why-pending', '-s', url]);
    expect(stdout).toMatch(/^Nothing is stuck/);
    expect(exitCode).toBe(0);
  });
  it('offers near names for a claim that is nowhere', async () => {
    const { url } = await start();
    const { exitCode, stderr } = await runProgram(['why-pending', 'dta', '-n', 'shop', '-s', url]);
    expect(stderr).toBe('error: pvc/dta does not exist in namespace shop.\n  Did you mean "data"?\n');
    expect(exitCode).toBe(2);
  });
  it('answers for a class that does not exist with the claim that waits for it, in whatever namespace', async () => {
    const { url } = await start();
    const { exitCode, stdout } = await runProgram(['why', 'sc/gold', '-s', url, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ target: { kind: 'StorageClass', name: 'gold' }, status: 'blocked', cause: 'sc-missing' }],
    });
    expect(exitCode).toBe(1);
  });
  it('does not speak of a namespace where nothing waits for what has none', async () => {
    const { url } = await start();
    const { exitCode, stderr } = await runProgram(['why', 'pv/disk', '-s', url]);
    expect(stderr).toBe(
      'error: pv/disk does not exist.\n  Check the name: kubectl get persistentvolumes lists what exists.\n',
    );
    expect(exitCode).toBe(2);
  });
  it('does not say that nothing waits for a class when it may not list claims', async () => {
    const { url } = await start({ faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    const { exitCode, stdout } = await runProgram(['why', 'sc/gold', '-s', url]);
    expect(stdout).toContain('persistentvolumeclaims');
    expect(exitCode).toBe(3);
  });
  it('does not call a namespace healthy whose claims it may not list', async () => {
    const { url } = await start({ faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    const { exitCode, stdout } = await runProgram(['why-pending', '-n', 'shop', '-s', url]);
    expect(stdout).toContain('persistentvolumeclaims');
    expect(stdout).not.toContain('Nothing is stuck');
    expect(exitCode).toBe(3);
  });
  it('understands the compressed answers of a large cluster', async () => {
    const many = Array.from({ length: 3000 }, (_, index): RawObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `bound-${index}`, namespace: 'big', uid: `big-${index}` },
      spec: { volumeName: `v-${index}` },
      status: { phase: 'Bound' },
    }));
    server = await startApiServer({ ...snapshot, objects: [...snapshot.objects, ...many] });
    const { exitCode, stdout } = await runProgram(['why-pending', '-A', '-s', server.url, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ target: { name: 'data' }, cause: 'sc-missing' }],
      summary: { blocked: 1, healthy: 3000 },
    });
    expect(exitCode).toBe(1);
  });
  it('only ever reads', async () => {
    const { url, requests } = await start();
    await runProgram(['why-pending', '-A', '-s', url]);
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
  it('tells every request at -v=6, on standard error', async () => {
    const { url } = await start();
    const { stdout, stderr } = await runProgram(['why-pending', '-n', 'shop', '-s', url, '-v=6', '-o', 'name']);
    expect(stderr).toMatch(/^GET \/api\/v1\/namespaces\/shop\/persistentvolumeclaims\?\S* 200 in \d+ ms, \d+ bytes$/m);
    const [, requests] =
      /^(\d+) requests, \d+ bytes, [1-9]\d* objects?, \d+ rows?, [1-9]\d* rounds?, \d+ MB at most in \d+ ms$/m.exec(
        stderr,
      ) ?? [];
    expect(stderr.match(/^GET /gm)).toHaveLength(Number(requests));
    expect(stdout).toBe('persistentvolumeclaim/data\n');
  });
  it('ends with 4 and one sentence when no server answers', async () => {
    const { url } = await start();
    await server?.close();
    const { exitCode, stdout, stderr } = await runProgram(['why-pending', '-s', url]);
    expect(stderr).toMatch(/^error: .*\.\n/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  });
  it('prints again when something changes, and ends at Ctrl-C with 130', async () => {
    const { url, apply } = await start();
    let step = 0;
    const { exitCode, stdout, stderr } = await runProgram(
      ['why-pending', '-w', '-n', 'shop', '-s', url, '-o', 'name'],
      {
        onOutput: (printed, _errors, kill) => {
          if (step === 0 && printed === 'persistentvolumeclaim/data\n') {
            step = 1;
            apply(claim('logs', 'silver'));
          } else if (step === 1 && printed.includes('logs')) {
            step = 2;
            kill('SIGINT');
          }
        },
      },
    );
    expect(stdout).toBe('persistentvolumeclaim/data\npersistentvolumeclaim/data\npersistentvolumeclaim/logs\n');
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
  });
});

describe('demo', () => {
  it('diagnoses the broken cluster once and ends well', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['demo', '--once', '-o', 'json']);
    const report = JSON.parse(stdout) as { readonly summary: { readonly blocked: number } };
    expect(report.summary.blocked).toBeGreaterThan(10);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
  it('runs until Ctrl-C, answers kubectl csi meanwhile, and removes its files', async () => {
    let kubeconfig = '';
    let answered: Promise<unknown> | undefined;
    const { exitCode, stderr } = await runProgram(['demo', '-o', 'name'], {
      onOutput: (_printed, errors, kill) => {
        kubeconfig ||= /KUBECONFIG=(\S+)\n/.exec(errors)?.[1] ?? '';
        if (kubeconfig === '' || answered !== undefined) return;
        expect(existsSync(kubeconfig)).toBe(true);
        answered = runProgram(['why-pending', '-A', '-o', 'name'], { env: { KUBECONFIG: kubeconfig } }).finally(() =>
          kill('SIGINT'),
        );
      },
    });
    expect(await answered).toMatchObject({ exitCode: 1, stderr: '' });
    expect(stderr).toContain('kubectl csi why-pending -A -w');
    expect(existsSync(kubeconfig)).toBe(false);
    expect(exitCode).toBe(130);
  });
  it('says when its port is taken', async () => {
    const { port } = await start();
    const { exitCode, stderr } = await runProgram(['demo', '--once', '--port', String(port)]);
    expect(stderr).toMatch(new RegExp(`^error: Port ${port} cannot be used: .*\\n`));
    expect(exitCode).toBe(2);
  });
});
