import { BrokenInput } from './broken-input.ts';
import { unpack } from './unpack.ts';

/** A file that was packed twice by mistake is read; one that unpacks to itself would never end. */
const mostLayers = 3;

/** Unpacks gzip, recognised by its first bytes, and converts UTF-16 and CRLF to UTF-8 with \n. */
export async function decodeText(bytes: Buffer): Promise<Buffer> {
  let unpacked = bytes;
  for (let layer = 0; isGzip(unpacked); layer += 1) {
    if (layer === mostLayers)
      throw new BrokenInput('tooLarge', `is compressed with gzip more than ${mostLayers} times`);
    unpacked = await unpack(unpacked, 'gzip');
  }
  return plainLines(fromUtf16(unpacked));
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** PowerShell writes `kubectl … > file` as UTF-16 with a byte order mark. */
function fromUtf16(bytes: Buffer): Buffer {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3);
  const little = bytes[0] === 0xff && bytes[1] === 0xfe;
  const big = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!little && !big) return bytes;
  const even = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  if (big) even.swap16();
  const parts: Buffer[] = [];
  for (let at = 0; at < even.length; at += 64_000_000)
    parts.push(Buffer.from(even.toString('utf16le', at, Math.min(at + 64_000_000, even.length)), 'utf8'));
  return Buffer.concat(parts);
}

function plainLines(bytes: Buffer): Buffer {
  if (!bytes.includes('\r\n')) return bytes;
  const result = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x0d && bytes[at + 1] === 0x0a) continue;
    result[length] = byte;
    length += 1;
  }
  return result.subarray(0, length);
}
