import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { leaveStale, startHttp1, startHttp2, startRaw, startSilent, startTls } from '../../kit/strange-listeners.ts';
import type { Stop } from '../../kit/strange-listeners.ts';
import type { Random } from '../random.ts';
import { frame, frameTypes, greeting, grpcMessage, headers, ping, settings, settingsAck } from './frames.ts';

/** Someone who listens at the path, and is no driver. */
export interface Hostile {
  readonly name: string;
  readonly start: (path: string) => Promise<Stop> | Stop;
}

const raw = (name: string, greet: (socket: Socket) => void): Hostile => ({
  name,
  start: (path) =>
    startRaw(path, (socket) => {
      socket.resume().on('error', () => undefined);
      greet(socket);
    }),
});

const says = (name: string, words: string | Buffer): readonly Hostile[] => [
  raw(`${name}, then hangs`, (socket) => void socket.write(words)),
  raw(`${name}, then closes`, (socket) => void socket.end(words)),
];

/** Writes without end, as fast as it is read. */
const floods = (name: string, first: Buffer, again: Buffer): Hostile =>
  raw(`flood of ${name}`, (socket) => {
    const block = Buffer.concat(Array.from({ length: Math.max(1, Math.floor(16_384 / again.length)) }, () => again));
    const pump = (): void => {
      while (!socket.destroyed && socket.writable && socket.write(block));
    };
    socket.on('drain', () => setImmediate(pump));
    socket.write(first);
    pump();
  });

const drips = (name: string, words: Buffer, everyMs: number): Hostile =>
  raw(`${name}, a byte every ${everyMs} ms`, (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer);
      else socket.write(words.subarray(at % words.length, (at % words.length) + 1));
      at += 1;
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  });

/** The conversation of a healthy server, cut at every byte. */
const cuts: readonly Hostile[] = Array.from({ length: greeting.length }, (_, length) => length).flatMap((length) =>
  says(`the first ${length} bytes of a driver`, greeting.subarray(0, length)),
);

