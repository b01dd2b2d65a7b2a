import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Server } from '@modelcontextprotocol/server';

interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Called with what is wrong with the input; standard output holds the protocol only. */
  readonly onProblem: (line: string) => void;
}

/** A message is a line; manifests and logs in it make it long. */
const longestLine = 8 * 1024 * 1024;

/** Serves one client over standard input and output, until the input ends or the signal comes. */
export async function serveStreams(newServer: () => Server, streams: Streams, signal: AbortSignal): Promise<void> {
  const { stdin, stdout, onProblem } = streams;
  const lines = new LineLimit(longestLine, onProblem);
  stdin.pipe(lines);
  // An input that breaks off is an input that ends.
  stdin.on('error', () => lines.end());
  const ended = new Promise<void>((resolve) => {
    lines.once('close', resolve);
    lines.once('end', resolve);
    stdout.once('error', () => resolve());
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(newServer, {
    transport: new StdioServerTransport(lines, stdout as NodeJS.WriteStream, { maxBufferSize: 4 * longestLine }),
    onerror: (error) => onProblem(error.message),
  });
  await ended;
  await handle.close();
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
}
