import { describe, expect, it } from 'vitest';
import { openCluster } from '../../src/cli/cluster-source.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import type { Diagnosis } from '../../src/core/engine/diagnose.ts';
import { proveFixes } from '../../src/core/engine/fixes/prove-fixes.ts';
import type { Fix, ReportItem } from '../../src/core/report/report.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { loadScenarios } from '../kit/scenario.ts';
import type { Scenario } from '../kit/scenario.ts';

const scenarios = loadScenarios();
/**
 * A server that serves the kind cannot be one whose definition lacks the version: only a dump can show that. Only a dump
 * can be without the DaemonSets although nobody was refused them: a live cluster is asked, and answers or refuses.
 */
const onlyInDumps = [
  'driver-not-on-node--driver-daemonsets-unread',
  'driver-not-on-node--driver-nothing-read',
  'driver-not-on-node--node-daemonsets-unread',
  'snap-crds-missing--only-beta',
];
/** The object itself says that it is ready, or on its way; what speaks against that is in objects that were not read. */
const wellByItsOwnWord = ['snap-content-missing--said-to-be-ready', 'snap-sidecar-down--died-later'];
/** Several at a time: most of it is waiting for the loopback. */
const atOnce = 8;
/** A diagnosis of one target reads what it points to, never the whole cluster; its fixes read the start of short lists. */
const mostRequests = 45;
/**
 * Their first fix is chosen from other namespaces, leases, earlier events, secrets or resting workloads, which are not
 * read for the sake of a fix. So are the pods of a driver on other nodes, which name the DaemonSet that may not be read.
 */
const knowsMoreFromFile = [
  'attach-rpc-attached-elsewhere--node-named',
  'bucket-driver-not-running--name-unknown',
  'class-nil-no-default--set-template',
  'clone-source-deleting',
  'clone-source-invalid--volume-gone',
  'driver-not-on-node--view-role',
  'local-static-released--node-without-label',
  'populator-source-missing',
  'pvc-lost-pv-deleted--asked-for-the-volume',
  'pvc-terminating-foreign-finalizer--operator-stopped',
  'pvc-terminating-in-use--statefulset',
  'resize-no-resizer--view-role',
  'snap-secret-missing--misspelt',
  'snap-source-pvc-missing--other-namespace',
  'va-pv-missing--known-handle',
  'wffc-no-consumer--deployment-at-nought',
  'wffc-no-consumer--job-suspended',
];
/** Nearly all of what a file predicts. */
const leastShareOfPredictions = 0.97;
/** A search lists every kind that can be stuck, and reads what the verdicts need. */
const mostSearchRequests = 60;

