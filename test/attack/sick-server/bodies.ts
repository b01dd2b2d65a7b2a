import { everywhereAndClaims, failure, html, isClaims, isRead, page, send, text } from './fault.ts';
import type { Fault, Fields, SickRequest } from './fault.ts';

/** A 200 with this body instead of the sound one. */
const replaced = (name: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Fault[] =>
  everywhereAndClaims({ name: `200 with ${name}`, answer: (request) => send(request, 200, body, headers) });

/** A 200 with a sound body that was changed; an answer without a list, such as a Status, stays as it is. */
function changed(name: string, change: (body: Fields, request: SickRequest) => unknown): Fault {
  return {
    name: `200 with ${name}`,
    hits: isRead,
    answer: async (request) => {
      const { status, body } = await request.sound();
      const parsed = JSON.parse(body.toString()) as Fields;
      const isChanged = status === 200 && parsed['kind'] !== 'SelfSubjectAccessReview';
      send(request, status, isChanged ? JSON.stringify(change(parsed, request)) : body);
    },
  };
}

const itemsOf = (body: Fields): Fields[] => (body['items'] ?? body['rows'] ?? []) as Fields[];
const fieldOf = (body: Fields): string => ('rows' in body ? 'rows' : 'items');
const without = (body: Fields, field: string): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
const metadataOf = (item: Fields): Fields => (item['metadata'] ?? {}) as Fields;

/** Every item, row and single object changed. */
function eachChanged(body: Fields, change: (item: Fields) => unknown): Fields {
  if (!('items' in body) && !('rows' in body)) return change(body) as Fields;
  return { ...body, [fieldOf(body)]: itemsOf(body).map(change) };
}

function renamed(item: Fields, fields: Fields): Fields {
  const object = item['object'] as Fields | null | undefined;
  if ('cells' in item)
    return { cells: [], object: object && { ...object, metadata: { ...metadataOf(object), ...fields } } };
  return { ...item, metadata: { ...metadataOf(item), ...fields } };
}

const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

/** Answers with status 200 that are not what was requested. */
export const bodyFaults: readonly Fault[] = [
  ...replaced('{}', '{}'),
  ...replaced('an empty array', '[]'),
  ...replaced('null', 'null'),
  ...replaced('a number', '42'),
  ...replaced('a Status that succeeded', '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}'),
  ...replaced('a Status that failed', '{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}'),
  ...replaced('the list of another kind', '{"kind":"ServiceList","apiVersion":"v1","metadata":{},"items":[]}'),
  ...replaced('a kubectl List', '{"kind":"List","apiVersion":"v1","metadata":{},"items":[]}'),
  ...replaced(
    'a Table without rows',
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"}]}',
  ),
  ...replaced('a Table without columns', '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}'),
  ...replaced('a web page', page('Sign in'), html),
  ...replaced('a web page that calls itself JSON', page('Sign in')),
  ...replaced('nothing', ''),
  ...replaced('plain text', 'OK\n', text),
  ...replaced('deep nesting', deep),
  ...replaced('arrays nested deeply', '['.repeat(100_000)),
  ...replaced('control bytes', Buffer.from('\u001B]0;owned\u0007\u001B[2J{"kind":"\u0000'), text),
  changed('items that is an object', (body) => ({ ...body, [fieldOf(body)]: { 0: 'a' } })),
  changed('items that is null', (body) => ({ ...body, [fieldOf(body)]: null })),
  changed('items that is missing', (body) => without(body, fieldOf(body))),
  changed('items that are words', (body) => ({ ...body, [fieldOf(body)]: ['data', 'logs'] })),
  changed('items without names', (body) => eachChanged(body, (item) => renamed(item, { name: undefined }))),
  changed('items without metadata', (body) =>
    eachChanged(body, (item) => ({ ...without(item, 'metadata'), object: {} })),
  ),
  changed('items of another kind', (body) => eachChanged(body, (item) => ({ ...item, cells: null, kind: 'Service' }))),
  changed('items of another namespace', (body) =>
    eachChanged(body, (item) => ({ ...renamed(item, { namespace: 'elsewhere' }), cells: undefined })),
  ),
  changed('no kind', (body) => without(body, 'kind')),
  changed('no apiVersion', (body) => without(body, 'apiVersion')),
  changed('the apiVersion of another group', (body) => ({ ...body, apiVersion: 'example.com/v1' })),
  changed('the kind of another object', (body) => ({ ...body, kind: 'Service' })),
  changed('the items in a field of another name', (body) => ({ ...without(body, fieldOf(body)), data: itemsOf(body) })),
  changed('a name that repeats the token', (body, { authorization }) => ({
    ...body,
    kind: authorization.split(' ').at(-1),
  })),
  {
    // A claim that a list shows is not gone because the server does not find it by name.
    name: 'status 404 for claims by name that lists show',
    deniesNames: true,
    hits: (request) => isClaims(request) && /persistentvolumeclaims\/[^/]+$/.test(request.path),
    answer: (request) => {
      const name = request.path.split('/').at(-1) ?? '';
      const status = JSON.parse(failure(404, 'NotFound', `persistentvolumeclaims "${name}" not found`)) as Fields;
      const details = { name, kind: 'persistentvolumeclaims' };
      send(request, 404, JSON.stringify({ ...status, details }));
    },
  },
  {
    name: 'the Date of yesterday',
    isHarmless: true,
    answer: async (request) => {
      const { status, body } = await request.sound();
      send(request, status, body, { date: new Date(Date.now() - 86_400_000).toUTCString() });
    },
  },
  {
    name: '200 with JSON that is cut off',
    hits: isRead,
    answer: async (request) => {
      const { status, body } = await request.sound();
      send(request, status, body.subarray(0, Math.floor(body.length / 2)));
    },
  },
  {
    name: '200 with two documents',
    hits: isRead,
    answer: async (request) => {
      const { status, body } = await request.sound();
      send(request, status, Buffer.concat([body, body]));
    },
  },
  {
    name: '200 in UTF-16',
    hits: isRead,
    answer: async (request) => {
      const { status, body } = await request.sound();
      send(request, status, Buffer.from(body.toString(), 'utf16le'));
    },
  },
  {
    name: '200 with the sound body under another content type',
    isHarmless: true,
    answer: async (request) => {
      const { status, body } = await request.sound();
      send(request, status, body, html);
    },
  },
];
