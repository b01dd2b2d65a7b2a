import { describe, expect, it } from 'vitest';
import { ask, claim, namesIn, serve } from './cluster.ts';

const claims = '/api/v1/persistentvolumeclaims';
const five = ['a', 'b', 'c', 'd', 'e'].map((name, index) =>
  claim('shop', name, { labels: { odd: String(index % 2 === 0) }, version: 10 + index }),
);

describe('paging', () => {
  it('gives out pages until there is no more', async () => {
    const server = await serve(five);
    const first = (await ask(server, `${claims}?limit=2`)).body;
    expect(namesIn(first)).toEqual(['a', 'b']);
    expect(first.metadata).toMatchObject({ resourceVersion: '14', remainingItemCount: 3 });
    const second = (await ask(server, `${claims}?limit=2&continue=${first.metadata.continue}`)).body;
    expect(namesIn(second)).toEqual(['c', 'd']);
    const last = (await ask(server, `${claims}?limit=2&continue=${second.metadata.continue}`)).body;
    expect(namesIn(last)).toEqual(['e']);
    expect(last.metadata).toEqual({ resourceVersion: '14' });
  });

  it('fills a page with what is selected, and then does not count the rest', async () => {
    const server = await serve(five);
    const first = (await ask(server, `${claims}?limit=2&labelSelector=odd%3Dtrue`)).body;
    expect(namesIn(first)).toEqual(['a', 'c']);
    expect(first.metadata.remainingItemCount).toBeUndefined();
    expect(
      namesIn(
        (await ask(server, `${claims}?limit=2&labelSelector=odd%3Dtrue&continue=${first.metadata.continue}`)).body,
      ),
    ).toEqual(['e']);
  });

  it('goes on with the list as it was when it began', async () => {
    const server = await serve(five);
    const first = (await ask(server, `${claims}?limit=2`)).body;
    server.apply(claim('shop', 'bb'));
    server.remove('PersistentVolumeClaim', 'shop', 'd');
    const rest = (await ask(server, `${claims}?continue=${first.metadata.continue}`)).body;
    expect(namesIn(rest)).toEqual(['c', 'd', 'e']);
    expect(rest.metadata.resourceVersion).toBe('14');
    expect(namesIn((await ask(server, claims)).body)).toEqual(['a', 'b', 'bb', 'c', 'e']);
  });

  it('lets a token expire in the middle, once, and tells how to go on', async () => {
    const server = await serve(five, { faults: { expireContinue: { afterPages: 1 } } });
    const first = (await ask(server, `${claims}?limit=2`)).body;
    const expired = (await ask(server, `${claims}?limit=2&continue=${first.metadata.continue}`)).body;
    expect(expired).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    expect(expired.message).toContain('The provided continue parameter is too old');
    expect(namesIn((await ask(server, `${claims}?limit=2&continue=${expired.metadata.continue}`)).body)).toEqual([
      'c',
      'd',
    ]);
    expect(namesIn((await ask(server, `${claims}?limit=9`)).body)).toHaveLength(5);
  });

  it.each(['limit=many', 'continue=%25%25', 'continue=e30', 'resourceVersion=new', 'resourceVersionMatch=Exact'])(
    'refuses %s',
    async (query) => {
      const server = await serve(five);
      expect((await ask(server, `${claims}?${query}`)).body).toMatchObject({ kind: 'Status', code: 400 });
    },
  );

  it('cannot list the future or an exact past', async () => {
    const server = await serve(five);
    expect((await ask(server, `${claims}?resourceVersion=99`)).body).toMatchObject({ code: 504, reason: 'Timeout' });
    expect((await ask(server, `${claims}?resourceVersion=3&resourceVersionMatch=Exact`)).body).toMatchObject({
      code: 410,
      reason: 'Expired',
    });
    expect((await ask(server, `${claims}?resourceVersion=0`)).status).toBe(200);
  });
});
