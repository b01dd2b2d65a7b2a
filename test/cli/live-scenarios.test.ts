import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { proveFixes } from '../../src/core/engine/fixes/prove-fixes.ts';
import type { Fix, Report, ReportItem } from '../../src/core/report/report.ts';
import { askLive, liveAnswer } from '../kit/live-answer.ts';
import { loadScenarios } from '../kit/scenario.ts';

const scenarios = loadScenarios();
/**
 * A server that serves the kind cannot be one whose definition lacks the version: only a dump can show that. Only a dump
 * can be without the DaemonSets although nobody was refused them: a live cluster is asked, and answers or refuses.
 */
const onlyInDumps = [
  'driver-not-on-node--driver-daemonsets-unread',
  'driver-not-on-node--driver-nothing-read',
  'driver-not-on-node--node-daemonsets-unread',
  // Roles are looked at in files only.
  'provisioner-rbac--no-lease',
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
 * read for the sake of a fix. So are the pods of a driver on other nodes, which name the DaemonSet that may not be read,
 * limit ranges, twins of a volume, the pods behind a webhook or a scheduler, and roles, which few accounts may read.
 */
const knowsMoreFromFile = [
  'attach-in-flight-stuck--role',
  'attach-rpc-attached-elsewhere--node-named',
  'bucket-driver-not-running--name-unknown',
  'class-nil-no-default--set-template',
  'clone-source-deleting',
  'clone-source-invalid--volume-gone',
  'driver-not-on-node--view-role',
  'local-static-released--node-without-label',
  'mount-publish-rpc--mounted-by-another-pod',
  'mount-stage-rpc--not-hot-plugged',
  'pod-pvc-missing--limit-range',
  'populator-source-missing',
  'provision-claim-save-failed',
  'provision-no-topology--plugin-refused',
  'provision-no-topology--plugin-refused-by-scc',
  'provision-source-not-found--other-region',
  'provisioner-not-running--untied',
  'provisioner-silent--namespace-misspelt',
  'pv-delete-rpc-failed--cleanup-pod',
  'pv-terminating-provisioner-finalizer--rights',
  'pvc-create-denied-webhook--out-of-reach',
  'pvc-lost-pv-deleted--asked-for-the-volume',
  'pvc-terminating-foreign-finalizer--operator-stopped',
  'pvc-terminating-in-use--statefulset',
  'resize-controller-error--record-refused',
  'resize-no-resizer--rights',
  'resize-no-resizer--view-role',
  'sched-max-volume-count--set-exceeds-the-limit',
  'snap-content-misbound--half-bound',
  'snap-secret-missing--misspelt',
  'snap-secret-missing--misspelt-in-class',
  'snap-source-pvc-missing--other-namespace',
  'va-pv-missing--known-handle',
  'wffc-no-consumer--deployment-at-nought',
  'wffc-no-consumer--job-suspended',
  'wffc-no-consumer--volume-without-class',
  'wffc-scheduler-missing--scaled-to-nought',
  'wffc-scheduler-missing--silent',
];
/** Nearly all of what a file predicts. */
const leastShareOfPredictions = 0.97;
/** A search lists every kind that can be stuck, and reads what the verdicts need. */
const mostSearchRequests = 60;

describe('a scenario, asked as a file and as a live cluster', () => {
  it('has the same answer either way, with the same first fix and nearly all predictions', async () => {
    const wrong: string[] = [];
    const predicted = { file: 0, live: 0 };
    await inParallel(
      // From the end: another file, which begins at the other one, shares its answers.
      scenarios.filter(({ id }) => !onlyInDumps.includes(id)).reverse(),
      async (scenario) => {
        const { id, snapshot, target } = scenario;
        const [file] = proveFixes(diagnose(snapshot, { targets: [target] }).report, snapshot).items;
        const { report, snapshot: read, requests } = await liveAnswer(scenario);
        const [live] = proveFixes(report, read).items;
        predicted.file += countPredicted(file);
        predicted.live += countPredicted(live);
        if (judgementOf(file) !== judgementOf(live))
          wrong.push(`${id}: ${judgementOf(file)} as a file, ${judgementOf(live)} live`);
        if (firstFixOf(file) !== firstFixOf(live) && !knowsMoreFromFile.includes(id))
          wrong.push(`${id}: ${firstFixOf(file)} as a file, ${firstFixOf(live)} live`);
        const { needs } = diagnose(read, { targets: [target] });
        if (needs.length > 0) wrong.push(`${id}: still lacks ${needs.map(({ kind }) => kind).join(', ')}`);
        if (requests.length > mostRequests) wrong.push(`${id}: ${requests.length} requests`);
      },
    );
    expect(wrong).toEqual([]);
    expect(predicted.live).toBeGreaterThanOrEqual(predicted.file * leastShareOfPredictions);
  });

  it('is found by a search of the live cluster as by one of the file', async () => {
    const wrong: string[] = [];
    await inParallel(
      scenarios.filter(({ id }) => !onlyInDumps.includes(id)),
      async (scenario) => {
        const file = blockedOf(diagnose(scenario.snapshot, { breadth: 'everything' }).report);
        const { report, requests } = await askLive(scenario, {
          targets: [],
          isDenied: (kind) => scenario.file.denied?.includes(kind) === true,
        });
        const live = blockedOf(report);
        const missed = [...file].filter((text) => !live.has(text) && !isKnownOnlyInDumps(text));
        const added = [...live].filter((text) => !file.has(text));
        if (missed.length > 0) wrong.push(`${scenario.id}: not live: ${missed.join('; ')}`);
        if (added.length > 0) wrong.push(`${scenario.id}: only live: ${added.join('; ')}`);
        if (requests.length > mostSearchRequests) wrong.push(`${scenario.id}: ${requests.length} requests`);
      },
    );
    expect(wrong).toEqual([]);
  });

  it('is not called well by one who may read nothing but the target itself', async () => {
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
      const { target } = scenario;
      const { report } = await askLive(scenario, { targets: [target], isDenied: (kind) => kind !== target.kind });
      const status = report.items[0]?.status;
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

function blockedOf({ items }: Report): Set<string> {
  return new Set(
    items
      .filter(({ status }) => status === 'blocked')
      .map((item) => `${item.target.kind} ${item.target.namespace ?? ''}/${item.target.name} ${judgementOf(item)}`),
  );
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
