import { expect, it } from 'vitest';
import { openCluster } from '../../src/cli/cluster-source.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { mergeObjects } from '../../src/core/kube/merge-objects.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { loadScenarios } from '../kit/scenario.ts';

const [scenario] = loadScenarios(/^volume-full$/);
const lastWords = 'panic: write /data/wal/0001: no space left on device';
const end = { exitCode: 1, reason: 'Error', message: lastWords };

/** The same pod, whose container has ended at a time and is in this state now. */
function inState(state: object, minutesAgo: number): Snapshot {
  const { snapshot, target } = scenario!;
  const finishedAt = new Date(Date.parse(snapshot.takenAt) - minutesAgo * 60_000).toISOString();
  const lastState = { terminated: { ...end, finishedAt } };
  const containerStatuses = [{ name: 'main', ready: false, restartCount: 6, state, lastState }];
  const objects = snapshot.objects.map((object) =>
    object.kind === 'Pod' && object.metadata.name === target.name
      ? (mergeObjects(object, { status: { phase: 'Running', containerStatuses } }) as RawObject)
      : object,
  );
  return { ...snapshot, objects };
}

async function searchLive(snapshot: Snapshot): Promise<readonly string[]> {
  const server = await startApiServer(snapshot, { now: () => Date.parse(snapshot.takenAt), renewsLeases: false });
  const source = await openCluster({ server: server.url, kubeconfig: '/dev/null' });
  try {
    const { report } = await source.diagnose({
      targets: [],
      namespace: undefined,
      everywhere: true,
      selector: undefined,
      breadth: 'everything',
      asksWhoWaits: true,
      foresees: false,
    });
    return report.items.map(({ target, status, cause }) => `${target.kind}/${target.name} ${status} ${cause ?? ''}`);
  } finally {
    await source.close();
    await server.close();
  }
}

it.each([
  ['waits for its next run', { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } }, 2],
  ['runs at this moment', { running: { startedAt: '2026-03-01T11:59:00Z' } }, 2],
  ['has ended just now', { terminated: end }, 2],
])('a pod that keeps ending on a full volume is found live as by name: its container %s', async (_, state, minutes) => {
  const snapshot = inState(state, minutes);
  const { target } = scenario!;
  const [named] = diagnose(snapshot, { targets: [target] }).report.items;
  expect([named?.status, named?.cause]).toEqual(['blocked', 'volume-full']);
  expect(await searchLive(snapshot)).toContain(`Pod/${target.name} blocked volume-full`);
});

it('a pod that runs since hours is not read', async () => {
  const snapshot = inState({ running: { startedAt: '2026-03-01T07:00:00Z' } }, 5 * 60);
  expect(await searchLive(snapshot)).toEqual([]);
});