describe('a scenario, asked as a file and as a live cluster', () => {
  it(
    'has the same answer either way, with the same first fix and nearly all predictions',
    { timeout: 300_000 },
    async () => {
      const wrong: string[] = [];
      const predicted = { file: 0, live: 0 };
      await inParallel(
        scenarios.filter(({ id }) => !onlyInDumps.includes(id)),
        async (scenario) => {
          const { id, snapshot, target } = scenario;
          const [file] = proveFixes(diagnose(snapshot, { targets: [target] }).report, snapshot).items;
          const isDenied = (kind: string): boolean => scenario.file.denied?.includes(kind) === true;
          const { diagnosis, requests } = await askLive(scenario, isDenied, [target], true);
          const [live] = proveFixes(diagnosis.report, diagnosis.snapshot).items;
          predicted.file += countPredicted(file);
          predicted.live += countPredicted(live);
          if (judgementOf(file) !== judgementOf(live))
            wrong.push(`${id}: ${judgementOf(file)} as a file, ${judgementOf(live)} live`);
          if (firstFixOf(file) !== firstFixOf(live) && !knowsMoreFromFile.includes(id))
            wrong.push(`${id}: ${firstFixOf(file)} as a file, ${firstFixOf(live)} live`);
          const { needs } = diagnose(diagnosis.snapshot, { targets: [target] });
          if (needs.length > 0) wrong.push(`${id}: still lacks ${needs.map(({ kind }) => kind).join(', ')}`);
          if (requests > mostRequests) wrong.push(`${id}: ${requests} requests`);
        },
      );
      expect(wrong).toEqual([]);
      expect(predicted.live).toBeGreaterThanOrEqual(predicted.file * leastShareOfPredictions);
    },
  );

  it('is found by a search of the live cluster as by one of the file', { timeout: 300_000 }, async () => {
    const wrong: string[] = [];
    await inParallel(
      scenarios.filter(({ id }) => !onlyInDumps.includes(id)),
      async (scenario) => {
        const file = blockedOf(diagnose(scenario.snapshot, { breadth: 'everything' }));
        const { diagnosis, requests } = await askLive(
          scenario,
          (kind) => scenario.file.denied?.includes(kind) === true,
          [],
        );
        const live = blockedOf(diagnosis);
        const missed = [...file].filter((text) => !live.has(text) && !isKnownOnlyInDumps(text));
        const added = [...live].filter((text) => !file.has(text));
        if (missed.length > 0) wrong.push(`${scenario.id}: not live: ${missed.join('; ')}`);
        if (added.length > 0) wrong.push(`${scenario.id}: only live: ${added.join('; ')}`);
        if (requests > mostSearchRequests) wrong.push(`${scenario.id}: ${requests} requests`);
      },
    );
    expect(wrong).toEqual([]);
  });

  it('is not called well by one who may read nothing but the target itself', { timeout: 180_000 }, async () => {
    const wrong: string[] = [];
    const stuck = scenarios.filter(
      ({ id, target, file }) =>
        !wellByItsOwnWord.includes(id) &&
        file.expect.status === 'blocked' &&
        target.kind !== 'PersistentVolumeClaim' &&
        target.kind !== 'Pod' &&
        file.denied?.includes(target.kind) !== true,
    );
    await inParallel(stuck, async (scenario) => {
      const { diagnosis } = await askLive(scenario, (kind) => kind !== scenario.target.kind);
      const status = diagnosis.report.items[0]?.status;
      if (status !== 'blocked' && status !== 'unknown') wrong.push(`${scenario.id}: ${status ?? 'no answer'}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** That no pod on the node needs a volume is known only where all pods were read, which a search of a cluster does not do. */
function isKnownOnlyInDumps(text: string): boolean {
  return /^VolumeAttachment .* by (?:detach-volume-in-use|detach-node-not-ready)$/.test(text);
}

function fixesOf(item: ReportItem | undefined): readonly Fix[] {
  return item?.findings.find(({ role }) => role === 'cause')?.fix ?? [];
}

function countPredicted(item: ReportItem | undefined): number {
  return fixesOf(item).filter(({ after }) => after !== undefined).length;
}

function firstFixOf(item: ReportItem | undefined): string {
  const [fix] = fixesOf(item);
  return (fix?.commands ?? [fix?.command ?? fix?.text ?? 'no fix']).join('; ');
}

function blockedOf({ report }: Diagnosis): Set<string> {
  return new Set(
    report.items
      .filter(({ status }) => status === 'blocked')
      .map((item) => `${item.target.kind} ${item.target.namespace ?? ''}/${item.target.name} ${judgementOf(item)}`),
  );
}

async function askLive(
  { snapshot, target }: Scenario,
  isDenied: (kind: string) => boolean,
  targets = [target],
  foresees = false,
): Promise<{ readonly diagnosis: Diagnosis; readonly requests: number }> {
  const server = await startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt),
    renewsLeases: false,
    faults: { deny: isDenied },
  });
  // What was measured is asked of the kubelets, as with the flag.
  const source = await openCluster({
    server: server.url,
    kubeconfig: '/dev/null',
    'node-proxy': snapshot.usage !== undefined,
  });
  try {
    const diagnosis = await source.diagnose({
      targets,
      namespace: target.namespace,
      everywhere: targets.length === 0,
      selector: undefined,
      breadth: 'everything',
      asksWhoWaits: true,
      foresees,
    });
    return { diagnosis, requests: server.requests.length };
  } finally {
    await source.close();
    await server.close();
  }
}

/** The words may differ: near names and neighbours are not read from a live cluster for their own sake. */
function judgementOf(item: ReportItem | undefined): string {
  return item === undefined
    ? 'no answer'
    : `${item.status} at ${item.stage ?? 'no stage'} by ${item.cause ?? 'nothing'}`;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}
