import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { baseObjects, snapshotOf } from '../../../kit/scenario.ts';

const target = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'healthy' } as const;
const objects = baseObjects().filter(
  ({ kind, metadata }) => !['PersistentVolume', 'Pod'].includes(kind) || metadata.namespace === 'storage',
);

describe('a bound claim whose volume is gone', () => {
  it('is blocked even when no pod uses it', () => {
    const [item] = diagnose(snapshotOf(objects), { targets: [target] }).report.items;
    expect({ status: item?.status, cause: item?.cause, stage: item?.stage }).toEqual({
      status: 'blocked',
      cause: 'pod-bound-pv-missing',
      stage: 'bind',
    });
  });

  it('is taken for bound by one who may not read volumes', () => {
    const [item] = diagnose(snapshotOf(objects, { denied: ['PersistentVolume'] }), { targets: [target] }).report.items;
    expect(item?.cause).toBeUndefined();
  });
});
