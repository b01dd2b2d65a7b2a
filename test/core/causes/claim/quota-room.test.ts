import { describe, expect, it } from 'vitest';
import { excessOf } from '../../../../src/core/causes/claim/quota-room.ts';
import type { NewClaim } from '../../../../src/core/causes/claim/quota-room.ts';

const claim: NewClaim = { request: '10Gi', className: 'gold', attributesClass: undefined };

function quota(hard: Record<string, string>, used: Record<string, string>, spec: object = {}) {
  return {
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'shop' },
    spec: { hard, ...spec },
    status: { hard, used },
  } as const;
}

describe('the room that a quota has for a new claim', () => {
  it.each([
    ['a full count', { persistentvolumeclaims: '5' }, { persistentvolumeclaims: '5' }, ['persistentvolumeclaims']],
    [
      'the generic count',
      { 'count/persistentvolumeclaims': '5' },
      { 'count/persistentvolumeclaims': '5' },
      ['count/persistentvolumeclaims'],
    ],
    ['a size that just fits', { 'requests.storage': '20Gi' }, { 'requests.storage': '10Gi' }, []],
    [
      'a size in other units that does not fit',
      { 'requests.storage': '20G' },
      { 'requests.storage': '10Gi' },
      ['requests.storage'],
    ],
    [
      'the size of its class',
      { 'gold.storageclass.storage.k8s.io/requests.storage': '15Gi' },
      { 'gold.storageclass.storage.k8s.io/requests.storage': '10Gi' },
      ['gold.storageclass.storage.k8s.io/requests.storage'],
    ],
    ['another class', { 'silver.storageclass.storage.k8s.io/persistentvolumeclaims': '0' }, {}, []],
    [
      'a class whose name only begins alike',
      { 'gold-fast.storageclass.storage.k8s.io/persistentvolumeclaims': '0' },
      {},
      [],
    ],
    ['what is not about claims', { pods: '0', 'requests.cpu': '0' }, {}, []],
    [
      'a request larger than the whole quota, of which nothing is used yet',
      { 'requests.storage': '5Gi' },
      {},
      ['requests.storage'],
    ],
  ])('%s', (_name, hard, used, full) => {
    expect(excessOf(quota(hard, used), claim).map(({ key }) => key)).toEqual(full);
  });

  it.each([
    [{ scopes: ['BestEffort'] }, undefined, false],
    [{ scopes: ['VolumeAttributesClass'] }, undefined, false],
    [{ scopes: ['VolumeAttributesClass'] }, 'iops', true],
    [
      {
        scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['iops'] }] },
      },
      'iops',
      true,
    ],
    [
      {
        scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['iops'] }] },
      },
      'slow',
      false,
    ],
    [
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'NotIn', values: ['iops'] }],
        },
      },
      undefined,
      true,
    ],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      'iops',
      false,
    ],
  ])('a quota with scope %o counts a claim of attributes class %s: %s', (spec, attributesClass, isCounted) => {
    expect(excessOf(quota({ persistentvolumeclaims: '0' }, {}, spec), { ...claim, attributesClass }).length > 0).toBe(
      isCounted,
    );
  });
});
