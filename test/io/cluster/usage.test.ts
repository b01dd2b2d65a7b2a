import { afterEach, describe, expect, it } from 'vitest';
import { connectBoth } from '../../../src/io/cluster/connect.ts';
import { usageOfSummary } from '../../../src/io/cluster/usage/kubelet-summary.ts';
import { samplesOf, usageOfSamples } from '../../../src/io/cluster/usage/prometheus.ts';
import { UsageReader } from '../../../src/io/cluster/usage/usage-reader.ts';
import type { UsageOptions } from '../../../src/io/cluster/usage/usage-request.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { UsageSurvey } from '../../../src/core/kube/volume-usage.ts';
import { forbidden, startFakeApi } from '../../kit/fake-api.ts';
import type { FakeAnswer, FakeApi, FakeRequest } from '../../kit/fake-api.ts';
import { openTlsFront } from '../../kit/tls-front.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const series = (name: string, claim: string, value: string, more: object = {}): object => ({
  metric: {
    __name__: `kubelet_volume_stats_${name}`,
    namespace: 'shop',
    persistentvolumeclaim: claim,
    node: 'node-a',
    ...more,
  },
  value: [1_772_366_400, value],
});
const vector = (...result: readonly object[]): object => ({
  status: 'success',
  data: { resultType: 'vector', result },
});
const figures = (claim: string, available: string, more: object = {}): object[] => [
  series('capacity_bytes', claim, '5000000000', more),
  series('used_bytes', claim, String(5_000_000_000 - Number(available)), more),
  series('available_bytes', claim, available, more),
  series('inodes', claim, '1000', more),
  series('inodes_used', claim, '1000', more),
  series('inodes_free', claim, '0', more),
];

