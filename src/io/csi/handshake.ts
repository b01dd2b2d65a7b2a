import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { secondsText, within } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import type { Doubt, Problem } from './problem.ts';
import type { SocketAddress } from './tls-try.ts';

/** RFC 9113, 3.4: the client's preface with an empty SETTINGS frame; and a GOAWAY without error, to close properly. */
const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const goAway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const frameHeaderBytes = 9;
/** Enough to recognise a protocol. */
const enoughBytes = 64;
/** Time allowed for a server that has sent its first bytes to complete a frame header or a banner. */
const restOfGreetingMs = 250;

/**
 * Connects and opens HTTP/2 by hand. The gRPC library reports everything that can go wrong here with one code, and
 * keeps the descriptor of a connection that never answers; so it only gets endpoints that passed this.
 */
export async function shakeHands(endpoint: Endpoint, deadline: Deadline): Promise<Problem | Doubt | undefined> {
  const connected = await openSocket(endpoint, deadline);
  if ('failure' in connected || 'doubt' in connected) return connected;
  const { socket } = connected;
  try {
    const greeting = await readGreeting(socket, deadline);
    if (greeting.bytes.length === 0 && greeting.end === 'late')
      return { failure: 'handshake-hang', detail: secondsText(deadline.budgetMs) };
    const problem = judgeGreeting(greeting.bytes);
    if (problem === undefined && socket.writable) socket.write(goAway);
    if (problem !== 'silent') return problem;
  } finally {
    socket.destroySoon();
  }
  const { speaksTls } = await import('./tls-try.ts');
  return (await speaksTls(addressOf(endpoint), deadline)) ? { failure: 'tls-expected' } : { failure: 'closed-at-once' };
}

async function openSocket(
  endpoint: Endpoint,
  deadline: Deadline,
): Promise<{ readonly socket: Socket } | Problem | Doubt> {
  const socket = connectSocket(addressOf(endpoint));
  // A reset may come at any time; the close event tells the reader.
  socket.on('error', () => undefined);
  const outcome = await within(
    new Promise<'connected' | NodeJS.ErrnoException>((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('error', resolve);
    }),
    deadline.remainingMs(),
    'late' as const,
  );
  if (outcome === 'connected') return { socket };
  socket.destroy();
  if (outcome === 'late')
    return endpoint.type === 'tcp'
      ? { failure: 'tcp-refused', detail: `no connection within ${secondsText(deadline.budgetMs)}` }
      : { failure: 'backlog-full', detail: `no connection within ${secondsText(deadline.budgetMs)}` };
  return endpoint.type === 'unix' ? judgeUnix(outcome) : judgeTcp(outcome, endpoint.host);
}

const addressOf = (endpoint: Endpoint): SocketAddress =>
  endpoint.type === 'unix' ? { path: endpoint.path } : { host: endpoint.host, port: endpoint.port };

const unixFailures: Readonly<Record<string, Problem>> = {
  ECONNREFUSED: { failure: 'socket-stale' },
  EACCES: { failure: 'permission-denied', detail: 'write permission on the socket is needed' },
  EPERM: { failure: 'permission-denied', detail: 'the operating system forbids the connection' },
  EPROTOTYPE: { failure: 'wrong-socket-type' },
  EAGAIN: { failure: 'backlog-full', detail: 'its queue of waiting connections is full' },
  ENOENT: { failure: 'socket-missing', detail: 'it was removed a moment ago' },
  ENOTDIR: { failure: 'parent-not-directory', detail: 'a part of the path is not a directory' },
  EINVAL: { failure: 'path-too-long', detail: 'the operating system does not accept the path' },
};

function judgeUnix(error: NodeJS.ErrnoException): Problem | Doubt {
  return unixFailures[error.code ?? ''] ?? { doubt: `the socket cannot be connected to from here: ${error.message}` };
}

function judgeTcp(error: NodeJS.ErrnoException, host: string): Problem | Doubt {
  // Several addresses were tried, each with an error of its own.
  const { code } = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { failure: 'host-not-found', detail: host };
  if (code === 'ECONNREFUSED') return { failure: 'tcp-refused', detail: 'the connection was refused' };
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'ETIMEDOUT' || code === 'ECONNRESET')
    return { failure: 'tcp-refused', detail: `the connection failed with ${code}` };
  return { doubt: `the address cannot be connected to from here: ${error.message}` };
}

interface Greeting {
  readonly bytes: Buffer;
  readonly end: 'enough' | 'closed' | 'late';
}

function readGreeting(socket: Socket, deadline: Deadline): Promise<Greeting> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    let timer = setTimeout(() => finish('late'), deadline.remainingMs());
    const finish = (end: Greeting['end']): void => {
      clearTimeout(timer);
      socket.off('data', take).off('end', closed).off('close', closed);
      // Further bytes are discarded, so that the close is noticed.
      socket.resume();
      resolve({ bytes: bytes.subarray(0, enoughBytes), end });
    };
    const closed = (): void => finish('closed');
    const take = (chunk: Buffer): void => {
      if (bytes.length === 0) {
        clearTimeout(timer);
        timer = setTimeout(() => finish('late'), Math.min(restOfGreetingMs, deadline.remainingMs()));
      }
      bytes = Buffer.concat([bytes, chunk.subarray(0, enoughBytes)]);
      if (isFrameHeader(bytes) || bytes.length >= enoughBytes) finish('enough');
    };
    socket.on('data', take).once('end', closed).once('close', closed);
    socket.write(preface);
  });
}

/** Every HTTP/2 server begins with a SETTINGS frame, or with GOAWAY if it refuses the connection at once. */
function isFrameHeader(bytes: Buffer): boolean {
  if (bytes.length < frameHeaderBytes) return false;
  const length = bytes.readUIntBE(0, 3);
  const isOnConnection = bytes.readUInt32BE(5) === 0;
  return (
    isOnConnection &&
    ((bytes[3] === 4 && length % 6 === 0 && length <= 16_384) || (bytes[3] === 7 && length >= 8 && length <= 16_384))
  );
}

function judgeGreeting(bytes: Buffer): Problem | 'silent' | undefined {
  if (isFrameHeader(bytes))
    return bytes[3] === 7 ? { failure: 'stream-refused', detail: 'it sent GOAWAY before any request' } : undefined;
  if (bytes.length === 0) return 'silent';
  // An alert record of TLS: type 21, then the version, which begins with 3 in all of them.
  if (bytes[0] === 0x15 && bytes[1] === 3) return { failure: 'tls-expected' };
  const text = bytes.toString('latin1');
  if (text.startsWith('HTTP/1.')) return { failure: 'http1-server', detail: text.split('\r\n', 1)[0] ?? '' };
  return { failure: 'not-http2', detail: describeBytes(text) };
}

function describeBytes(text: string): string {
  const line = text.split(/[\r\n]/, 1)[0] ?? '';
  if (/^[\u0020-\u007e]+$/.test(line)) return `it sent "${line.slice(0, 40)}"`;
  return `its first bytes are ${Buffer.from(text.slice(0, 8), 'latin1')
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$& ')}`;
}
