import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import { loadScenario, snapshotOf } from '../../kit/scenario.ts';

describe('a search of everything by one who may not read drivers, classes or their nodes', () => {
  const { snapshot } = loadScenario('csinode-topology-label-missing--driver');

  it.each(['CSIDriver', 'StorageClass', 'CSINode'])('does not say that nothing is stuck without %s', (kind) => {
    const { report } = diagnose(snapshotOf(snapshot.objects, { denied: [kind] }), { breadth: 'everything' });
    expect(report.unread?.map(({ resource }) => resource)).toContain(
      `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`,
    );
  });

  it('is complete in one namespace, where they are not judged', () => {
    const denied = snapshotOf(snapshot.objects, { denied: ['CSIDriver'] });
    expect(diagnose(denied, { breadth: 'everything', namespace: 'shop' }).report.unread).toBeUndefined();
  });
});
