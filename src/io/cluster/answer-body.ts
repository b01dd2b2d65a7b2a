import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Bytes on the wire. */
  readonly size: number;
}

/** The answer, as it was sent or once it is unpacked, is larger than any page of a list. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  constructor(bytes: number) {
    super(`more than ${Math.round(bytes / 1024 / 1024)} MiB`);
  }
}

/** A page of 500 objects has a few megabytes; the longest string of Node has 512. */
const mostBytes = 256 * 1024 * 1024;
/** Lists shrink to a tenth or a twentieth; several answers may be unpacked at the same time. */
const mostUnpacked = { bytes: 64 * 1024 * 1024, ratio: 40 };

/** Reads to the end, and calls back with the size so far. */
export async function readWhole(response: IncomingMessage, onChunk?: (size: number) => void): Promise<Answer> {
  const raw = await readBytes(response, onChunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await unpack(raw, response.headers['content-encoding']),
    size: raw.length,
  };
}

/** By events: the iterator of a stream, which does the same, takes a millisecond to load. */
function readBytes(response: IncomingMessage, onChunk: ((size: number) => void) | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      try {
        if (size > mostBytes) throw new TooLarge(mostBytes);
        onChunk?.(size);
      } catch (error) {
        response.destroy(error as Error);
      }
    });
    const breakOff = (): void =>
      reject(response.errored ?? Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    response.once('end', () => {
      // Every answer is closed in the end: an error for it would be made in vain.
      response.off('close', breakOff);
      resolve(Buffer.concat(chunks));
    });
    response.once('error', reject);
    response.once('close', breakOff);
    if (response.destroyed) breakOff();
  });
}

async function unpack(raw: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding?.toLowerCase() !== 'gzip' || raw.length === 0) return raw;
  const { gunzip } = await import('node:zlib');
  const maxOutputLength = Math.min(mostBytes, Math.max(mostUnpacked.bytes, raw.length * mostUnpacked.ratio));
  return new Promise((resolve, reject) => {
    gunzip(raw, { maxOutputLength }, (error, body) => {
      if (error === null) resolve(body);
      else
        reject(
          (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new TooLarge(maxOutputLength) : error,
        );
    });
  });
}
