import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { everywhereAndClaims, html, isRead, page, send } from './fault.ts';
import type { Fault, SickRequest } from './fault.ts';

/** Bytes on the socket instead of an HTTP answer; the connection stays open unless `ends`. */
const raw = (name: string, bytes: string | Buffer, ends: boolean, more: Partial<Fault> = {}): Fault => ({
  name,
  answer: ({ socket }) => void (ends ? socket.end(bytes) : socket.write(bytes)),
  ...more,
});

/** Sends one piece after the other until the client leaves. */
async function drip({ socket }: SickRequest, head: string, piece: string, everyMs: number): Promise<void> {
  socket.write(head);
  while (!socket.destroyed) {
    await sleep(everyMs, undefined, { ref: false });
    if (!socket.destroyed) socket.write(piece);
  }
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
let bomb: Buffer | undefined;
/** A third of a gigabyte of blanks. */
const packedBomb = (): Buffer => (bomb ??= gzipSync(Buffer.alloc(320 * 1024 * 1024, ' '), { level: 1 }));

/** What goes wrong below HTTP, and with the length and coding of bodies. */
export const connectionFaults: readonly Fault[] = [
  ...everywhereAndClaims({ name: 'no answer', answer: () => undefined, isEndless: true }),
  ...everywhereAndClaims({ name: 'the connection is cut', answer: ({ socket }) => void socket.destroy() }),
  {
    name: 'frozen after three answers',
    hits: ({ count }) => count > 3,
    answer: () => undefined,
    isEndless: true,
  },
  raw('headers that do not end', `${head}x-more: `, false, { isEndless: true }),
  raw('a body that does not begin', `${head}content-length: 100\r\n\r\n`, false, { isEndless: true }),
  raw('a body that stops', `${head}content-length: 100000\r\n\r\n{"kind":"PersistentVolumeClaimList",`, false, {
    isEndless: true,
  }),
  {
    name: 'a byte now and then',
    isEndless: true,
    answer: (request) => drip(request, `${head}content-length: 1000000\r\n\r\n`, ' ', 50),
  },
  { name: 'a header now and then', isEndless: true, answer: (request) => drip(request, head, 'x-a: b\r\n', 50) },
  {
    name: 'informational answers without end',
    isEndless: true,
    answer: (request) => drip(request, '', 'HTTP/1.1 102 Processing\r\n\r\n', 20),
  },
  raw(
    'an upgrade that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    false,
  ),
  raw(
    'a body that is shorter than it says',
    `${head}content-length: 5000\r\n\r\n{"kind":"PersistentVolumeClaimList"}`,
    true,
  ),
  raw(
    'a body that is longer than it says',
    `${head}content-length: 2\r\n\r\n{}{"kind":"PersistentVolumeClaimList"}`,
    true,
  ),
  raw('chunks that are broken', `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`, true),
  raw('chunks that stop', `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"kin`, true),
  raw('a greeting in HTTP/2', Buffer.from('000012040000000000000300000064', 'hex'), true),
  raw('noise', Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 197 + 31) % 256)), true),
  raw('a mail server', '220 mail.example.com ESMTP\r\n', true),
  raw('headers of a megabyte', `${head}x-large: ${'a'.repeat(1024 * 1024)}\r\n\r\n`, true),
  raw('a status line without a number', 'HTTP/1.1 OK\r\n\r\n', true),
  raw('two lengths', `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, true),
  {
    name: 'an answer that expands to a third of a gigabyte',
    hits: isRead,
    answer: (request) => send(request, 200, packedBomb(), { 'content-encoding': 'gzip' }),
  },
  {
    name: 'compressed, and cut off',
    hits: isRead,
    answer: async (request) => {
      const packed = gzipSync((await request.sound()).body);
      send(request, 200, packed.subarray(0, packed.length / 2), { 'content-encoding': 'gzip' });
    },
  },
  {
    name: 'compressed by name only',
    hits: isRead,
    answer: async (request) => send(request, 200, (await request.sound()).body, { 'content-encoding': 'gzip' }),
  },
  {
    name: 'compressed in a way that was not offered',
    hits: isRead,
    answer: (request) => send(request, 200, Buffer.from([0x0b, 0x02, 0x80, 0x7b]), { 'content-encoding': 'br' }),
  },
  {
    name: 'every second connection is cut',
    answer: async (request) => {
      if (request.count % 2 === 1) return void request.socket.destroy();
      const { status, body } = await request.sound();
      send(request, status, body);
    },
  },
  ...watchFaults(),
];

/** The first lists are sound; what follows them is not. */
function watchFaults(): Fault[] {
  const watch = (name: string, answer: Fault['answer']): Fault => ({
    name: `watch: ${name}`,
    hits: ({ isWatch }) => isWatch,
    answer,
    isHarmless: true,
  });
  return [
    watch('a web page', (request) => send(request, 200, page('Sign in'), html)),
    watch('404 as a web page', (request) => send(request, 404, page('Not found'), html)),
    watch('ends at once', (request) => send(request, 200, '')),
    watch('noise', (request) => send(request, 200, 'no JSON\n{"type":1}\n')),
    watch('objects without names', (request) => send(request, 200, '{"type":"DELETED","object":{"kind":"Pod"}}\n')),
    watch('a line that does not end', ({ response }) => void response.writeHead(200).write(' '.repeat(1_000_000))),
  ];
}
