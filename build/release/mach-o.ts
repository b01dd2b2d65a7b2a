/** The parts of a 64-bit Mach-O file that signing and checking need. Numbers as in Apple's <mach-o/loader.h>. */
export const machO = {
  magic: 0xfeedfacf,
  headerBytes: 32,
  segment: 0x19,
  codeSignature: 0x1d,
  codeSignatureBytes: 16,
  processors: new Map([
    [0x01000007, 'amd64'],
    [0x0100000c, 'arm64'],
  ]),
} as const;

export interface LoadCommand {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
}

export interface Segment {
  readonly name: string;
  /** Where its load command is. */
  readonly command: number;
  readonly fileOffset: number;
  readonly fileSize: number;
}

export function loadCommands(file: Buffer): readonly LoadCommand[] {
  if (file.readUInt32LE(0) !== machO.magic) throw new Error('This is not a 64-bit Mach-O file.');
  let offset: number = machO.headerBytes;
  return Array.from({ length: file.readUInt32LE(16) }, () => {
    const command = { type: file.readUInt32LE(offset), offset, size: file.readUInt32LE(offset + 4) };
    offset += command.size;
    return command;
  });
}

export function findSegment(file: Buffer, name: string): Segment {
  const found = loadCommands(file)
    .filter(({ type }) => type === machO.segment)
    .map(({ offset }) => ({
      name: file.toString('latin1', offset + 8, offset + 24).replace(/\0+$/, ''),
      command: offset,
      fileOffset: Number(file.readBigUInt64LE(offset + 40)),
      fileSize: Number(file.readBigUInt64LE(offset + 48)),
    }))
    .find((segment) => segment.name === name);
  if (found === undefined) throw new Error(`The Mach-O file has no segment ${name}.`);
  return found;
}

/** Where the first section begins in the file: load commands may grow up to there. */
export function firstSectionOffset(file: Buffer): number {
  const offsets = loadCommands(file)
    .filter(({ type }) => type === machO.segment)
    .flatMap(({ offset }) =>
      Array.from({ length: file.readUInt32LE(offset + 64) }, (_, index) =>
        file.readUInt32LE(offset + 72 + index * 80 + 48),
      ),
    );
  return Math.min(...offsets.filter((offset) => offset > 0));
}
