import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RawObject, Snapshot } from '../src/core/kube/snapshot.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import type { ApiServer } from '../src/sim/api-server.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';
import { largeCluster } from '../test/kit/large-cluster.ts';

/**
 * `serve` over a large cluster that changes all the time: its memory at several points, and how often it lists. The embedded server runs in this process, so its
 * memory does not count.
 *
 *   node bench/serve.ts --minutes 10 --changes 20
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    claims: { type: 'string', default: '10000' },
    pods: { type: 'string', default: '5000' },
    /** Writes a second. */
    changes: { type: 'string', default: '20' },
    /** Pages that stay open. */
    pages: { type: 'string', default: '8' },
  },
});
const [minutes, claims, pods, changes, pages] = [
  values.minutes,
  values.claims,
  values.pods,
  values.changes,
  values.pages,
].map(Number) as [number, number, number, number, number];
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));

/** Pods that run and mount the first claims. */
function runningPods(count: number): RawObject[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `app-${index}`,
      namespace: 'shop',
      uid: `pod-app-${index}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'app' },
    },
    spec: {
      nodeName: `node-${String(10 + (index % 80)).padStart(3, '0')}`,
      containers: [
        { name: 'app', image: 'registry.example.com/app:v1', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${index}` } }],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
}

/** Claims and pods are relabelled in turn; every fiftieth time, a claim gets stuck or is bound again. */
function disturb(server: ApiServer, snapshot: Snapshot): () => void {
  const objects = snapshot.objects.filter(
    ({ kind, metadata }) => (kind === 'PersistentVolumeClaim' || kind === 'Pod') && metadata.namespace === 'shop',
  );
  const bound = snapshot.objects.filter(
    ({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.name.startsWith('data-'),
  );
  let turn = 0;
  return () => {
    turn += 1;
    const object = objects[(turn * 7919) % objects.length] as RawObject;
    server.apply({ ...object, metadata: { ...object.metadata, labels: { turn: String(turn) } } });
    if (turn % 50 !== 0) return;
    const stuck = bound[(turn / 50) % 20] as RawObject;
    const isStuck = (turn / 50) % 40 < 20;
    const { volumeName: _, ...spec } = stuck['spec'] as Record<string, unknown>;
    server.apply(
      isStuck
        ? { ...stuck, spec: { ...spec, storageClassName: `missing-${(turn / 50) % 5}` }, status: { phase: 'Pending' } }
        : stuck,
    );
  };
}

const residentMiB = async (child: ChildProcess): Promise<number> => {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
};
const cpuSeconds = async (child: ChildProcess): Promise<number> => {
  const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

function verbOf(isWatch: boolean, isNamed: boolean): string {
  if (isWatch) return 'watch';
  return isNamed ? 'get' : 'list';
}

function countLists(server: ApiServer, from: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, query, method } of server.requests.slice(from)) {
    const [, resource = path, name] = /\/v\d\w*\/(?:namespaces\/[^/]+\/)?([^/]+)(\/[^/]+)?/.exec(path) ?? [];
    const verb = verbOf(query['watch'] === 'true', name !== undefined);
    const key = method === 'GET' ? `${verb} ${resource}` : `${method} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function keepOpen(url: string): Promise<void> {
  const answer = await fetch(`${url}events`);
  const reader = answer.body?.getReader();
  for (let isDone = reader === undefined; !isDone;) isDone = (await reader?.read())?.done !== false;
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
  const base = largeCluster({ bound: claims });
  const snapshot: Snapshot = { ...base, objects: [...base.objects, ...runningPods(pods)] };
  const server = await startApiServer(snapshot);
  await writeKubeconfig(join(directory, 'kubeconfig'), server.url);
  const child = spawn(program, ['serve', '--port', '0'], {
    env: { ...process.env, KUBECONFIG: join(directory, 'kubeconfig') },
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        const found = /http:\S+/.exec(String(chunk))?.[0];
        if (found !== undefined) resolve(found);
      });
      child.stderr.pipe(process.stderr);
      child.once('exit', () => reject(new Error('serve has ended')));
    });
    const begun = performance.now();
    while ((await fetch(`${url}readyz`)).status !== 200) await sleep(100);
    const readyMs = performance.now() - begun;
    const listsToReady = server.requests.length;
    process.stdout.write(
      `${claims} claims, ${pods} pods, ${changes} changes a second, ${pages} open pages, ${minutes} minutes\n`,
    );
    process.stdout.write(`ready after ${(readyMs / 1000).toFixed(1)} s and ${listsToReady} requests\n\n`);
    process.stdout.write('minute   RSS MiB   CPU s   judgements   requests   longest /healthz ms\n');
    for (let page = 0; page < pages; page += 1) void keepOpen(url).catch(() => undefined);
    await soak(url, child, server, disturb(server, snapshot));
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)));
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function soak(url: string, child: ChildProcess, server: ApiServer, change: () => void): Promise<void> {
  const storm = setInterval(change, 1000 / changes);
  const totals = new Map<string, number>();
  let last = server.requests.at(-1);
  let requests = 0;
  let longest = 0;
  const begun = performance.now();
  for (let point = 0; ; point += 1) {
    const metrics = await (await fetch(`${url}metrics`)).text();
    const judgements = /^kubectl_csi_judgements_total (\d+)/m.exec(metrics)?.[1] ?? '?';
    const row = [
      (point / 2).toFixed(1).padStart(6),
      (await residentMiB(child)).toFixed(0).padStart(9),
      (await cpuSeconds(child)).toFixed(0).padStart(7),
    ];
    process.stdout.write(
      `${row.join(' ')} ${judgements.padStart(12)} ${String(requests).padStart(10)} ${longest.toFixed(0).padStart(21)}\n`,
    );
    if (point / 2 >= minutes) break;
    longest = 0;
    while (performance.now() - begun < (point + 1) * 30_000) {
      const asked = performance.now();
      await fetch(`${url}healthz`);
      longest = Math.max(longest, performance.now() - asked);
      await fetch(point % 2 === 0 ? url : `${url}status`).then((answer) => answer.arrayBuffer());
      // The server forgets its oldest requests, so they are counted as they come.
      for (const [key, count] of countLists(server, last === undefined ? 0 : server.requests.lastIndexOf(last) + 1)) {
        totals.set(key, (totals.get(key) ?? 0) + count);
        requests += count;
      }
      last = server.requests.at(-1);
      await sleep(1000);
    }
  }
  clearInterval(storm);
  process.stdout.write('\nrequests to the API server after it was ready\n');
  for (const [key, count] of [...totals].sort(([, a], [, b]) => b - a))
    process.stdout.write(`${String(count).padStart(7)}  ${key}\n`);
}

await main();
