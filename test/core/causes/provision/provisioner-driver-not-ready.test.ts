import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import type { Finding } from '../../../../src/core/report/report.ts';
import { loadScenario } from '../../../kit/scenario.ts';

const { snapshot, target } = loadScenario('provisioner-driver-not-ready--no-lease');
const right =
  'kubectl auth can-i create leases.coordination.k8s.io -n storage --as=system:serviceaccount:storage:csi-controller';

function judge(isKept: (name: string) => boolean): Finding | undefined {
  const objects = snapshot.objects.filter(({ kind, metadata }) => kind !== 'Lease' || isKept(metadata.name));
  return diagnose({ ...snapshot, objects }, { targets: [target] }).report.items[0]?.findings.find(
    ({ cause }) => cause === 'provisioner-driver-not-ready',
  );
}

describe('a provisioner that never took its lease', () => {
  it('is started again where another sidecar of the pod leads, which has the same account and driver', () => {
    const finding = judge(() => true);
    expect(finding?.summary).toContain('The driver answers: the attacher in the same pod leads');
    expect(finding?.evidence.map(({ object }) => object.name)).toContain('external-attacher-leader-csi-example-com');
    expect(finding?.fix[0]?.command).toBe('kubectl -n storage rollout restart deployment csi-controller');
    expect(finding?.fix[1]?.command).toBe(right);
  });

  it('may wait for its driver, or lack the right, where no sidecar of the pod leads', () => {
    const finding = judge((name) => !name.startsWith('external-'));
    expect(finding?.summary).toContain('Its driver is not ready, or it may not write leases.');
    expect(finding?.fix[0]?.command).toBe(right);
    expect(finding?.fix[0]?.commands).toContain(
      'kubectl -n storage create rolebinding csi-controller-leases --role=csi-controller-leases --serviceaccount=storage:csi-controller',
    );
  });
});

it.each(['provisioner-driver-not-ready--cannot-start', 'driver-daemonset-pod-unhealthy--missing-secret'])(
  'asks for no log of a container that never ran: %s',
  (id) => {
    const scenario = loadScenario(id);
    const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
    const commands =
      item?.findings.find(({ cause }) => cause === item.cause)?.fix.map(({ command }) => command ?? '') ?? [];
    expect(commands[0]).toMatch(/describe pod|create secret/);
    expect(commands.filter((command) => command.includes(' logs '))).toEqual([]);
  },
);
