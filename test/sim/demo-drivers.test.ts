import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { probeEndpoints } from '../../src/io/csi/probe-endpoints.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { startDemoDrivers } from '../../src/sim/demo/demo-drivers.ts';
import type { DemoDrivers } from '../../src/sim/demo/demo-drivers.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { diskControllerPod } from '../../src/sim/demo/names.ts';
import { ask } from './cluster.ts';

let directory: string;
let drivers: DemoDrivers;
let server: ApiServer;
const snapshot = demoSnapshot(new Date('2026-05-06T07:08:09Z'));
const pods = '/api/v1/namespaces/storage-system/pods';
const podOn = (short: string, node: string): string =>
  snapshot.objects.find(
    (object: any) =>
      object.kind === 'Pod' && object.spec.nodeName === node && object.metadata.name.startsWith(`${short}-node-`),
  )?.metadata.name ?? '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  drivers = await startDemoDrivers(directory);
  server = await startApiServer(snapshot, { podStepMs: 5, ...drivers.contents });
});
afterAll(async () => {
  await server.close();
  drivers.stop();
  await rm(directory, { recursive: true, force: true });
});

/** All that comes back on each channel until the stream ends, or the first answer of a driver has come. */
async function stream(
  path: string,
  protocol: string,
  message: Buffer,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, [protocol]);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => socket.send(message));
    socket.on('message', (data: Buffer) => {
      chunks.push(data.subarray(1));
      if (isEnough(Buffer.concat(chunks).toString('latin1'))) socket.terminate();
    });
    socket.on('error', reject).on('close', () => resolve());
  });
  return Buffer.concat(chunks).toString('latin1');
}

const healthz = Buffer.concat([
  Buffer.of(0),
  Buffer.from('GET /healthz HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n'),
]);

describe('the drivers of the demo', () => {
  it('are each in a state of their own', async () => {
    const sockets = (await readdir(directory)).filter((name) => name.endsWith('.sock')).sort();
    const items = await probeEndpoints(
      sockets.map((name) => ({ type: 'unix', path: join(directory, name) })),
      { timeoutMs: 6000, deep: false },
    );
    expect(
      items.map(
        (item) =>
          `${item.endpoint.slice(item.endpoint.lastIndexOf('/') + 1)} ${item.failure ?? item.status} ${item.driver ?? ''}`,
      ),
    ).toEqual([
      'disk-controller.sock ready disk.csi.example.com',
      'disk-worker-1.sock ready disk.csi.example.com',
      'disk-worker-2.sock ready disk.csi.example.com',
      'disk-worker-3.sock rpc-hang disk.csi.example.com',
      'files-worker-1.sock not-ready files.csi.example.com',
      'files-worker-2.sock failed-precondition files.csi.example.com',
      'files-worker-3.sock socket-stale ',
    ]);
  });

  it('tell their health through the proxy of the API server', async () => {
    const health = async (pod: string): Promise<string> => {
      const { status, body } = await ask(server, `${pods}/${pod}:9808/proxy/healthz`);
      return `${status} ${typeof body === 'string' ? body : body.message}`;
    };
    expect(await health(diskControllerPod)).toBe('200 ok');
    expect(await health(podOn('disk', 'worker-3'))).toBe(
      '500 rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
    expect(await health(podOn('files', 'worker-1'))).toMatch(
      /^503 error trying to reach service: dial tcp .*:9808: connect: connection refused$/,
    );
  });

  it.each([
    ['worker-1', 'driver responded but is not ready'],
    ['worker-2', 'rpc error: code = FailedPrecondition desc = the file server files-1.example.com does not answer'],
    ['worker-3', 'context deadline exceeded'],
  ])('tell their health on %s through a port-forward', async (node, words) => {
    expect(
      await stream(`${pods}/${podOn('files', node)}/portforward?ports=9809`, 'v4.channel.k8s.io', healthz),
    ).toContain(words);
  });

  it('are reached from their own containers where there is a tool, and from any pod that mounts the socket', async () => {
    const exec = (pod: string, container: string): string =>
      `${pods}/${pod}/exec?container=${container}&command=sh&command=-c&command=${encodeURIComponent('socat - UNIX:/csi/csi.sock')}&stdin=true&stdout=true&stderr=true`;
    const preface = Buffer.concat([
      Buffer.of(0),
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      Buffer.from('000000040000000000', 'hex'),
    ]);
    const talk = (pod: string, container: string): Promise<string> =>
      stream(exec(pod, container), 'v5.channel.k8s.io', preface, (text) => text.includes('\0\0\0\x04\x01'));
    const settingsAcknowledged = /\0\0\0\x04\x01/;
    expect(await talk(diskControllerPod, 'disk-driver')).toMatch(settingsAcknowledged);
    expect(await talk(podOn('files', 'worker-1'), 'files-driver')).toMatch(/socat: not found[^]*"127"/);
    expect(await talk(podOn('files', 'worker-1'), 'liveness-probe')).toContain('executable file not found in $PATH');
    const manifest: RawObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe' },
      spec: {
        nodeName: 'worker-1',
        containers: [{ name: 'probe', volumeMounts: [{ name: 'socket', mountPath: '/csi' }] }],
        volumes: [{ name: 'socket', hostPath: { path: '/var/lib/kubelet/plugins/files.csi.example.com' } }],
      },
    };
    await ask(server, pods, 'application/json', { method: 'POST', body: JSON.stringify(manifest) });
    while ((await ask(server, `${pods}/probe`)).body.status.phase !== 'Running');
    expect(await talk('probe', 'probe')).toMatch(settingsAcknowledged);
  });
});

describe('a driver of the demo whose pod is deleted', () => {
  it('comes back in a new pod that works', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    const own = await startDemoDrivers(elsewhere);
    const controllers = { backend: demoBackend, stepMs: 5 };
    const lively = await startApiServer(demoSnapshot(new Date()), { controllers, ...own.contents });
    try {
      const restarted = new Promise<RawObject>((resolve) => {
        lively.onPodStarted((pod) => void own.restart(pod).then(() => resolve(pod)));
      });
      const name = podOn('files', 'worker-3');
      expect((await ask(lively, `${pods}/${name}`, undefined, { method: 'DELETE' })).status).toBe(200);
      const pod = await restarted;
      expect(pod.metadata.name).not.toBe(name);
      const socket = { type: 'unix', path: join(elsewhere, 'files-worker-3.sock') } as const;
      const [item] = await probeEndpoints([socket], { timeoutMs: 6000, deep: false });
      expect(item).toMatchObject({ status: 'ready', driver: 'files.csi.example.com' });
    } finally {
      await lively.close();
      own.stop();
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});
