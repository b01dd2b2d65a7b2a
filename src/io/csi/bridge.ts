import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecEnd, NoWay } from './pod-conversation.ts';
import type { ExecSession } from './ways.ts';

/** A socket on this machine whose connections lead into a container. */
export interface Bridge {
  readonly path: string;
  /** How the first stream that carried nothing ended, or why it could not be opened. */
  readonly end: () => Promise<ExecEnd | NoWay | undefined>;
  /** The standard error of the last command. */
  readonly errors: () => string;
  readonly close: () => Promise<void>;
}

/** How long a closed connection may take to end the tool in the container before its stream is cut. */
const lingerMs = 50;
/** The path of a socket may have 104 bytes (sockaddr_un); some systems have a long temporary directory. */
const longestRoot = 70;

/**
 * The gRPC library connects to addresses only and cannot be handed a stream, so it gets the address of a socket that
 * only this user can reach. Each connection to it opens a stream of its own. An interruption closes it, so that neither
 * the command nor the socket outlives this process.
 */
export async function openBridge(open: () => Promise<ExecSession | NoWay>, signal?: AbortSignal): Promise<Bridge> {
  const root = Buffer.byteLength(tmpdir()) > longestRoot ? '/tmp' : tmpdir();
  const directory = await mkdtemp(join(root, 'kubectl-csi-'));
  const path = join(directory, 'csi.sock');
  const connections = new BridgeConnections(open, signal);
  const server = createServer({ allowHalfOpen: true }, (socket) => void connections.accept(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', onInterrupt);
    connections.destroy();
    server.close();
    await rm(directory, { recursive: true, force: true });
  };
  const onInterrupt = (): void => void close().catch(() => undefined);
  signal?.addEventListener('abort', onInterrupt, { once: true });
  if (signal?.aborted === true) onInterrupt();
  return { path, end: () => connections.end, errors: () => connections.errors(), close };
}

class BridgeConnections {
  readonly #open: () => Promise<ExecSession | NoWay>;
  readonly #signal: AbortSignal | undefined;
  readonly #sessions = new Set<ExecSession>();
  #failed: Promise<ExecEnd | NoWay> | undefined;
  #errors = (): string => '';

  constructor(open: () => Promise<ExecSession | NoWay>, signal: AbortSignal | undefined) {
    this.#open = open;
    this.#signal = signal;
  }

  get end(): Promise<ExecEnd | NoWay | undefined> {
    return this.#failed ?? Promise.resolve(undefined);
  }

  errors(): string {
    return this.#errors();
  }

  destroy(): void {
    for (const { stream } of this.#sessions) stream.destroy();
  }

  async accept(socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    // If one connection could not get through, the next will not either.
    if (this.#failed !== undefined) return void socket.destroy();
    const session = await this.#open().catch((error: Error): NoWay => ({
      type: 'no way',
      reason: 'failed',
      message: error.message,
    }));
    if (session.type === 'no way') {
      this.#failed ??= Promise.resolve(session);
      return void socket.destroy();
    }
    if (this.#signal?.aborted === true) return void session.stream.destroy();
    this.#errors = session.errors;
    this.#join(socket, session);
  }

  #join(socket: Socket, session: ExecSession): void {
    const { stream } = session;
    this.#sessions.add(session);
    let carried = 0;
    let isLeft = false;
    stream.on('data', (bytes: Buffer) => {
      carried += bytes.length;
      if (!socket.write(bytes)) stream.pause();
    });
    socket.on('drain', () => stream.resume());
    const onStreamEnd = (): void => {
      if (carried === 0 && !isLeft) this.#failed ??= session.ended;
      socket.end();
    };
    stream.once('end', onStreamEnd);
    // The stream of a command that ends at once may be closed without an end.
    stream.once('close', () => {
      onStreamEnd();
      socket.destroySoon();
    });
    socket.pipe(stream);
    socket.once('close', () => {
      isLeft = true;
      this.#sessions.delete(session);
      setTimeout(() => stream.destroy(), lingerMs).unref();
    });
  }
}
