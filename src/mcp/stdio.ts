/* oxlint-disable unicorn/prefer-add-event-listener -- a Transport has these fields, and no events */
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId, Server, Transport } from '@modelcontextprotocol/server';

interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Called with what is wrong with the input; standard output holds the protocol only. */
  readonly onProblem: (line: string) => void;
  /** How long requests are still answered after the end of the input. */
  readonly patienceMs?: number;
}

/** A message is a line; manifests and logs in it make it long. */
const longestLine = 8 * 1024 * 1024;
/** A client that has ended is not missed for long, and a script that has written its requests waits for the answers. */
const usualPatienceMs = 30_000;
/** JSON-RPC 2.0, section 5.1. */
const internalError = -32_603;

/**
 * Serves one client over standard input and output, until the input ends and what was asked is answered, or the signal
 * comes.
 */
export async function serveStreams(newServer: () => Server, streams: Streams, signal: AbortSignal): Promise<void> {
  const { stdin, stdout, onProblem, patienceMs = usualPatienceMs } = streams;
  const lines = new LineLimit(longestLine, onProblem);
  // The transport drops what is unanswered when its input ends, so it does not see that end.
  stdin.pipe(lines, { end: false });
  const answers = new Answers(
    new StdioServerTransport(lines, stdout as NodeJS.WriteStream, { maxBufferSize: 4 * longestLine }),
  );
  const hasEnded = new Promise<void>((resolve) => {
    // An input that breaks off is an input that ends.
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
  });
  const isOver = new Promise<void>((resolve) => {
    stdout.once('error', () => resolve());
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(newServer, {
    transport: answers.transport,
    onerror: (error) => onProblem(error.message),
  });
  const finish = async (): Promise<void> => {
    await hasEnded;
    await lines.endLastLine();
    await answers.complete(patienceMs);
  };
  // An output that breaks off ends it too.
  await Promise.race([finish().catch(() => undefined), isOver]);
  await handle.close();
}

/** Knows which requests have not been answered yet. */
class Answers {
  readonly transport: Transport;
  readonly #wire: Transport;
  readonly #unanswered = new Set<RequestId>();
  #onAnswer: () => void = () => undefined;

  constructor(wire: Transport) {
    this.#wire = wire;
    const transport: Transport = {
      start: () => {
        wire.onmessage = (message, extra) => {
          this.#note(message);
          transport.onmessage?.(message, extra);
        };
        wire.onerror = (error) => transport.onerror?.(error);
        wire.onclose = () => transport.onclose?.();
        return wire.start();
      },
      send: async (message, options) => {
        await wire.send(message, options);
        if (isJSONRPCResponse(message) && message.id !== undefined) this.#settle(message.id);
      },
      close: () => wire.close(),
    };
    this.transport = transport;
  }

  /** Waits for the answers; requests that have none by then are answered with an error. */
  async complete(patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onAnswer = () => {
        if (this.#unanswered.size === 0) resolve();
      };
      timer = setTimeout(resolve, patienceMs);
      this.#onAnswer();
    });
    clearTimeout(timer);
    const message = `The input has ended, and there was no answer within ${patienceMs / 1000} s.`;
    for (const id of this.#unanswered)
      await this.#wire.send({ jsonrpc: '2.0', id, error: { code: internalError, message } });
  }

  #note(message: JSONRPCMessage): void {
    // A subscription is answered when it ends.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
    // A request that was cancelled gets no answer.
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId'] as RequestId);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    this.#onAnswer();
  }
}

/** Drops lines that are longer than any message, because the transport would end at them. */
class LineLimit extends Transform {
  readonly #most: number;
  readonly #onProblem: (line: string) => void;
  #length = 0;
  #held: Buffer[] = [];

  constructor(most: number, onProblem: (line: string) => void) {
    super();
    this.#most = most;
    this.#onProblem = onProblem;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#hold(chunk.subarray(from, end + 1));
      this.#endLine();
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    done();
  }

  #hold(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#most) this.#held.push(part);
    else this.#held = [];
  }

  #endLine(): void {
    if (this.#length <= this.#most) for (const part of this.#held) this.push(part);
    else this.#onProblem(`A message of ${this.#length} bytes was dropped: at most ${this.#most} are read.`);
    this.#length = 0;
    this.#held = [];
  }

  /** The last line may have no line break. What was written before is read once this resolves. */
  async endLastLine(): Promise<void> {
    if (this.#length > 0) {
      this.#hold(Buffer.from('\n'));
      this.#endLine();
    }
    // Streams hand on what they hold in a later turn of the event loop.
    while (this.readableLength > 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
}
