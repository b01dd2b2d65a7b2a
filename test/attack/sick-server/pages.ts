import { failure, html, isClaims, isLaterPage, isRead, page, send } from './fault.ts';
import type { Fault, Fields, SickRequest } from './fault.ts';

/** Hits every page of a list but the first. */
const later = (name: string, answer: Fault['answer'], more: Partial<Fault> = {}): Fault => ({
  name: `page 2: ${name}`,
  hits: isLaterPage,
  answer,
  ...more,
});

let tokens = 0;

/** The sound first page, with a token that leads to it again. */
async function again(
  request: SickRequest,
  token: string,
  change: (body: Fields) => Fields = (body) => body,
): Promise<void> {
  const { status, body } = await request.sound();
  const parsed = JSON.parse(body.toString()) as Fields;
  const isList = status === 200 && ('items' in parsed || 'rows' in parsed);
  const metadata = { resourceVersion: '1', continue: token };
  send(request, status, isList ? JSON.stringify({ ...change(parsed), metadata }) : body);
}

const endless = (name: string, answer: Fault['answer']): Fault => ({
  name: `a list that never ends: ${name}`,
  hits: isRead,
  answer,
});
const emptied = (body: Fields): Fields => ({ ...body, ['rows' in body ? 'rows' : 'items']: [] });

/** The sound page, changed so that the list seems to end with it. */
const ended = (name: string, change: (body: Fields) => Fields): Fault => ({
  name: `a list that ends too early: ${name}`,
  hits: isRead,
  answer: async (request) => {
    const { status, body } = await request.sound();
    const parsed = JSON.parse(body.toString()) as Fields;
    const isCut = status === 200 && ((parsed['metadata'] ?? {}) as Fields)['continue'] !== undefined;
    send(request, status, isCut ? JSON.stringify(change(parsed)) : body);
  },
});
const withEnd = (body: Fields, end: Fields): Fields => ({
  ...body,
  metadata: { ...(body['metadata'] as Fields), ...end },
});

/** The sound later page of a table, changed. Lists without a table stay as they are. */
const laterTable = (name: string, change: (body: Fields) => Fields, more: Partial<Fault> = {}): Fault =>
  later(
    name,
    async (request) => {
      const { status, body } = await request.sound();
      const parsed = JSON.parse(body.toString()) as Fields;
      send(request, status, parsed['kind'] === 'Table' ? JSON.stringify(change(parsed)) : body);
    },
    more,
  );
const rowsOf = (body: Fields): Fields[] => body['rows'] as Fields[];
const turned = (values: unknown): unknown[] => [...(values as unknown[])].reverse();

/** What goes wrong between the pages of a list. All of them are run with pages of one item. */
export const pageFaults: readonly Fault[] = [
  later('404 as a web page', (request) => send(request, 404, page('Not found'), html)),
  later('404 as a Status', (request) => send(request, 404, failure(404, 'NotFound', 'no such page'))),
  later('403', (request) => send(request, 403, failure(403, 'Forbidden', 'no more'))),
  later('500', (request) => send(request, 500, failure(500, 'InternalError', 'no more'))),
  later('the connection is cut', ({ socket }) => void socket.destroy()),
  later('{}', (request) => send(request, 200, '{}')),
  later('another list', (request) => send(request, 200, '{"kind":"ServiceList","apiVersion":"v1","items":[]}')),
  later('a web page', (request) => send(request, 200, page('Sign in'), html)),
  later('no answer', () => undefined, { isEndless: true }),
  later('410 without a new token, always', (request) => send(request, 410, failure(410, 'Expired', 'too old'))),
  later('410 with a new token, always', (request) => {
    const status = JSON.parse(failure(410, 'Expired', 'too old')) as Fields;
    send(request, 410, JSON.stringify({ ...status, metadata: { continue: `token-${(tokens += 1)}` } }));
  }),
  laterTable('a table without columns', (body) => ({ ...body, columnDefinitions: [] }), { isHarmless: true }),
  laterTable(
    'a table with its columns in another order',
    (body) => ({
      ...body,
      columnDefinitions: turned(body['columnDefinitions']),
      rows: rowsOf(body).map((row) => ({ ...row, cells: turned(row['cells']) })),
    }),
    { isHarmless: true },
  ),
  laterTable('a table without cells', (body) => ({
    ...body,
    rows: rowsOf(body).map((row) => ({ ...row, cells: [] })),
  })),
  ended('a continue token that is a number', (body) => withEnd(body, { continue: 7 })),
  ended('a continue token that is an object', (body) => withEnd(body, { continue: { token: 'a' } })),
  ended('items remain and there is no continue token', (body) => withEnd(body, { continue: undefined })),
  ended('no metadata', (body) => ({ ...body, metadata: undefined })),
  endless('the same token', (request) => again(request, 'the-same')),
  endless('a new token each time', (request) => again(request, `token-${(tokens += 1)}`)),
  endless('a new token each time, and no items', (request) => again(request, `token-${(tokens += 1)}`, emptied)),
  {
    ...endless('claims, a new token each time', (request) => again(request, `token-${(tokens += 1)}`)),
    hits: (request) => isClaims(request) && !request.isWatch,
  },
];
