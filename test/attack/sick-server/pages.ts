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
  endless('the same token', (request) => again(request, 'the-same')),
  endless('a new token each time', (request) => again(request, `token-${(tokens += 1)}`)),
  endless('a new token each time, and no items', (request) => again(request, `token-${(tokens += 1)}`, emptied)),
  {
    ...endless('claims, a new token each time', (request) => again(request, `token-${(tokens += 1)}`)),
    hits: (request) => isClaims(request) && !request.isWatch,
  },
];
