import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../kit/scenario.ts';

describe('a volume that was deleted a moment ago', () => {
  const { snapshot, target } = loadScenario('pv-terminating-attached--left-over');
  const secondsAgo = (seconds: number): string =>
    new Date(Date.parse(snapshot.takenAt) - seconds * 1000).toISOString().replace('.000', '');
  const justDeleted = {
    ...snapshot,
    objects: snapshot.objects.map((object) =>
      object.kind === 'PersistentVolume' && object.metadata.name === 'pvc-old'
        ? { ...object, metadata: { ...object.metadata, deletionTimestamp: secondsAgo(10) } }
        : object,
    ),
  };

  it('is blocked at once by an attachment to a node that does not exist', () => {
    const [item] = diagnose(justDeleted, { targets: [target] }).report.items;
    expect(item).toMatchObject({ status: 'blocked', cause: 'pv-terminating-attached' });
  });
});
