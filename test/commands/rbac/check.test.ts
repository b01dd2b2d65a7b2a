import { describe, expect, it } from 'vitest';
import type { AccessAnswer, AccessReport } from '../../../src/core/kube/access-right.ts';
import { renderAccessCheck } from '../../../src/commands/rbac/check.ts';

const ask = (resource: string, verb: string, needed: string, allowed: boolean | 'not told' = true): AccessAnswer => ({
  group: '',
  resource,
  verb,
  needed,
  ...(allowed !== 'not told' && { allowed }),
});
const items = [
  ask('persistentvolumeclaims', 'get', 'which claims exist and whether they are bound'),
  ask('persistentvolumeclaims', 'list', 'which claims exist and whether they are bound'),
  ask('persistentvolumeclaims', 'watch', 'which claims exist and whether they are bound', false),
  ask('nodes', 'get', 'which nodes could take the pod and the volume', false),
  ask('nodes', 'list', 'which nodes could take the pod and the volume', false),
  ask('leases', 'list', 'whether the controllers are alive', 'not told'),
];
const report: AccessReport = {
  apiVersion: 'csi.kubectl.dev/v1',
  kind: 'AccessReport',
  source: { type: 'cluster', name: 'prod' },
  commands: ['why'],
  items,
  summary: { allowed: 2, missing: 3, unknown: 1 },
};

describe('the rights that are missing', () => {
  it.each([80, 160])('look as they did at %i columns', async (width) => {
    await expect(
      renderAccessCheck(report, { width, colour: false, granting: 'kubectl csi rbac why', headers: true }),
    ).toMatchFileSnapshot(`../../screens/rbac-check.${width}.txt`);
  });

  it('are counted, and told with what stays unknown without them', () => {
    const text = renderAccessCheck(report, {
      width: 80,
      colour: false,
      granting: 'kubectl csi rbac why',
      headers: true,
    });
    expect(text).toContain('3 of 6 rights are missing, and prod gave no answer about 1');
    expect(text).toContain('\n    needed for: which nodes could take the pod and the volume\n');
  });
});
