import { loadCommands, machO } from './mach-o.ts';

/** What the header of an executable says about the platform that it is for. */
export interface BinaryFormat {
  readonly format: 'ELF' | 'Mach-O' | 'PE';
  readonly arch: 'amd64' | 'arm64';
  readonly isSigned: boolean;
}

const elfMachines = new Map([
  [62, 'amd64'],
  [183, 'arm64'],
] as const);
const peMachines = new Map([
  [0x8664, 'amd64'],
  [0xaa64, 'arm64'],
] as const);

export function readBinaryFormat(file: Buffer): BinaryFormat {
  if (file.toString('latin1', 0, 4) === '\x7fELF')
    return { format: 'ELF', arch: known(elfMachines.get(file.readUInt16LE(18) as 62)), isSigned: false };
  if (file.readUInt32LE(0) === machO.magic)
    return {
      format: 'Mach-O',
      arch: known(machO.processors.get(file.readUInt32LE(4)) as 'amd64' | undefined),
      isSigned: loadCommands(file).some(({ type }) => type === machO.codeSignature),
    };
  if (file.toString('latin1', 0, 2) === 'MZ') return readPortableExecutable(file);
  throw new Error('This is not an executable for Linux, macOS or Windows.');
}

/** The certificate table is the fifth data directory, after 112 bytes of a PE32+ optional header. */
const certificateTable = 112 + 4 * 8;

function readPortableExecutable(file: Buffer): BinaryFormat {
  const header = file.readUInt32LE(0x3c);
  if (file.toString('latin1', header, header + 4) !== 'PE\0\0')
    throw new Error('This is not an executable for Windows.');
  return {
    format: 'PE',
    arch: known(peMachines.get(file.readUInt16LE(header + 4) as 0x8664)),
    isSigned: file.readUInt32LE(certificateEntry(file)[0] + 4) > 0,
  };
}

/** Node's signature is no longer valid after the program was put inside, and an invalid one is worse than none. */
export function withoutCertificate(file: Buffer): Buffer {
  const unsigned = Buffer.from(file);
  unsigned.fill(0, ...certificateEntry(file));
  return unsigned;
}

function certificateEntry(file: Buffer): [start: number, end: number] {
  const start = file.readUInt32LE(0x3c) + 24 + certificateTable;
  return [start, start + 8];
}

function known<T>(arch: T | undefined): T {
  if (arch === undefined) throw new Error('The executable is for a processor that no release is built for.');
  return arch;
}
