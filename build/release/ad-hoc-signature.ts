import { createHash } from 'node:crypto';
import { findSegment, firstSectionOffset, loadCommands, machO } from './mach-o.ts';

/** Names and numbers as in Apple's <kern/cs_blobs.h>. */
const superBlobMagic = 0xfade0cc0;
const codeDirectoryMagic = 0xfade0c02;
const codeDirectoryVersion = 0x20400;
const codeDirectoryBytes = 88;
const superBlobBytes = 20;
/** CS_ADHOC and CS_LINKER_SIGNED: a signature as linkers write it, without a certificate. */
const flags = 0x2 | 0x20000;
const sha256 = { type: 2, bytes: 32 } as const;
const pageShift = 12;
const pageBytes = 1 << pageShift;
const mainBinary = 1n;
/** Apple silicon maps files in pages of this size. */
const segmentAlignment = 0x4000;

/**
 * Signs a Mach-O executable ad hoc: the kernel of Apple silicon ends every program whose pages do not have the checksums
 * of its signature, and asks for no certificate. An earlier signature is replaced.
 */
export function signAdHoc(unsigned: Buffer, identifier: string): Buffer {
  const codeLimit = signatureOffset(unsigned);
  const size = signatureBytes(codeLimit, identifier);
  const signed = Buffer.alloc(codeLimit + size);
  unsigned.copy(signed, 0, 0, Math.min(codeLimit, unsigned.length));
  placeSignature(signed, codeLimit, size);
  writeSignature(signed, codeLimit, identifier);
  return signed;
}

function signatureCommand(file: Buffer): number | undefined {
  return loadCommands(file).find(({ type }) => type === machO.codeSignature)?.offset;
}

/** The signature is the last thing in the file. */
function signatureOffset(file: Buffer): number {
  const command = signatureCommand(file);
  return command === undefined ? align(file.length, 16) : file.readUInt32LE(command + 8);
}

function signatureBytes(codeLimit: number, identifier: string): number {
  const pages = Math.ceil(codeLimit / pageBytes);
  return align(superBlobBytes + codeDirectoryBytes + identifier.length + 1 + pages * sha256.bytes, 16);
}

/** The header names the place of the signature, and the last segment contains it. */
function placeSignature(file: Buffer, offset: number, size: number): void {
  const command = signatureCommand(file) ?? addSignatureCommand(file);
  file.writeUInt32LE(offset, command + 8);
  file.writeUInt32LE(size, command + 12);
  const { command: linkEdit, fileOffset } = findSegment(file, '__LINKEDIT');
  const segmentBytes = offset + size - fileOffset;
  file.writeBigUInt64LE(BigInt(align(segmentBytes, segmentAlignment)), linkEdit + 32);
  file.writeBigUInt64LE(BigInt(segmentBytes), linkEdit + 48);
}

function addSignatureCommand(file: Buffer): number {
  const [count, size] = [file.readUInt32LE(16), file.readUInt32LE(20)];
  const command = machO.headerBytes + size;
  if (command + machO.codeSignatureBytes > firstSectionOffset(file))
    throw new Error('The Mach-O header has no room for a signature.');
  file.writeUInt32LE(count + 1, 16);
  file.writeUInt32LE(size + machO.codeSignatureBytes, 20);
  file.writeUInt32LE(machO.codeSignature, command);
  file.writeUInt32LE(machO.codeSignatureBytes, command + 4);
  return command;
}

/** A super blob with one code directory: the identifier and a checksum of every page before the signature. */
function writeSignature(file: Buffer, codeLimit: number, identifier: string): void {
  const pages = Math.ceil(codeLimit / pageBytes);
  const hashOffset = codeDirectoryBytes + identifier.length + 1;
  const directoryBytes = hashOffset + pages * sha256.bytes;
  const text = findSegment(file, '__TEXT');
  const directory = codeLimit + superBlobBytes;
  writeWords(file, codeLimit, [superBlobMagic, superBlobBytes + directoryBytes, 1, 0, superBlobBytes]);
  writeWords(file, directory, [codeDirectoryMagic, directoryBytes, codeDirectoryVersion, flags]);
  writeWords(file, directory + 16, [hashOffset, codeDirectoryBytes, 0, pages, codeLimit]);
  file.set([sha256.bytes, sha256.type, 0, pageShift], directory + 36);
  file.writeBigUInt64BE(BigInt(text.fileOffset), directory + 64);
  file.writeBigUInt64BE(BigInt(text.fileSize), directory + 72);
  file.writeBigUInt64BE(mainBinary, directory + 80);
  file.write(identifier, directory + codeDirectoryBytes, 'latin1');
  for (let page = 0; page < pages; page += 1) {
    const bytes = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, codeLimit));
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(file, directory + hashOffset + page * sha256.bytes);
  }
}

/** Signatures are big-endian, unlike the rest of the file. */
function writeWords(file: Buffer, offset: number, words: readonly number[]): void {
  for (const [index, word] of words.entries()) file.writeUInt32BE(word, offset + index * 4);
}

function align(size: number, to: number): number {
  return Math.ceil(size / to) * to;
}
