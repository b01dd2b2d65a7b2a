import { Readable, pipeline } from 'node:stream';
import { BrokenInput } from './broken-input.ts';
import { tooLarge, unpackLimit } from './limits.ts';

const slice = 65_536;

/**
 * Unpacks in slices, so that a bomb is noticed long before it fills the memory: the limit grows with what was read so
 * far.
 */
export async function unpack(bytes: Buffer, form: 'gzip' | 'deflate'): Promise<Buffer> {
  const zlib = await import('node:zlib');
  const unpacker = form === 'gzip' ? zlib.createGunzip() : zlib.createInflateRaw();
  pipeline(Readable.from(slicesOf(bytes)), unpacker, () => undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      const limit = unpackLimit(unpacker.bytesWritten);
      if (size > limit) throw tooLarge(limit);
    }
  } catch (error) {
    throw error instanceof BrokenInput ? error : unpackProblem(error, form);
  }
  return Buffer.concat(chunks);
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice);
}

export function unpackProblem(error: unknown, form: 'gzip' | 'deflate'): BrokenInput {
  const what = form === 'gzip' ? 'gzip data' : 'zip archive';
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
    ? new BrokenInput('truncated', `the ${what} ends in the middle`)
    : new BrokenInput('invalid', `the ${what} is damaged`);
}