const pod: RawObject = {
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { nodeName: 'node-a', volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  status: { phase: 'Running' },
};
const snapshot: Snapshot = {
  apiVersion: 'csi.kubectl.dev/v1',
  kind: 'Snapshot',
  takenAt: '2026-03-01T12:00:00Z',
  source: { type: 'cluster', name: 'test' },
  objects: [pod],
  observations: [],
};

async function serve(answer: (request: FakeRequest) => FakeAnswer | undefined): Promise<FakeApi> {
  const api = await startFakeApi(answer);
  closing.push(() => api.close());
  return api;
}

async function measure(api: FakeApi, options: UsageOptions, more: readonly RawObject[] = []): Promise<UsageSurvey> {
  const { client, reader } = await connectBoth({ server: api.url }, { variables: { HOME: '/nonexistent' } });
  closing.push(async () => reader.close());
  const { usage } = await new UsageReader(client, options).addTo({ ...snapshot, objects: [pod, ...more] });
  if (!usage) throw new Error('no usage');
  return usage;
}

const prometheusService = {
  kind: 'ServiceList',
  apiVersion: 'v1',
  items: [
    { metadata: { name: 'prometheus', namespace: 'monitoring' }, spec: { ports: [{ name: 'web', port: 9090 }] } },
  ],
};
const summary = {
  node: { nodeName: 'node-a' },
  pods: [
    {
      podRef: { name: 'web', namespace: 'shop' },
      volume: [
        { name: 'cache', capacityBytes: 10, usedBytes: 1, availableBytes: 9 },
        {
          name: 'data',
          pvcRef: { name: 'data', namespace: 'shop' },
          time: '2026-03-01T11:59:00Z',
          capacityBytes: 100,
          usedBytes: 60,
          availableBytes: 40,
          inodes: 10,
          inodesUsed: 10,
          inodesFree: 0,
        },
      ],
    },
  ],
};

describe('the figures of Prometheus', () => {
  it('are bytes and inodes of a claim, and the time until it is full', () => {
    const samples = samplesOf(JSON.stringify(vector(...figures('data', '3600000'))));
    const trend = samplesOf(JSON.stringify(vector({ ...series('', 'data', '-1000') })));
    expect(usageOfSamples(samples ?? [], trend ?? [], 'P')).toEqual([
      {
        namespace: 'shop',
        claim: 'data',
        source: 'P',
        at: '2026-03-01T12:00:00.000Z',
        bytes: { total: 5_000_000_000, used: 4_996_400_000, free: 3_600_000 },
        inodes: { total: 1000, used: 1000, free: 0 },
        fullInSeconds: 3600,
      },
    ]);
  });

  it('are none where the answer is not a vector', () => {
    expect(samplesOf('<html>')).toBeUndefined();
    expect(samplesOf('{"status":"error","error":"x"}')).toBeUndefined();
  });

  it('are those of the fullest mount where several nodes mount the volume', () => {
    const both = [...figures('data', '3600000'), ...figures('data', '4000000000', { node: 'node-b' })];
    const [usage, ...others] = usageOfSamples(samplesOf(JSON.stringify(vector(...both))) ?? [], [], 'P');
    expect(usage?.bytes?.free).toBe(3_600_000);
    expect(others).toEqual([]);
  });
});

describe('the summary of a kubelet', () => {
  it('has the volumes of claims, and no others', () => {
    expect(usageOfSummary(JSON.stringify(summary), 'K')).toEqual([
      {
        namespace: 'shop',
        claim: 'data',
        source: 'K',
        at: '2026-03-01T11:59:00Z',
        bytes: { total: 100, used: 60, free: 40 },
        inodes: { total: 10, used: 10, free: 0 },
      },
    ]);
    expect(usageOfSummary('{"kind":"Status"}', 'K')).toBeUndefined();
  });
});

describe('usage', () => {
  it('comes from a Prometheus that is found in the cluster', async () => {
    const api = await serve(({ path, query }) => {
      if (path === '/api/v1/services') return { body: prometheusService };
      if (path !== '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/api/v1/query') return undefined;
      return { body: query.get('query')?.startsWith('deriv') ? vector() : vector(...figures('data', '10')) };
    });
    const { volumes, attempts } = await measure(api, {});
    expect(attempts).toEqual([{ source: 'Prometheus monitoring/prometheus', state: 'answered' }]);
    expect(volumes).toMatchObject([{ namespace: 'shop', claim: 'data', bytes: { free: 10 } }]);
  });

  it('is not taken from a Prometheus that holds several clusters', async () => {
    const prometheus = await serve(({ path }) =>
      path === '/api/v1/query'
        ? { body: vector(...figures('data', '10', { cluster: 'a' }), ...figures('data', '10', { cluster: 'b' })) }
        : undefined,
    );
    const { volumes, attempts } = await measure(await serve(() => undefined), { prometheus: prometheus.url });
    expect(volumes).toEqual([]);
    expect(attempts).toMatchObject([{ state: 'failed', message: expect.stringContaining('2 clusters') }]);
  });

  it('says that it may not look, and asks no kubelet without a flag', async () => {
    const api = await serve(({ path }) => (path === '/api/v1/services' ? forbidden('services') : undefined));
    const { volumes, attempts } = await measure(api, {});
    expect(volumes).toEqual([]);
    expect(attempts).toMatchObject([{ state: 'denied' }]);
    expect(api.requests.map(({ path }) => path)).toEqual(['/api/v1/services']);
  });

  it('comes from the kubelets of the nodes with claims, through the API server, for what nothing else has measured', async () => {
    const api = await serve(({ path }) => {
      if (path === '/api/v1/services') return forbidden('services');
      return path === '/api/v1/nodes/node-a/proxy/stats/summary' ? { body: summary } : undefined;
    });
    const { volumes, attempts } = await measure(api, { nodeProxy: true });
    expect(attempts).toMatchObject([
      { state: 'denied' },
      { source: 'the kubelet of node-a (through the API server)', state: 'answered' },
    ]);
    expect(volumes).toMatchObject([{ claim: 'data', inodes: { free: 0 } }]);
  });

  it('comes from a kubelet at the port that its node names', async () => {
    const kubelet = await serve(({ path }) => (path === '/stats/summary' ? { body: summary } : undefined));
    const front = await openTlsFront(kubelet.url);
    closing.push(() => front.close());
    const node: RawObject = {
      kind: 'Node',
      metadata: { name: 'node-a' },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: Number(new URL(front.url).port) } },
      },
    };
    const { volumes } = await measure(
      await serve(() => undefined),
      { kubelet: true, kubeletAuthority: front.authority },
      [node],
    );
    expect(volumes).toMatchObject([{ claim: 'data', source: 'the kubelet of node-a', inodes: { free: 0 } }]);
  });
});
