import { afterEach, describe, expect, it, vi } from 'vitest';
import { followCluster } from '../../src/cli/follow/follow-cluster.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { connect } from '../../src/io/cluster/connect.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 240_000, interval: 10 });

describe('a cluster that is followed', () => {
  it('is out of date as soon as the server hangs, also while a judgement waits for it, and until it was judged anew', async () => {
    let hangs = false;
    const server = await startApiServer(demoSnapshot(new Date()), {
      faults: { hang: { test: () => hangs } },
    });
    opened.push(() => server.close());
    const reader = await connect({ server: server.url, requestTimeout: '5s' }, { variables: { HOME: '/nonexistent' } });
    const told: { readonly turn: number; readonly state: string }[] = [];
    let turns = 0;
    let isJudging = false;
    const following = followCluster<{ readonly snapshot: Snapshot; readonly turn: number }>(reader, {
      namespace: undefined,
      pauseMs: 20,
      beatMs: 50,
      patienceMs: 1000,
      onResult: ({ turn }, { state }) => void told.push({ turn, state }),
    });
    opened.push(() => following.close());
    await following.begin(async () => {
      const turn = (turns += 1);
      isJudging = true;
      // Nothing remembers it, so it always goes to the server.
      await following.live.reader.list('Secret', { namespace: 'shop' }, { limit: 1 });
      isJudging = false;
      return { snapshot: demoSnapshot(new Date()), turn };
    });
    await waitFor(() => expect(told.at(-1)?.state).toBe('live'));
    hangs = true;
    server.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'new' },
      provisioner: 'x',
    });
    await waitFor(() => expect(isJudging).toBe(true));
    await waitFor(() => expect(told.at(-1)?.state).toBe('stale'));
    expect(isJudging).toBe(true);
    const { turn } = told.at(-1)!;
    hangs = false;
    await waitFor(() => expect(told.at(-1)?.state).toBe('live'));
    expect(told.at(-1)!.turn).toBeGreaterThan(turn);
    const since = told.findIndex(({ state }) => state === 'stale');
    expect(told.slice(since).some((result) => result.turn === turn && result.state === 'live')).toBe(false);
  });
});
