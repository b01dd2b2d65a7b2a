import { describe, expect, it } from 'vitest';
import { graphOf } from '../../../src/core/graph/cluster-graph.ts';
import { Inquiry, someScope } from '../../../src/core/graph/inquiry.ts';
import type { Scope, Snapshot } from '../../../src/core/kube/snapshot.ts';

function askAfter(...scopes: readonly Scope[]): Inquiry {
  const snapshot: Snapshot = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-01-01T00:00:00Z',
    source: { type: 'cluster', name: 'test' },
    objects: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'a' }, spec: { drivers: [] } }],
    observations: scopes.map((scope) => ({ kind: 'CSINode', scope, state: 'complete' })),
  };
  return new Inquiry(graphOf(snapshot));
}

describe('what was read of a kind', () => {
  it('says of some of them nothing about the others', () => {
    const ask = askAfter(someScope);
    expect(ask.some('CSINode').complete).toBe(true);
    expect(ask.list('CSINode').complete).toBe(false);
    expect([ask.get('CSINode', undefined, 'a').state, ask.get('CSINode', undefined, 'b').state]).toEqual([
      'found',
      'unknown',
    ]);
  });

  it('answers for any of them when it was all', () => {
    const ask = askAfter({});
    expect([ask.some('CSINode').complete, ask.list('CSINode').complete]).toEqual([true, true]);
    expect(ask.get('CSINode', undefined, 'b').state).toBe('missing');
  });

  it('answers by name for that name only', () => {
    const ask = askAfter({ name: 'b' });
    expect([ask.get('CSINode', undefined, 'b').state, ask.get('CSINode', undefined, 'c').state]).toEqual([
      'missing',
      'unknown',
    ]);
    expect(ask.some('CSINode').complete).toBe(false);
  });
});