const wrongServices: readonly Hostile[] = Object.entries({
  SSH: 'SSH-2.0-OpenSSH_9.6\r\n',
  SMTP: '220 mail.example.com ESMTP\r\n',
  FTP: '220 ready\r\n',
  Redis: '-ERR unknown command\r\n',
  MySQL: Buffer.from('4a0000000a382e302e3333000b0000001234567890abcdef00', 'hex'),
  PostgreSQL: Buffer.from('E\0\0\0\x0cSFATAL\0\0', 'latin1'),
  'a registration socket': Buffer.from('\0\0\0\0'),
  'HTTP/1.1 without end': 'HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\nx',
  'HTTP/1.1 headers without end': `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(5000)}`,
  'HTTP/0.9': 'hello\n',
  'the client’s own preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'terminal control': '\x1b]0;owned\x07\x1b[2J\x1b[?1049h\n::error::owned\n',
  zeros: Buffer.alloc(100_000),
  'half of a character': Buffer.of(0xe2, 0x82),
}).flatMap(([name, words]) => says(name, words));

const oddFrames: readonly Hostile[] = Object.entries(frameTypes).flatMap(([name, type]) => [
  ...says(`${name} of 16 MB`, Buffer.concat([settings, frame(type, 0, 1, Buffer.alloc(64), 0xff_ff_ff)])),
  raw(
    `${name} on stream 0`,
    (socket) => void socket.write(Buffer.concat([settings, frame(type, 0xff, 0, Buffer.alloc(9))])),
  ),
  raw(`${name} before settings`, (socket) => void socket.write(frame(type, 4, 1, Buffer.alloc(8)))),
  floods(name, Buffer.concat([settings, settingsAck]), frame(type, 0, 1, Buffer.alloc(8))),
]);

const endless: readonly Hostile[] = [
  floods('zeros', Buffer.alloc(1), Buffer.alloc(1024)),
  floods('text', Buffer.alloc(0), Buffer.from('lorem ipsum\n')),
  floods('pings', settings, ping),
  floods('settings', settings, settings),
  floods(
    'continuations',
    Buffer.concat([settings, frame(frameTypes.headers, 0, 1, Buffer.alloc(8, 0x88))]),
    frame(frameTypes.continuation, 0, 1, Buffer.alloc(64, 0x88)),
  ),
  floods('data', Buffer.concat([settings, settingsAck, headers(1)]), frame(frameTypes.data, 0, 1, Buffer.alloc(1024))),
  ...[10, 50, 200].flatMap((everyMs) => [
    drips('a driver', greeting, everyMs),
    drips('zeros', Buffer.alloc(1), everyMs),
    drips('settings', settings, everyMs),
  ]),
];

const leaving: readonly Hostile[] = [
  raw('closes at once', (socket) => void socket.destroy()),
  raw('half-closes at once', (socket) => void socket.end()),
  raw('closes after 300 ms', (socket) => void setTimeout(() => socket.destroy(), 300).unref()),
  ...[0, 1, 50, 500].map((afterMs): Hostile => ({
    name: `vanishes after ${afterMs} ms`,
    start: async (path) => {
      const stop = await startRaw(path, (socket) => {
        socket.resume();
        setTimeout(() => {
          rmSync(path, { force: true });
          socket.destroy();
        }, afterMs).unref();
      });
      return stop;
    },
  })),
  { name: 'silent', start: startSilent },
  { name: 'HTTP/1 server', start: startHttp1 },
  { name: 'TLS server', start: startTls },
];

const noSockets: readonly Hostile[] = [
  { name: 'stale', start: async (path) => (await leaveStale(path), () => undefined) },
  { name: 'a file', start: (path) => (writeFileSync(path, 'x'), () => undefined) },
  { name: 'a directory', start: (path) => (mkdirSync(path), () => undefined) },
  { name: 'a FIFO', start: (path) => (execFileSync('mkfifo', [path]), () => undefined) },
  { name: 'a link to nothing', start: (path) => (symlinkSync('/nonexistent', path), () => undefined) },
  { name: 'a link to itself', start: (path) => (symlinkSync(path, path), () => undefined) },
  { name: 'a link to a device', start: (path) => (symlinkSync('/dev/zero', path), () => undefined) },
];

const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc' };
const answers = (name: string, answer: (stream: ServerHttp2Stream) => void): Hostile => ({
  name: `gRPC: ${name}`,
  start: (path) => startHttp2(path, answer),
});
const responds = (name: string, first: OutgoingHttpHeaders, body?: Buffer): readonly Hostile[] => [
  answers(`${name}, then hangs`, (stream) => {
    stream.respond(first);
    if (body !== undefined) stream.write(body);
  }),
  answers(`${name}, then ends`, (stream) => {
    stream.respond(first);
    stream.end(body);
  }),
];

const grpc: readonly Hostile[] = [
  ...responds('headers only', grpcHeaders),
  ...[100, 204, 301, 404, 500, 599]
    .filter((status) => status >= 200)
    .flatMap((status) => responds(`status ${status}`, { ':status': status })),
  ...['text/html', 'application/json', 'application/grpc+json', ''].flatMap((type) =>
    responds(`content type "${type}"`, { ':status': 200, 'content-type': type }, Buffer.from('<html>')),
  ),
  ...responds('a message of 4 GB', grpcHeaders, grpcMessage(Buffer.alloc(10), 0xff_ff_ff_ff)),
  ...responds('a message of 2 GB', grpcHeaders, grpcMessage(Buffer.alloc(10), 0x7f_ff_ff_ff)),
  ...responds('a message of 30 MB', grpcHeaders, grpcMessage(Buffer.alloc(30_000_000))),
  ...responds('a compressed message', grpcHeaders, grpcMessage(Buffer.from('not gzip'), 8, 1)),
  ...responds('an unknown flag', grpcHeaders, grpcMessage(Buffer.alloc(3), 3, 255)),
  ...responds('bytes that are no message', grpcHeaders, grpcMessage(Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff))),
  ...responds('a name that never ends', grpcHeaders, grpcMessage(Buffer.of(0x0a, 0xff, 0xff, 0xff, 0x7f, 0x41))),
  ...responds('half of a prefix', grpcHeaders, Buffer.alloc(3)),
  ...[...Array.from({ length: 17 }, (_, code) => String(code)), '99', '-1', 'x', ''].map((code) =>
    answers(`status ${JSON.stringify(code)} with control bytes`, (stream) =>
      stream.respond(
        { ...grpcHeaders, 'grpc-status': code, 'grpc-message': '%1b]0;owned%07%0a::error::owned' },
        { endStream: true },
      ),
    ),
  ),
  answers('data without end', (stream) => {
    stream.respond(grpcHeaders);
    const pump = (): void => {
      while (!stream.destroyed && stream.writable && stream.write(Buffer.alloc(16_384)));
    };
    stream.on('drain', () => setImmediate(pump));
    pump();
  }),
  answers('messages without end', (stream) => {
    stream.respond(grpcHeaders);
    const timer = setInterval(() => void (stream.destroyed || stream.write(grpcMessage(Buffer.alloc(100)))), 5);
    stream.on('close', () => clearInterval(timer));
  }),
  ...Array.from({ length: 14 }, (_, code) => answers(`resets with ${code}`, (stream) => stream.close(code))),
];

function garbage(random: Random, count: number): Hostile[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = Buffer.from(Array.from({ length: 1 + random.below(4000) }, () => random.below(256)));
    const words = random.below(2) === 0 ? bytes : Buffer.concat([settings, settingsAck, bytes]);
    const isOpen = random.below(2) === 0;
    return raw(`garbage ${index}`, (socket) => void (isOpen ? socket.write(words) : socket.end(words)));
  });
}

/** Every hostile listener: the fixed ones, and garbage until there are this many. */
export function hostileListeners(random: Random, atLeast: number): Hostile[] {
  const fixed = [...cuts, ...wrongServices, ...oddFrames, ...endless, ...leaving, ...noSockets, ...grpc];
  return [...fixed, ...garbage(random, Math.max(60, atLeast - fixed.length))];
}
