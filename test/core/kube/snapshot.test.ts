import { describe, expect, it } from 'vitest';
import { eventScope, widerScopes } from '../../../src/core/kube/snapshot.ts';

describe('wider scopes', () => {
  it('of a name are its namespace and everything', () => {
    expect(widerScopes({ namespace: 'shop', name: 'data' })).toEqual([{ namespace: 'shop' }, {}]);
    expect(widerScopes({ name: 'pv-1' })).toEqual([{}]);
    expect(widerScopes({})).toEqual([]);
  });

  it('of a selection are the same with fewer terms, in the namespace and everywhere', () => {
    const kind = 'involvedObject.kind=Pod';
    const scope = eventScope({ kind: 'Pod', metadata: { namespace: 'shop', uid: '1' } });
    expect(widerScopes(scope)).toEqual([
      { namespace: 'shop' },
      { namespace: 'shop', fieldSelector: kind },
      { fieldSelector: kind },
      { fieldSelector: scope.fieldSelector },
      {},
    ]);
  });

  it('of some objects are all of them', () => {
    expect(widerScopes({ first: 50 })).toEqual([{}]);
  });
});
