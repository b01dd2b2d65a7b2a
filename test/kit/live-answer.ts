import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from '../../src/cli/cluster-source.ts';
import { diagnoseStuck } from '../../src/cli/diagnosis/diagnose-stuck.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import type { Report } from '../../src/core/report/report.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { RequestRecord } from '../../src/sim/api-server.ts';
import type { Scenario } from './scenario.ts';

/** What was found out about a cluster, and what it was asked for that. */
export interface LiveAnswer {
  readonly report: Report;
  /** What was read. */
  readonly snapshot: Snapshot;
  readonly requests: readonly RequestRecord[];
}

/** What `why TYPE/NAME` finds out about the target of a scenario. Two test files need it: the first to ask shares it. */
export async function liveAnswer(scenario: Scenario): Promise<LiveAnswer> {
  const shelf = process.env['KUBECTL_CSI_TEST_SCENARIOS'];
  const path = shelf === undefined ? undefined : join(shelf, 'answers', `${scenario.id}.json`);
  if (path !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as LiveAnswer;
  const isDenied = (kind: string): boolean => scenario.file.denied?.includes(kind) === true;
  const answer = await askLive(scenario, { targets: [scenario.target], isDenied, foresees: true });
  if (shelf !== undefined && path !== undefined) {
    mkdirSync(join(shelf, 'answers'), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(answer));
    renameSync(`${path}.${process.pid}`, path);
  }
  return answer;
}

export async function askLive(
  { snapshot, target }: Scenario,
  {
    targets,
    isDenied,
    foresees = false,
  }: {
    /** None: everything in the cluster. */
    readonly targets: readonly TargetRef[];
    readonly isDenied: (kind: string) => boolean;
    readonly foresees?: boolean;
  },
): Promise<LiveAnswer> {
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
    const { diagnosis } = await diagnoseStuck(source, {
      targets,
      namespace: target.namespace,
      everywhere: targets.length === 0,
      selector: undefined,
      breadth: 'everything',
      asksWhoWaits: true,
      foresees,
    });
    return { report: diagnosis.report, snapshot: diagnosis.snapshot, requests: server.requests };
  } finally {
    await source.close();
    await server.close();
  }
}
