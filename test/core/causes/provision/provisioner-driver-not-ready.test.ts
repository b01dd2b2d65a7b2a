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
  it('is asked for its right first where the driver answered another sidecar of the pod', () => {
    const finding = judge(() => true);
    expect(finding?.summary).toContain('its driver did answer the attacher beside it, which leads');
    expect(finding?.evidence.map(({ object }) => object.name)).toContain('external-attacher-leader-csi-example-com');
    expect(finding?.fix[0]?.command).toBe(right);
  });

  it('may wait for its driver, or lack the right, where no sidecar of the pod leads', () => {
    const finding = judge((name) => !name.startsWith('external-'));
    expect(finding?.summary).toContain('its driver is not ready, or it may not write leases');
    expect(finding?.fix.map(({ command }) => command)).toContain(right);
    expect(finding?.fix[0]?.command).toContain(' logs ');
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
