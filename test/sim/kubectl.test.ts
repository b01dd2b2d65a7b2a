import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { diskControllerPod } from '../../src/sim/demo/names.ts';
import { writeKubeconfig } from '../../src/sim/kubeconfig.ts';
import { saying } from '../../src/sim/pod-programs.ts';
import { loadDump } from './dump.ts';

const isMissing = spawnSync('kubectl', ['version', '--client']).status !== 0;
const why = isMissing ? ' (skipped: kubectl is not on the PATH)' : '';
const dump = new URL('../truth/quota-statefulset/cluster.yaml', import.meta.url);
const patience = 300_000;

let directory: string;
let server: ApiServer;

/** What a person would see, output and errors together. */
function kubectl(...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: directory, KUBECONFIG: join(directory, 'config') };
    execFile('kubectl', [...args], { env, timeout: patience }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  server = await startApiServer(demoSnapshot(new Date()));
  await writeKubeconfig(join(directory, 'config'), server.url, { namespace: 'shop', context: 'demo' });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

describe(`the real kubectl${why}`, () => {
  it.skipIf(isMissing)('gets claims as a table, wide and by page', async () => {
    const all = await kubectl('get', 'pvc', '-A', '--chunk-size=2');
    expect(all).toMatch(
      /^NAMESPACE\s+NAME\s+STATUS\s+VOLUME\s+CAPACITY\s+ACCESS MODES\s+STORAGECLASS\s+VOLUMEATTRIBUTESCLASS\s+AGE\n/,
    );
    expect(all).toMatch(/shop\s+cart\s+Pending\s+fast-ssd/);
    expect(server.requests.filter(({ query }) => query['limit'] === '2').length).toBeGreaterThan(10);
    expect(await kubectl('get', 'pvc', 'data-catalog-0', '-o', 'wide')).toMatch(
      /Bound\s+pvc-\S+\s+20Gi\s+RWO\s+fast\s+<unset>\s+21d\s+Filesystem/,
    );
  });

  it.skipIf(isMissing)('gets YAML and JSON paths', async () => {
    expect(await kubectl('get', 'pvc', 'cart', '-o', 'yaml')).toContain('storageClassName: fast-ssd');
    expect(await kubectl('get', 'sc', '-o', 'jsonpath={.items[*].metadata.name}')).toContain('fast-immediate');
  });

  it.skipIf(isMissing)('describes a claim and a pod with their events', async () => {
    const claim = await kubectl('describe', 'pvc', 'warehouse', '-n', 'data');
    expect(claim).toMatch(/Used By:\s+warehouse-0/);
    expect(claim).toContain('code = ResourceExhausted');
    expect(await kubectl('describe', 'pod', 'search-0')).toContain('3 Insufficient cpu');
  });

  it.skipIf(isMissing)('selects by label and by field, and hears of a field that cannot be', async () => {
    expect(await kubectl('get', 'pods', '-l', 'app=catalog', '-o', 'name')).toBe('pod/catalog-0\npod/catalog-1\n');
    expect(await kubectl('get', 'pods', '-A', '--field-selector', 'spec.nodeName=worker-3', '-o', 'name')).toContain(
      'pod/stream-0',
    );
    expect(await kubectl('get', 'pvc', '--field-selector', 'status.phase=Pending')).toContain(
      '"status.phase" is not a known field selector',
    );
  });

  it.skipIf(isMissing)('says what is missing in the usual words', async () => {
    expect(await kubectl('get', 'pvc', 'data')).toBe(
      'Error from server (NotFound): persistentvolumeclaims "data" not found\n',
    );
    expect(await kubectl('get', 'gadgets')).toContain(`the server doesn't have a resource type "gadgets"`);
    expect(await kubectl('delete', 'pvc', 'cart')).toContain('MethodNotAllowed');
  });

  it.skipIf(isMissing)('knows its way around', async () => {
    expect(await kubectl('api-resources')).toMatch(/persistentvolumeclaims\s+pvc\s+v1\s+true\s+PersistentVolumeClaim/);
    expect(await kubectl('get', 'all')).toMatch(/statefulset.apps\/catalog\s+2\/2/);
    expect(await kubectl('get', 'events', '-A')).toMatch(/FailedCreate\s+statefulset\/orders/);
    expect(await kubectl('auth', 'can-i', 'list', 'pods')).toBe('yes\n');
    expect(await kubectl('auth', 'can-i', 'create', 'pvc')).toMatch(/^no\n/);
  });

  it.skipIf(isMissing)('watches', async () => {
    const watching = spawn('kubectl', ['get', 'pvc', '-w', '--output-watch-events'], {
      env: { ...process.env, HOME: directory, KUBECONFIG: join(directory, 'config') },
    });
    try {
      let seen = '';
      for await (const chunk of watching.stdout) {
        const wasListed = seen.includes('uploads');
        seen += String(chunk);
        if (!wasListed && seen.includes('uploads')) {
          // The watch begins after the list is printed.
          const waiting = setInterval(() => {
            if (server.requests.some(({ query }) => query['watch'] === 'true')) {
              clearInterval(waiting);
              server.apply({
                apiVersion: 'v1',
                kind: 'PersistentVolumeClaim',
                metadata: { name: 'brand-new', namespace: 'shop' },
                spec: {},
                status: { phase: 'Pending' },
              });
            }
          }, 20);
        }
        if (/brand-new.*\n/.test(seen)) break;
      }
      expect(seen).toMatch(/ADDED\s+brand-new\s+Pending/);
    } finally {
      watching.kill();
    }
  });

  it.skipIf(isMissing)('runs commands in pods, and makes and deletes them', async () => {
    const lively = await startApiServer(demoSnapshot(new Date()), {
      podStepMs: 5,
      streams: (pod, container, command) =>
        saying({
          stdout: `${container} of ${pod.metadata.name} runs ${command.join(' ')}\n`,
          exitCode: command.length - 1,
        }),
    });
    try {
      const there = (...args: readonly string[]): Promise<string> =>
        kubectl('--server', lively.url, '-n', 'storage-system', ...args);
      expect(await there('exec', diskControllerPod, '-c', 'disk-driver', '--', 'date')).toBe(
        `disk-driver of ${diskControllerPod} runs date\n`,
      );
      expect(await there('exec', diskControllerPod, '-c', 'disk-driver', '--', 'ls', '/')).toMatch(
        /runs ls \/\n[^]*exit code 1\n/,
      );
      expect(await there('run', 'probe', '--image=example/probe', '--restart=Never')).toBe('pod/probe created\n');
      expect(await there('wait', 'pod/probe', '--for=jsonpath={.status.phase}=Running')).toBe(
        'pod/probe condition met\n',
      );
      expect(await there('delete', 'pod', 'probe')).toContain('pod "probe" deleted');
      expect(await there('get', 'pod', 'probe')).toContain('pods "probe" not found');
    } finally {
      await lively.close();
    }
  });

  it.skipIf(isMissing || !existsSync(dump))('reads a dump of a real cluster', async () => {
    const real = await startApiServer(loadDump(dump));
    try {
      const out = await kubectl('--server', real.url, 'get', 'pvc,sts,quota', '-n', 'shop');
      expect(out).toMatch(/persistentvolumeclaim\/data-db-0\s+Bound/);
      expect(out).toMatch(/statefulset.apps\/db\s+1\/2/);
      expect(out).toContain('requests.storage: 1Gi/1Gi');
    } finally {
      await real.close();
    }
  });
});
