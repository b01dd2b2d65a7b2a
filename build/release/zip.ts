import { crc32, deflateRawSync } from 'node:zlib';
import type { ArchiveFile } from './tar.ts';

/** Numbers as in PKWARE's APPNOTE.TXT. */
const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfDirectory = 0x06054b50;
const version = 20;
const deflated = 8;
/** "Made by" Unix, so that the upper half of the attributes is a Unix mode. */
const unix = 3 << 8;

/** A zip archive in which nothing depends on the machine or the time. */
export function writeZip(files: readonly ArchiveFile[], date: Date): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const data = deflateRawSync(file.content, { level: 9 });
    const common = commonFields(file, data, name, date);
    directory.push(centralEntry(file, common, offset), name);
    const local = Buffer.concat([words32(localHeader), words16(version), common, words16(0), name, data]);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = [
    words32(endOfDirectory),
    words16(0, 0, files.length, files.length),
    words32(central.length, offset),
    words16(0),
  ];
  return Buffer.concat([...parts, central, ...end]);
}

/** What both headers of a file hold, up to the length of its name. */
function commonFields({ content }: ArchiveFile, data: Buffer, name: Buffer, date: Date): Buffer {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return Buffer.concat([
    words16(0, deflated, time, day),
    words32(crc32(content), data.length, content.length),
    words16(name.length),
  ]);
}

function centralEntry({ isExecutable }: ArchiveFile, common: Buffer, offset: number): Buffer {
  const mode = isExecutable === true ? 0o100755 : 0o100644;
  return Buffer.concat([
    words32(centralHeader),
    words16(unix | version, version),
    common,
    words16(0, 0, 0, 0),
    words32((mode << 16) >>> 0, offset),
  ]);
}

function words16(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from(Uint16Array.of(value).buffer)));
}

function words32(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from(Uint32Array.of(value).buffer)));
}
