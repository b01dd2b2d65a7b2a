import { describe, expect, it, onTestFinished } from 'vitest';
import { openCluster } from '../../src/cli/cluster-source.ts';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import type { Diagnosis } from '../../src/core/engine/diagnose.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import type { Report, ReportItem } from '../../src/core/report/report.ts';
import { runProgram } from '../kit/run-program.ts';
import { loadScenario, loadScenarios } from '../kit/scenario.ts';
import type { Scenario } from '../kit/scenario.ts';

/** Who may read what; everything else is refused. */
const rights = {
  'claims and pods only': ['PersistentVolumeClaim', 'Pod'],
  // What the built-in role `view` has of the kinds that matter: nothing of the cluster's own, no leases, no secrets.
  'the role view': [
    'PersistentVolumeClaim',
    'Pod',
    'Event',
    'ResourceQuota',
    'LimitRange',
    'StatefulSet',
    'Deployment',
    'DaemonSet',
    'Namespace',
  ],
} as const;

/**
 * Seconds old, so that any answer but "waiting" would need a kind that may not be read: it is said to be within its
 * usual time, with what could not be read. That holds only as long as it is so young: later it must not be waiting.
 */
const stillYoung = ['datasource-populator-missing--at-once'];
const wellPastGraceMs = 600_000;

const stuck = loadScenarios().filter(
  ({ target, file }) =>
    file.expect.status === 'blocked' && (target.kind === 'PersistentVolumeClaim' || target.kind === 'Pod'),
);

describe.each(Object.entries(rights))('one who may read %s', (name, allowed) => {
  it('is never told that a stuck claim or pod is well', async () => {
    const wrong: string[] = [];
    for (const scenario of stuck) {
      const { report, notFound } = await ask(scenario, allowed);
      const [item] = report.items;
      const isAnswered =
        item !== undefined && notFound.length === 0 && (item.status === 'blocked' || item.status === 'unknown');
      // What could not be told has to be laid to what could not be read.
      const isExplained = item?.status !== 'unknown' || item.unread.some(({ reason }) => reason === 'forbidden');
      // The objects alone show nothing of a volume that is full by measure: the answer has to say that it was not measured.
      if (saysNotMeasured(scenario, item)) continue;
      if (stillYoung.includes(scenario.id)) {
        const [later] = (await ask(scenario, allowed, wellPastGraceMs)).report.items;
        const isForbidden = item?.unread.some(({ reason }) => reason === 'forbidden') === true;
        if (item?.status === 'waiting' && isForbidden && (later?.status === 'blocked' || later?.status === 'unknown'))
          continue;
        wrong.push(`${scenario.id}: ${item?.status ?? 'no answer'} now, ${later?.status ?? 'no answer'} later`);
      }
      if (!isAnswered || !isExplained || ![1, 3].includes(exitCodeOf(report)))
        wrong.push(`${scenario.id}: ${item?.status ?? 'no answer'}, exit ${exitCodeOf(report)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is told by the program what could not be read, and that nothing is proven well', async () => {
    for (const [id, words, code] of [
      // An event that the role may read names the class; without it nothing is proven.
      ['sc-missing', ['pvc/data'], name === 'the role view' ? 1 : 3],
      ['sched-volume-node-affinity', ['pod/app'], 1],
      ['pv-controller-down', [], 3],
    ] as const) {
      const server = await serve(loadScenario(id), allowed);
      onTestFinished(() => server.close());
      const { url } = server;
      const { exitCode, stdout, stderr } = await runProgram(['why-pending', ...words, '-n', 'shop', '-s', url]);
      expect({ id, stderr }).toEqual({ id, stderr: '' });
      expect(stdout).toContain('could not read');
      expect(stdout).not.toContain('Nothing is stuck');
      expect({ id, exitCode }).toEqual({ id, exitCode: code });
      const all = await runProgram(['why', '-n', 'shop', '-s', url, '-o', 'json']);
      expect((JSON.parse(all.stdout) as Report).summary.healthy).toBeLessThan(2);
      expect({ id, exitCode: all.exitCode }).toEqual({ id, exitCode: code });
    }
  });
});

function saysNotMeasured({ snapshot }: Scenario, item: ReportItem | undefined): boolean {
  return (
    snapshot.usage !== undefined &&
    item?.status === 'healthy' &&
    item.unread.some(({ resource, reason }) => resource.startsWith('volume usage') && reason === 'forbidden')
  );
}

async function ask(scenario: Scenario, allowed: readonly string[], laterMs = 0): Promise<Diagnosis> {
  const { target } = scenario;
  const server = await serve(scenario, allowed, laterMs);
  const source = await openCluster({
    server: server.url,
    kubeconfig: '/dev/null',
    'node-proxy': scenario.snapshot.usage !== undefined,
  });
  try {
    return await source.diagnose({
      targets: [target],
      namespace: target.namespace,
      everywhere: false,
      selector: undefined,
      breadth: 'pending',
    });
  } finally {
    await source.close();
    await server.close();
  }
}

function serve({ snapshot, file }: Scenario, allowed: readonly string[], laterMs = 0): Promise<ApiServer> {
  const isDenied = (kind: string): boolean => !allowed.includes(kind) || file.denied?.includes(kind) === true;
  return startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt) + laterMs,
    renewsLeases: false,
    faults: { deny: isDenied },
  });
}
