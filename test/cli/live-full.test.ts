import { afterEach, expect, it } from 'vitest';
import type { LogUse } from '../../src/core/engine/logs/wants-logs.ts';
import { openCluster } from '../../src/cli/cluster-source.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { startFakeApi } from '../kit/fake-api.ts';
import { loadScenarios } from '../kit/scenario.ts';

const [scenario] = loadScenarios(/^volume-full--measured$/);
const snapshot = { ...scenario!.snapshot, usage: undefined };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What a kubelet reports of a volume of 5Gi. */
function figures(claim: string, available: number): object[] {
  const total = 5_291_835_392;
  const amounts = { capacity_bytes: total, used_bytes: total - available, available_bytes: available };
  return Object.entries(amounts).map(([name, amount]) => ({
    metric: {
      __name__: `kubelet_volume_stats_${name}`,
      namespace: 'shop',
      persistentvolumeclaim: claim,
      node: 'node-a',
    },
    value: [1_772_366_400, String(amount)],
  }));
}

const little = 1_000_000;
const much = 4_000_000_000;

/** A search of a live cluster, with a Prometheus that has these figures. */
async function search(result: readonly object[], logs?: LogUse) {
  const server = await startApiServer(snapshot, { now: () => Date.parse(snapshot.takenAt), renewsLeases: false });
  closing.push(() => server.close());
  const body = { status: 'success', data: { resultType: 'vector', result } };
  const prometheus = await startFakeApi(() => ({ body }));
  closing.push(() => prometheus.close());
  const source = await openCluster({ server: server.url, kubeconfig: '/dev/null', prometheus: prometheus.url });
  closing.push(() => source.close());
  const { report } = await source.diagnose({
    targets: [],
    namespace: undefined,
    everywhere: true,
    selector: undefined,
    breadth: 'everything',
    asksWhoWaits: true,
    foresees: false,
    ...(logs && { logs }),
  });
  return {
    items: report.items.map(({ target, status, cause }) => `${target.kind}/${target.name} ${status} ${cause ?? ''}`),
    unread: (report.unread ?? []).map(({ needed }) => needed),
  };
}

it('a search finds a claim that is measured as full, and its pod, although both look well', async () => {
  expect(await search([...figures('data', little), ...figures('healthy', much)])).toEqual({
    items: ['PersistentVolumeClaim/data blocked volume-full', 'Pod/web blocked volume-full'],
    unread: [],
  });
});

it('a measurement is not forgotten where logs are read as well', async () => {
  const { items } = await search([...figures('data', little), ...figures('healthy', much)], {
    mode: 'always',
    isAsked: true,
  });
  expect(items).toEqual(['PersistentVolumeClaim/data blocked volume-full', 'Pod/web blocked volume-full']);
});

it('a search finds nothing where the volumes have room', async () => {
  expect(await search([...figures('data', much), ...figures('healthy', much)])).toEqual({ items: [], unread: [] });
});

it('a search reports the claims in use that nothing has measured', async () => {
  expect(await search(figures('healthy', much))).toEqual({ items: [], unread: ['whether shop/data is full'] });
  expect(await search([])).toEqual({ items: [], unread: ['whether shop/data, shop/healthy are full'] });
});
