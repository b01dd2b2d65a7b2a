/** Takes bytes from a stream of chunks in the sizes that a format asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  /** How many bytes were taken or skipped. */
  position = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer at the end. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#held.subarray(0, missing);
      parts.push(part);
      this.#held = this.#held.subarray(part.length);
      missing -= part.length;
    }
    this.position += length - missing;
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Whether all of it was there. */
  async skip(length: number): Promise<boolean> {
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const skipped = Math.min(missing, this.#held.length);
      this.#held = this.#held.subarray(skipped);
      missing -= skipped;
    }
    this.position += length - missing;
    return missing === 0;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#held = next.value;
    }
    return true;
  }
}
