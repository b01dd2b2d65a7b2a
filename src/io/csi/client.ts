import { Client, credentials, status as statusCodes } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { Socket } from 'node:net';
import type { Deadline } from './deadline.ts';
import { secondsText } from './deadline.ts';
import { showEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { isAllowed, methods, shortNameOf } from './methods.ts';
import type { Method } from './methods.ts';
import type { Problem } from './problem.ts';
import { WireError, decode } from './wire.ts';
import type { Decoded, MessageTable } from './wire.ts';

/** How a call ended: with an answer, with a status from the driver, or broken on the way. */
export type CallResult<M extends MessageTable = MessageTable> = {
  readonly latencyMs: number;
  readonly method: string;
} & (
  | { readonly type: 'answer'; readonly value: Decoded<M> }
  | { readonly type: 'status'; readonly code: string; readonly message: string }
  | { readonly type: 'broken'; readonly problem: Problem }
);

export interface CsiConnection {
  /** Undefined once the connection is open. */
  readonly open: (deadline: Deadline) => Promise<Problem | undefined>;
  /** A request of its own names the volume that NodeGetVolumeStats is about; no other call has one. */
  readonly call: <M extends MessageTable>(
    method: Method<M>,
    deadline: Deadline,
    request?: Buffer,
  ) => Promise<CallResult<M>>;
  readonly close: () => void;
}
export type CsiDialer = (endpoint: Endpoint) => CsiConnection;

/** The gRPC library's own default; no sound driver needs more. */
const largestAnswerBytes = 4 * 1024 * 1024;

export const dial: CsiDialer = (endpoint) => {
  const sockets = new Set<Socket>();
  const client = new Client(targetOf(endpoint), trackingCredentials(sockets), {
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': largestAnswerBytes,
    // As kubelet and the sidecars do: some servers refuse an authority that is a path.
    ...(endpoint.type === 'unix' && { 'grpc.default_authority': 'localhost' }),
  });
  return {
    open: (deadline) =>
      new Promise((resolve) => {
        client.waitForReady(new Date(Date.now() + deadline.remainingMs()), (error) =>
          resolve(
            error === undefined || error === null
              ? undefined
              : { failure: 'connection-dropped', detail: 'it answered the first connection but none after it' },
          ),
        );
      }),
    call: (method, deadline, request) => callMethod(client, method, deadline, request),
    close: () => {
      client.close();
      // The library leaves the sockets of hanging connections open, and a watch would accumulate them.
      for (const socket of sockets) socket.destroy();
    },
  };
};

function targetOf(endpoint: Endpoint): string {
  return endpoint.type === 'unix' ? showEndpoint(endpoint) : `dns:${showEndpoint(endpoint).slice('tcp://'.length)}`;
}

/** The library neither takes a socket nor shows the one it uses, but its credentials are called with each one. */
function trackingCredentials(sockets: Set<Socket>): ReturnType<typeof credentials.createInsecure> {
  const plain = credentials.createInsecure();
  const createConnector = plain['_createSecureConnector'].bind(plain);
  plain['_createSecureConnector'] = (...given) => {
    const connector = createConnector(...given);
    return {
      ...connector,
      connect: (socket) => {
        sockets.add(socket);
        return connector.connect(socket);
      },
    };
  };
  return plain;
}

function callMethod<M extends MessageTable>(
  client: Client,
  method: Method<M>,
  deadline: Deadline,
  request = method.request,
): Promise<CallResult<M>> {
  const hasOwnRequest = request !== method.request && (method as Method) !== methods.nodeGetVolumeStats;
  if (!isAllowed(method) || hasOwnRequest) return Promise.reject(new Error(`the call ${method.path} is not allowed`));
  const budgetMs = deadline.remainingMs();
  const begun = performance.now();
  return new Promise((resolve) => {
    const passOn = (bytes: Buffer): Buffer => bytes;
    client.makeUnaryRequest(
      method.path,
      passOn,
      passOn,
      request,
      { deadline: new Date(Date.now() + budgetMs) },
      (error, bytes) => {
        const common = { latencyMs: performance.now() - begun, method: shortNameOf(method) };
        if (error !== null) resolve({ ...common, ...judgeError(error, common.latencyMs, budgetMs, common.method) });
        else resolve({ ...common, ...read(bytes ?? Buffer.alloc(0), method, common.method) });
      },
    );
  });
}

type Outcome<M extends MessageTable> =
  { readonly type: 'answer'; readonly value: Decoded<M> } | { readonly type: 'broken'; readonly problem: Problem };

/**
 * Decoded here, since the library would report a bad message with the code that drivers use for faults of their own.
 */
function read<M extends MessageTable>(bytes: Buffer, method: Method<M>, name: string): Outcome<M> {
  try {
    return { type: 'answer', value: decode(bytes, method.answer) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return {
      type: 'broken',
      problem: {
        failure: error.problem === 'utf8' ? 'invalid-utf8' : 'malformed-response',
        detail: error.message,
        method: name,
      },
    };
  }
}

/**
 * How the library words what broke on the way (grpc-js 1.14, subchannel-call); a status from the driver has other
 * words.
 */
const libraryWords: readonly (readonly [RegExp, Problem['failure'], string?])[] = [
  [
    /^Received HTTP status code 200$|Call ended without gRPC status|^No status information received$|^Received RST_STREAM with code 0\b/,
    'no-grpc-status',
  ],
  [/^Received HTTP status code (\d+)/, 'http2-not-grpc', 'HTTP status $1'],
  [/^Stream refused by server$|^Bandwidth exhausted or memory limit exceeded$/, 'stream-refused'],
  [/^Received message larger than max \((\d+)/, 'response-too-large', '$1 bytes'],
  [
    /^(Connection dropped|Call cancelled|No connection established\b.*|Failed to start HTTP\/2 stream\b.*|Write error\b.*|read ECONNRESET|Received RST_STREAM\b.*|Protocol not secure enough)$/,
    'connection-dropped',
  ],
];

function judgeError(
  error: ServiceError,
  latencyMs: number,
  budgetMs: number,
  method: string,
):
  | { readonly type: 'status'; readonly code: string; readonly message: string }
  | { readonly type: 'broken'; readonly problem: Problem } {
  const { code, details } = error;
  // The driver has the deadline too, and may stop a moment before we do.
  if (
    code === statusCodes.DEADLINE_EXCEEDED &&
    (details.startsWith('Deadline exceeded after') || latencyMs >= budgetMs * 0.9)
  ) {
    return {
      type: 'broken',
      problem: { failure: 'rpc-hang', detail: `no answer within ${secondsText(budgetMs)}`, method },
    };
  }
  for (const [words, failure, detail] of libraryWords) {
    const match = words.exec(details);
    if (match !== null && failure === 'response-too-large' && isProse(Number(match[1])))
      return { type: 'broken', problem: { failure: 'http2-not-grpc', method, detail: 'a page of text' } };
    if (match !== null)
      return {
        type: 'broken',
        problem: { failure, method, ...(detail !== undefined && { detail: detail.replace('$1', match[1] ?? '') }) },
      };
  }
  return { type: 'status', code: statusCodes[code] ?? `code ${code}`, message: details };
}

/** A gRPC message begins with its length in four bytes; in a web page those are letters. */
function isProse(length: number): boolean {
  return [24, 16, 8, 0].every((shift) => {
    const byte = (length >>> shift) & 0xff;
    return byte === 10 || byte === 13 || (byte >= 0x20 && byte < 0x7f);
  });
}
