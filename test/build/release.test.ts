import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { signAdHoc } from '../../build/release/ad-hoc-signature.ts';
import { readBinaryFormat, withoutCertificate } from '../../build/release/binary-format.ts';
import { krewManifest } from '../../build/release/krew.ts';
import { checkIntegrity } from '../../build/release/node-binaries.ts';
import { archiveName, platforms } from '../../build/release/platforms.ts';
import { repository } from '../../build/release/project.ts';
import { softwareBill } from '../../build/release/sbom.ts';
import { writeTar } from '../../build/release/tar.ts';
import { writeZip } from '../../build/release/zip.ts';

const date = new Date('2026-02-03T04:05:06Z');
const files = [
  { name: 'program', content: Buffer.from('#!/bin/sh\necho works\n'), isExecutable: true },
  { name: 'LICENSE', content: Buffer.from('x'.repeat(1000)) },
];

/** A Mach-O file with the two segments that signing needs, without a signature. */
function smallMachO(): Buffer {
  const file = Buffer.alloc(0x5010, 7);
  file.fill(0, 0, 0x1000);
  for (const [index, word] of [0xfeedfacf, 0x0100000c, 0, 2, 2, 224, 0, 0].entries())
    file.writeUInt32LE(word, index * 4);
  segment(file, 32, { name: '__TEXT', offset: 0, size: 0x4000, sections: 1 });
  file.writeUInt32LE(0x1000, 32 + 72 + 48);
  segment(file, 184, { name: '__LINKEDIT', offset: 0x4000, size: 0x1010, sections: 0 });
  return file;
}

interface SegmentFields {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly sections: number;
}

function segment(file: Buffer, at: number, { name, offset, size, sections }: SegmentFields): void {
  file.writeUInt32LE(0x19, at);
  file.writeUInt32LE(72 + sections * 80, at + 4);
  file.write(name, at + 8);
  file.writeBigUInt64LE(BigInt(offset), at + 40);
  file.writeBigUInt64LE(BigInt(size), at + 48);
  file.writeUInt32LE(sections, at + 64);
}

/** The pages whose checksums in the code directory are wrong, read from the signature alone. */
function wrongPages(file: Buffer, signature: number): number[] {
  const directory = signature + file.readUInt32BE(signature + 16);
  expect(file.readUInt32BE(signature)).toBe(0xfade0cc0);
  expect(file.readUInt32BE(directory)).toBe(0xfade0c02);
  const hashes = directory + file.readUInt32BE(directory + 16);
  const limit = file.readUInt32BE(directory + 32);
  expect(limit).toBe(signature);
  return Array.from({ length: file.readUInt32BE(directory + 28) }, (_, page) => page).filter((page) => {
    const bytes = file.subarray(page * 4096, Math.min(limit, (page + 1) * 4096));
    const written = file.subarray(hashes + page * 32, hashes + page * 32 + 32);
    return !createHash('sha256').update(bytes).digest().equals(written);
  });
}

describe('archives', () => {
  it('a tar archive is the same each time, and tar unpacks it with its modes', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
    try {
      const archive = writeTar(files, date);
      expect(archive.equals(writeTar(files, date))).toBe(true);
      const unpacked = spawnSync('tar', ['-xf', '-', '-C', directory], { input: archive, encoding: 'utf8' });
      expect(unpacked).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(join(directory, 'LICENSE'), 'utf8')).toBe('x'.repeat(1000));
      expect(statSync(join(directory, 'program')).mode & 0o777).toBe(0o755);
      expect(statSync(join(directory, 'LICENSE')).mtime).toEqual(date);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
  it('a zip archive is the same each time, and its entries inflate to the files', () => {
    const archive = writeZip(files, date);
    expect(archive.equals(writeZip(files, date))).toBe(true);
    const end = archive.length - 22;
    expect(archive.readUInt16LE(end + 10)).toBe(files.length);
    let entry = archive.readUInt32LE(end + 16);
    for (const { name, content } of files) {
      const [packed, length] = [archive.readUInt32LE(entry + 20), archive.readUInt16LE(entry + 28)];
      const data = archive.readUInt32LE(entry + 42) + 30 + length;
      expect(archive.toString('utf8', entry + 46, entry + 46 + length)).toBe(name);
      expect(inflateRawSync(archive.subarray(data, data + packed))).toEqual(content);
      entry += 46 + length;
    }
  });
});

describe('executables', () => {
  it('an ad-hoc signature has the checksum of every page, and the last segment contains it', () => {
    const signed = signAdHoc(smallMachO(), 'kubectl-csi');
    expect(readBinaryFormat(signed)).toEqual({ format: 'Mach-O', arch: 'arm64', isSigned: true });
    expect(wrongPages(signed, 0x5010)).toEqual([]);
    expect(Number(signed.readBigUInt64LE(184 + 48))).toBe(signed.length - 0x4000);
    signed[0x2000] = 0;
    expect(wrongPages(signed, 0x5010)).toEqual([2]);
  });
  it('signing again replaces the signature', () => {
    const signed = signAdHoc(smallMachO(), 'kubectl-csi');
    expect(signAdHoc(signed, 'kubectl-csi').equals(signed)).toBe(true);
  });
  it('the invalid signature of a Windows executable is removed', () => {
    const file = Buffer.alloc(512);
    file.write('MZ');
    file.writeUInt32LE(0x80, 0x3c);
    file.write('PE\0\0', 0x80);
    file.writeUInt16LE(0x8664, 0x84);
    file.writeUInt32LE(99, 0x80 + 24 + 112 + 36);
    expect(readBinaryFormat(file)).toEqual({ format: 'PE', arch: 'amd64', isSigned: true });
    expect(readBinaryFormat(withoutCertificate(file)).isSigned).toBe(false);
  });
  it('a Node with another checksum is refused', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'kubectl-csi-test-')), 'node.tgz');
    writeFileSync(path, 'changed');
    expect(() => checkIntegrity(path, platforms[0]?.node.integrity ?? '')).toThrow('is pinned');
  });
});

describe('manifests', () => {
  it('krew gets every platform with the checksum of its archive', () => {
    const sums = new Map(
      platforms.map((platform, index) => [archiveName(platform, '1.2.3'), String(index).repeat(64)]),
    );
    const manifest = parse(krewManifest('1.2.3', platforms, sums)) as {
      readonly metadata: { readonly name: string };
      readonly spec: {
        readonly version: string;
        readonly platforms: readonly { readonly uri: string; readonly sha256: string }[];
      };
    };
    expect(manifest.metadata.name).toMatch(/^[\w-]+$/);
    expect(manifest.spec.version).toBe('v1.2.3');
    expect(new Map(manifest.spec.platforms.map(({ uri, sha256 }) => [uri.split('/').at(-1), sha256]))).toEqual(sums);
  });
  it('the bill of materials is the same each time and names every Node', () => {
    const libraries = [{ name: '@a/b', version: '1.0.0', license: 'MIT' }];
    const bill = softwareBill('1.2.3', libraries);
    expect(bill).toBe(softwareBill('1.2.3', libraries));
    for (const { node } of platforms) expect(bill).toContain(`pkg:npm/${node.name}@${node.version}`);
    expect(bill).toContain('pkg:npm/%40a/b@1.0.0');
  });
  it('package.json names the same repository', () => {
    const {
      homepage,
      bugs,
      repository: named,
    } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly homepage: string;
      readonly bugs: string;
      readonly repository: { readonly url: string };
    };
    expect([named.url, homepage, bugs]).toEqual([
      `git+${repository}.git`,
      `${repository}#readme`,
      `${repository}/issues`,
    ]);
  });
});
