import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable, pipeline } from 'node:stream';
import { archiveForm } from './archive.ts';
import { BrokenInput } from './broken-input.ts';
import { ByteReader } from './byte-reader.ts';
import { isGzip } from './decode.ts';
import { mostInArchive, tooLarge, unpackLimit } from './limits.ts';
import { unpackProblem } from './unpack.ts';
import type { ArchiveEntry } from './archive.ts';

const openingSize = 4096;

/** The entries of the archive at a path; undefined for any other file. */
export async function openArchive(path: string): Promise<AsyncGenerator<ArchiveEntry> | undefined> {
  const file = await open(path);
  let isArchive = false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(openingSize), 0, openingSize, 0);
    const opening = buffer.subarray(0, bytesRead);
    const form = await formOf(opening);
    if (form === undefined) return undefined;
    isArchive = true;
    return form === 'zip'
      ? entriesOfZip(file)
      : entriesOfTar(() => createReadStream(path, { highWaterMark: 1 << 20 }), isGzip(opening), file);
  } finally {
    if (!isArchive) await file.close();
  }
}

/** The same for bytes that came through a pipe. */
export async function openArchiveBytes(bytes: Buffer): Promise<AsyncGenerator<ArchiveEntry> | undefined> {
  const form = await formOf(bytes.subarray(0, openingSize));
  if (form === 'tar') return entriesOfTar(() => Readable.from([bytes]), isGzip(bytes));
  if (form === undefined) return undefined;
  const { readZip } = await import('./zip.ts');
  return readZip({
    size: bytes.length,
    read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
  });
}

async function formOf(opening: Buffer): Promise<'tar' | 'zip' | undefined> {
  if (!isGzip(opening)) return archiveForm(opening);
  const zlib = await import('node:zlib');
  try {
    // Only the beginning is there, which is no error with this flush.
    const unpacked = zlib.gunzipSync(opening, {
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
      maxOutputLength: 16_000_000,
    });
    return archiveForm(unpacked) === 'tar' ? 'tar' : undefined;
  } catch {
    return undefined;
  }
}

async function* entriesOfZip(file: FileHandle): AsyncGenerator<ArchiveEntry> {
  try {
    const { size } = await file.stat();
    const { readZip } = await import('./zip.ts');
    yield* readZip({
      size,
      read: async (start, length) => {
        if (start < 0 || start >= size || length === 0) return Buffer.alloc(0);
        const wanted = Math.min(length, size - start);
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, start);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await file.close();
  }
}

async function* entriesOfTar(
  source: () => Readable,
  isPacked: boolean,
  file?: FileHandle,
): AsyncGenerator<ArchiveEntry> {
  await file?.close();
  const { readTar } = await import('./tar.ts');
  const reader = new ByteReader(isPacked ? gunzipChunks(source()) : source());
  try {
    yield* readTar(reader);
  } finally {
    await reader.close();
  }
}

/** Unpacks as it is read; stops where the bytes grow beyond what text explains. */
async function* gunzipChunks(source: Readable): AsyncGenerator<Buffer> {
  const zlib = await import('node:zlib');
  const gunzip = zlib.createGunzip();
  let packed = 0;
  let unpacked = 0;
  source.on('data', (chunk: Buffer) => (packed += chunk.length));
  pipeline(source, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      const limit = unpackLimit(packed, mostInArchive);
      if (unpacked > limit) throw tooLarge(limit);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof BrokenInput ? error : unpackProblem(error, 'gzip');
  } finally {
    gunzip.destroy();
    source.destroy();
  }
}
