import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { ExecEnd } from '../csi/pod-conversation.ts';

/** A command that runs in a container: its standard input and output as one stream. */
export interface ExecSession {
  readonly stream: Duplex;
  /** Its standard error so far. */
  readonly errors: () => string;
  /** Resolves when the command has ended or the connection is closed. */
  readonly ended: Promise<ExecEnd>;
}

/** Channels of a remote command (apimachinery, remotecommand); in v5 a message on 255 closes the channel it names. */
const channel = { input: 0, output: 1, errors: 2, status: 3, close: 255 } as const;
/** Enough to recognise an error; a command that never stops printing must not fill the memory. */
const mostErrorText = 4096;

export function execSession(socket: WebSocket): ExecSession {
  let errors = '';
  let status: Pick<ExecEnd, 'exitCode' | 'message'> = {};
  const canHalfClose = socket.protocol.startsWith('v5');
  const wire = new Channels(socket, {
    input: channel.input,
    // v4 has no other way to end standard input.
    finish: () => (canHalfClose ? socket.send(Buffer.of(channel.close, channel.input)) : socket.close(1000)),
    take: (number, bytes) => {
      if (number === channel.output) return bytes;
      if (number === channel.errors && errors.length < mostErrorText) errors += bytes.toString('utf8');
      if (number === channel.status) status = readStatus(bytes);
      return undefined;
    },
  });
  const ended = new Promise<ExecEnd>((resolve) => {
    socket.once('close', () => resolve({ stderr: errors.slice(0, mostErrorText), ...status }));
  });
  socket.resume();
  return { stream: wire, errors: () => errors, ended };
}

/** `Success`, `NonZeroExitCode` with the code among its causes, or a failure to start the command. */
function readStatus(bytes: Buffer): Pick<ExecEnd, 'exitCode' | 'message'> {
  try {
    const { status, reason, message, details } = JSON.parse(bytes.toString('utf8')) as {
      status?: unknown;
      reason?: unknown;
      message?: unknown;
      details?: { causes?: readonly { reason?: unknown; message?: unknown }[] };
    };
    if (status === 'Success') return { exitCode: 0 };
    const code = Number(details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message);
    if (reason === 'NonZeroExitCode' && Number.isInteger(code)) return { exitCode: code };
    return { message: typeof message === 'string' ? message.slice(0, 500) : 'the server gave no reason' };
  } catch {
    // Before v4 errors were plain text, and some runtimes still send them that way.
    return { message: bytes.toString('utf8').slice(0, 500) };
  }
}

/** A connection to one port of a pod, and the error if there is none. */
export interface ForwardedPort {
  readonly stream: Duplex;
  readonly problem: () => string | undefined;
}

/** Both channels start with the port number in two bytes (kubelet, portforward/websocket). */
export function forwardedPort(socket: WebSocket): ForwardedPort {
  let words = '';
  const announced = new Map<number, number>();
  const wire = new Channels(socket, {
    input: 0,
    finish: () => undefined,
    take: (number, bytes) => {
      const left = announced.get(number) ?? 2;
      const rest = bytes.subarray(left);
      announced.set(number, Math.max(0, left - bytes.length));
      if (number === 0) return rest;
      if (number === 1 && words.length < mostErrorText) words += rest.toString('utf8');
      // Nothing follows an error, and the server would leave the connection open.
      if (number === 1 && rest.length > 0) socket.close(1000);
      return undefined;
    },
  });
  socket.resume();
  return { stream: wire, problem: () => (words === '' ? undefined : words.trim()) };
}

interface ChannelRules {
  readonly input: number;
  readonly finish: () => void;
  /** Returns the bytes of a channel that belong to the stream, and consumes those of the others. */
  readonly take: (channel: number, bytes: Buffer) => Buffer | undefined;
}

/** One stream out of a websocket that carries several; each message begins with the number of its channel. */
class Channels extends Duplex {
  readonly #socket: WebSocket;
  readonly #rules: ChannelRules;

  constructor(socket: WebSocket, rules: ChannelRules) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#rules = rules;
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', () => {
      this.push(null);
      if (!this.writableEnded) this.end();
    });
    socket.on('error', (error) => this.destroy(error));
    // Without a listener an error would end the process; readers notice a broken connection by its end.
    this.on('error', () => undefined);
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return done();
    this.#socket.send(Buffer.concat([Buffer.of(this.#rules.input), chunk]), (error) => done(error));
  }

  override _final(done: () => void): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#rules.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.close(1000);
    // The server has a moment to answer the close frame; then the connection is cut.
    setTimeout(() => this.#socket.terminate(), closingMs).unref();
    done(error);
  }

  #receive(data: RawData): void {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    const [number] = bytes;
    if (number === undefined || this.destroyed) return;
    const own = this.#rules.take(number, bytes.subarray(1));
    if (own !== undefined && own.length > 0 && !this.push(own)) this.#socket.pause();
  }
}

const closingMs = 500;
