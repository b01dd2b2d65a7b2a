import type { IncomingMessage } from 'node:http';
import { duplexPair, PassThrough, Writable } from 'node:stream';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { RawObject } from '../core/kube/snapshot.ts';
import { internalError } from './status.ts';

/** What a command in a container reads and writes; the signal reports that the client has gone. */
interface ProcessStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/** How a command ended, or in the words of the container runtime why it did not start. */
export type ProcessEnd = { readonly exitCode: number } | { readonly notStarted: string };
export type PodProcess = (streams: ProcessStreams) => Promise<ProcessEnd>;
/** What a command does in a container of a pod. */
export type PodPrograms = (pod: RawObject, container: string, command: readonly string[]) => PodProcess;

/** A server on a port of a pod. */
interface PodListener {
  /** On the loopback address of the pod, so that only a port-forward gets there. */
  readonly isLocal?: boolean;
  readonly connect: () => Duplex;
}
export type PodListeners = (pod: RawObject, port: number) => PodListener | undefined;

/** A stream that a client may open: checked against rights, pod, container and ports. */
export type PodStream =
  | {
      readonly type: 'exec';
      readonly pod: RawObject;
      readonly process: PodProcess;
      readonly stdin: boolean;
      readonly stdout: boolean;
      readonly stderr: boolean;
    }
  | {
      readonly type: 'portforward';
      readonly pod: RawObject;
      readonly listeners: readonly { readonly port: number; readonly listener: PodListener | undefined }[];
    };

const protocols = { exec: ['v5.channel.k8s.io', 'v4.channel.k8s.io'], portforward: ['v4.channel.k8s.io'] } as const;
/** Channels of a remote command (apimachinery remotecommand); 255 says in v5 which channel is closed. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** The protocol that both sides speak; undefined when there is none, which is a refused handshake. */
export function agreeOn(stream: PodStream, request: IncomingMessage): string | undefined {
  const offered = String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((word) => word.trim());
  return protocols[stream.type].find((protocol) => offered.includes(protocol));
}

/** Completes the handshake and serves the stream until it ends on either side. */
export async function serveStream(
  stream: PodStream,
  protocol: string,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { WebSocketServer } = await import('ws');
  const endpoint = new WebSocketServer({ noServer: true, handleProtocols: () => protocol, perMessageDeflate: false });
  endpoint.handleUpgrade(request, socket, head, (client) => {
    client.on('error', () => client.terminate());
    void (stream.type === 'exec' ? serveExec(client, stream, protocol) : servePorts(client, stream)).catch(() =>
      client.terminate(),
    );
  });
}

async function serveExec(
  client: WebSocket,
  stream: Extract<PodStream, { type: 'exec' }>,
  protocol: string,
): Promise<void> {
  const gone = new AbortController();
  const stdin = new PassThrough();
  client.on('close', () => {
    gone.abort();
    stdin.end();
  });
  client.on('message', (data: Buffer) => {
    if (data[0] === channels.stdin && stream.stdin) feed(client, stdin, data.subarray(1));
    else if (data[0] === channels.close && data[1] === channels.stdin && protocol.startsWith('v5')) stdin.end();
  });
  if (!stream.stdin) stdin.end();
  await isListening(client);
  // Kubelet opens the channels before the command has written a byte.
  if (stream.stdout) client.send(Buffer.of(channels.stdout));
  const stdout = stream.stdout ? channelOf(client, channels.stdout) : nowhere();
  const stderr = stream.stderr ? channelOf(client, channels.stderr) : nowhere();
  const end = await stream.process({ stdin, stdout, stderr, signal: gone.signal });
  await Promise.all([stdout, stderr].map(flushed));
  client.send(Buffer.concat([Buffer.of(channels.error), Buffer.from(JSON.stringify(statusOf(end)))]));
  client.close(1000);
}

/** Each port has a channel for its data and one for what went wrong; both begin with the number of the port. */
async function servePorts(
  client: WebSocket,
  { listeners, pod }: Extract<PodStream, { type: 'portforward' }>,
): Promise<void> {
  const wires = listeners.map(({ port, listener }, index) => ({
    port,
    data: 2 * index,
    error: 2 * index + 1,
    wire: listener?.connect(),
  }));
  client.on('message', (data: Buffer) => {
    const found = wires.find((candidate) => candidate.data === data[0]);
    if (found?.wire?.writable === true) feed(client, found.wire, data.subarray(1));
  });
  client.on('close', () => {
    for (const { wire } of wires) wire?.destroy();
  });
  await Promise.all(
    wires.map(async ({ port, data, error, wire }) => {
      for (const channel of [data, error]) client.send(Buffer.of(channel, port & 0xff, port >> 8));
      if (wire === undefined) {
        const words =
          `an error occurred forwarding ${port} -> ${port}: error forwarding port ${port} to pod ` +
          `${pod.metadata.uid ?? pod.metadata.name}, uid : failed to connect to localhost:${port} inside ` +
          `namespace, IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused`;
        client.send(Buffer.concat([Buffer.of(error), Buffer.from(words)]));
        return;
      }
      wire.on('error', () => undefined);
      wire.pipe(channelOf(client, data), { end: false });
      await new Promise((resolve) => void wire.once('end', resolve).once('close', resolve));
    }),
  );
  client.close(1000);
}

/**
 * A command takes a while to start on a real node. kubectl depends on that: it reads from the connection before it has
 * created its channels, and drops data for one that does not exist yet ("Unknown stream id 1, discarding message"). So
 * the first byte waits until the client has answered a ping, which shows that it reads, and a moment longer.
 */
async function isListening(client: WebSocket): Promise<void> {
  await new Promise<void>((resolve) => {
    client.once('pong', () => resolve()).once('close', () => resolve());
    client.ping();
  });
  await delay(startOfCommandMs);
}
const startOfCommandMs = 30;

/** A slow reader holds the sender up instead of filling the memory. */
function feed(client: WebSocket, into: Writable, bytes: Buffer): void {
  if (into.write(bytes)) return;
  client.pause();
  into.once('drain', () => client.resume());
}

function channelOf(client: WebSocket, channel: number): Writable {
  const stream = new Writable({
    write: (bytes: Buffer, _encoding, done) =>
      client.send(Buffer.concat([Buffer.of(channel), bytes]), (error) => done(error)),
  });
  // A client that has gone is no error of the process that still writes.
  return stream.on('error', () => undefined);
}

const nowhere = (): Writable => new Writable({ write: (_bytes, _encoding, done) => done() });
const flushed = (stream: Writable): Promise<void> =>
  new Promise(
    (resolve) => void (stream.destroyed || stream.writableFinished ? resolve() : stream.once('close', resolve).end()),
  );

/** As API servers since 1.30 report it after the upgrade, for any failure on the node. */
function statusOf(end: ProcessEnd): Record<string, unknown> {
  if ('notStarted' in end) return internalError(`error executing command in container: ${end.notStarted}`).status;
  if (end.exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${end.exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(end.exitCode) }] },
  };
}

/** A listener that hands each connection to a server of this process, such as one of node:http. */
export function listenerOf(
  server: { emit(event: 'connection', socket: Duplex): boolean },
  isLocal = false,
): PodListener {
  return {
    isLocal,
    connect: () => {
      const [near, far] = duplexPair();
      server.emit('connection', far);
      return near;
    },
  };
}
