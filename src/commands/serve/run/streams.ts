import type { ServerResponse } from 'node:http';
import type { Picture } from '../picture.ts';

export interface StreamLimits {
  readonly most: number;
  /** A client that has not taken this much is dropped. */
  readonly bufferBytes: number;
  readonly beatMs: number;
}

/** The open streams of server-sent events: bounded in number, and a client that does not read is dropped. */
export class Streams {
  readonly #limits: StreamLimits;
  readonly #open = new Set<ServerResponse>();
  readonly #beat: NodeJS.Timeout;
  #last: Picture | undefined;
  /** When the last judgement came, by the clock of this machine. */
  #judgedAt = performance.now();
  #dropped = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
    this.#beat = setInterval(() => this.#tellAll(), limits.beatMs);
    this.#beat.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get isFull(): boolean {
    return this.#open.size >= this.#limits.most;
  }

  /** The caller has checked that there is room. */
  add(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
    response.write('retry: 3000\n\n');
    if (this.#last !== undefined) this.#tell(response, this.#message(this.#last));
  }

  publish(picture: Picture): void {
    const isNews = this.#last === undefined || essenceOf(this.#last) !== essenceOf(picture);
    if (this.#last?.takenAt !== picture.takenAt) this.#judgedAt = performance.now();
    this.#last = picture;
    if (isNews) this.#tellAll();
  }

  close(): void {
    clearInterval(this.#beat);
    for (const response of this.#open) response.end();
    this.#open.clear();
  }

  #tellAll(): void {
    if (this.#last === undefined) return;
    const message = this.#message(this.#last);
    for (const response of this.#open) this.#tell(response, message);
  }

  #message({ revision, freshness, takenAt }: Picture): string {
    const { state, since, reason } = freshness;
    const age = Math.round(performance.now() - this.#judgedAt);
    return `event: picture\ndata: ${JSON.stringify({ revision, state, since, reason, takenAt, age })}\n\n`;
  }

  #tell(response: ServerResponse, message: string): void {
    if (response.writableLength > this.#limits.bufferBytes) {
      this.#dropped += 1;
      this.#open.delete(response);
      response.destroy();
    } else response.write(message);
  }
}

function essenceOf({ revision, freshness }: Picture): string {
  return `${revision} ${freshness.state}`;
}
