import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecEnd, NoWay } from './pod-conversation.ts';
import type { ExecSession } from './ways.ts';

/** A socket of this machine whose connections lead into a container. */
export interface Bridge {
  readonly path: string;
  /** How the first stream that carried nothing ended, or why it could not be opened. */
  readonly end: () => Promise<ExecEnd | NoWay | undefined>;
  /** What the last command wrote to its standard error. */
  readonly errors: () => string;
  readonly close: () => Promise<void>;
}

/**
 * The library of gRPC connects to addresses only and cannot be handed a stream, so it gets one: a socket that only this
 * user can reach. Each connection is a stream of its own, so that a probe through it is like any other.
 * An interruption closes it, so that neither the command nor the socket outlives this process.
 */
export async function openBridge(open: () => Promise<ExecSession | NoWay>, signal?: AbortSignal): Promise<Bridge> {
  // A socket's path is short, and some systems have long ones for what is temporary.
  const root = Buffer.byteLength(tmpdir()) > longestRoot ? '/tmp' : tmpdir();
  const directory = await mkdtemp(join(root, 'kubectl-csi-'));
  const path = join(directory, 'csi.sock');
  const sessions = new Set<ExecSession>();
  let errors = (): string => '';
  let failed: Promise<ExecEnd | NoWay | undefined> | undefined;
  const lead = async (socket: Socket): Promise<void> => {
    socket.on('error', () => undefined);
    // Who could not get through once does not get through a moment later.
    if (failed !== undefined) return void socket.destroy();
    const session = await open().catch((error: Error): NoWay => ({
      type: 'no way',
      reason: 'failed',
      message: error.message,
    }));
    if (session.type === 'no way') {
      failed ??= Promise.resolve(session);
      return void socket.destroy();
    }
    if (signal?.aborted === true) return void session.stream.destroy();
    sessions.add(session);
    errors = session.errors;
    let carried = 0;
    const { stream } = session;
    stream.on('data', (bytes: Buffer) => {
      carried += bytes.length;
      if (!socket.write(bytes)) stream.pause();
    });
    socket.on('drain', () => stream.resume());
    let isLeft = false;
    // A command that ends at once may break the stream before its end is seen.
    const over = (): void => {
      if (carried === 0 && !isLeft) failed ??= session.ended;
      socket.end();
    };
    stream.once('end', over);
    stream.once('close', () => {
      over();
      socket.destroySoon();
    });
    socket.pipe(stream);
    socket.once('close', () => {
      isLeft = true;
      sessions.delete(session);
      // A moment for the closing to arrive, so that the tool in the container ends by itself.
      setTimeout(() => stream.destroy(), lingerMs).unref();
    });
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => void lead(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', onInterrupt);
    for (const { stream } of sessions) stream.destroy();
    server.close();
    await rm(directory, { recursive: true, force: true });
  };
  const onInterrupt = (): void => void close().catch(() => undefined);
  signal?.addEventListener('abort', onInterrupt, { once: true });
  if (signal?.aborted === true) onInterrupt();
  return {
    path,
    end: async () => failed,
    errors: () => errors(),
    close,
  };
}

const lingerMs = 50;
const longestRoot = 70;
