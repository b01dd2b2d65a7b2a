import { describe, expect, it } from 'vitest';
import { everyRule } from '../../../src/core/causes/index.ts';
import type { PreflightItem } from '../../../src/core/report/preflight.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { preflight } from '../../../src/commands/preflight/answer.ts';
import { loadScenarios, snapshotOf } from '../../kit/scenario.ts';
import type { Scenario } from '../../kit/scenario.ts';
import { splitScenario } from './scenario-manifests.ts';
import { alsoWrong, unforeseen } from './unforeseen.ts';

const early = new Set(['claim', 'bind', 'provision', 'schedule']);
const causes = new Set(
  everyRule()
    .filter(({ stage }) => early.has(stage))
    .map(({ cause }) => cause),
);
const applied = new Set(['PersistentVolumeClaim', 'Pod', 'StorageClass']);
const scenarios = loadScenarios().filter(
  ({ cause, file, target }) =>
    causes.has(cause) &&
    applied.has(target.kind) &&
    (file.expect.status === 'blocked' || file.expect.status === 'waiting') &&
    file.denied === undefined &&
    (file.expect.stage === undefined || early.has(file.expect.stage)),
);
const wanted = ({ cause, file }: Scenario): string | null =>
  file.expect.cause === undefined ? cause : file.expect.cause;

function judge(
  scenario: Scenario,
  change: (cluster: Snapshot) => Snapshot = (cluster) => cluster,
): readonly PreflightItem[] {
  const { cluster, manifests } = splitScenario(scenario);
  return preflight(change(cluster), manifests, 'shop').report.items;
}

function names(items: readonly PreflightItem[], scenario: Scenario): boolean {
  const cause = wanted(scenario);
  return items.some(
    (item) =>
      item.cause === cause ||
      (scenario.file.expect.role === 'advice' && item.warnings.some((warning) => warning.cause === cause)),
  );
}

describe('preflight of what a scenario applied', () => {
  const foreseen = scenarios.filter(({ id, file }) => unforeseen[id] === undefined && !file.eventsOnly);

  it('covers most of what can go wrong before a volume is attached', () => {
    expect(foreseen.length).toBeGreaterThan(150);
    for (const id of Object.keys(unforeseen)) expect(scenarios.map((scenario) => scenario.id)).toContain(id);
  });

  it.each(foreseen.map((scenario) => [scenario.id, scenario] as const))('foretells %s', (_id, scenario) => {
    const items = judge(scenario);
    const told = items.map(({ object, status, cause }) => `${object.kind}/${object.name} ${status} ${cause ?? ''}`);
    expect(names(items, scenario), `${wanted(scenario)}, but: ${told.join('; ')}`).toBe(true);
    if (scenario.file.expect.status === 'blocked' && scenario.file.expect.role !== 'advice')
      expect(items.map(({ status }) => status)).toContain('wouldFail');
    // Nothing that exists only here may show, least of all how old it is.
    expect(JSON.stringify(items)).not.toMatch(/preflight-|61m|1h1m/);
    for (const { command } of items.flatMap(({ objection }) => objection?.fix ?? []))
      expect(command ?? '').not.toMatch(new RegExp(`delete pvc ${scenario.target.name}$`));
  });

  it.each(Object.entries(unforeseen))('does not claim to foretell %s: %s', (id) => {
    const scenario = scenarios.find((candidate) => candidate.id === id) as Scenario;
    expect(names(judge(scenario), scenario)).toBe(false);
  });

  const onlyTold = scenarios.filter(
    ({ id, file }) => file.eventsOnly === true && unforeseen[id] === undefined && alsoWrong[id] === undefined,
  );

  it.each(onlyTold.map((scenario) => [scenario.id, scenario] as const))(
    "knows nothing beforehand against %s, which only somebody's word tells",
    (_id, scenario) => {
      const failing = judge(scenario)
        .filter(({ status }) => status === 'wouldFail')
        .map(({ cause }) => cause);
      // A quota that is full is true beside the webhook that was asked first.
      expect(failing.filter((cause) => cause !== 'pvc-create-denied-quota' && cause !== wanted(scenario))).toEqual([]);
    },
  );

  it.each(Object.entries(alsoWrong).map(([id, { cause, reason }]) => [id, cause, reason] as const))(
    "foretells of %s, which only somebody's word tells, nothing but %s: %s",
    (id, cause) => {
      const scenario = scenarios.find((candidate) => candidate.id === id) as Scenario;
      expect(scenario.file.eventsOnly).toBe(true);
      const items = judge(scenario);
      expect(names(items, scenario)).toBe(false);
      const failing = items.filter(({ status }) => status === 'wouldFail');
      expect([...new Set(failing.map((item) => item.cause))]).toEqual([cause]);
    },
  );

  it('asks for the driver of an in-tree class on an old server only where a kubelet hands the volumes to CSI', () => {
    const id = 'provision-accessmode-unsupported--old-scheduler';
    const scenario = scenarios.find((candidate) => candidate.id === id) as Scenario;
    const annotations = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' };
    const handedOver = judge(scenario, (cluster) => ({
      ...cluster,
      objects: cluster.objects.map((object) =>
        object.kind === 'CSINode' ? { ...object, metadata: { ...object.metadata, annotations } } : object,
      ),
    }));
    const [claim] = judge(scenario);
    expect(claim?.summary).toBe('kubernetes.io/aws-ebs would provision 1Gi (StorageClass gp2)');
    expect(handedOver.map(({ cause }) => cause)).toContain('driver-not-on-node');
  });

  it.each([
    'sc-missing',
    'class-nil-no-default',
    'pv-capacity-too-small',
    'provisioner-unknown',
    'provisioner-not-running',
    'wffc-allowed-topologies',
    'sched-max-volume-count',
  ])('calls nothing ok for one who may not look: %s', (id) => {
    const scenario = scenarios.find((candidate) => candidate.id === id) as Scenario;
    const { objects } = splitScenario(scenario).cluster;
    for (const kind of new Set(objects.map((object) => object.kind))) {
      if (['Namespace', 'Deployment', 'DaemonSet', 'Secret', 'ConfigMap', 'Event'].includes(kind)) continue;
      const items = judge(scenario, (cluster) => ({
        ...snapshotOf(cluster.objects, { denied: [kind] }),
        takenAt: cluster.takenAt,
        ...(cluster.serverVersion !== undefined && { serverVersion: cluster.serverVersion }),
      }));
      expect({ kind, statuses: items.map(({ status }) => status) }).not.toEqual({
        kind,
        statuses: items.map(() => 'ok'),
      });
    }
  });
});
