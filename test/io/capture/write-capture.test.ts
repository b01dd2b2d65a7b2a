import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeCapture } from '../../../src/io/capture/write-capture.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (name: string): string => join(directory, name);
const bytes = Buffer.from('capture\n');
const isRoot = process.getuid?.() === 0;
const refusal = (path: string, mayReplace = true): Promise<string> =>
  writeCapture(path, bytes, { mayReplace }).then(
    () => 'worked',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('capture -o FILE --force', () => {
  it('replaces a regular file, for its owner alone', async () => {
    writeFileSync(at('a'), 'old');
    chmodSync(at('a'), 0o644);
    await writeCapture(at('a'), bytes, { mayReplace: true });
    expect(readFileSync(at('a'), 'utf8')).toBe('capture\n');
    expect(statSync(at('a')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a']);
  });

  it('writes to /dev/null and leaves the device in its place', async () => {
    for (const mayReplace of [true, false]) await writeCapture('/dev/null', bytes, { mayReplace });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  // Only root may create device nodes.
  it.runIf(isRoot)('never replaces a device node, even through a link', async () => {
    execFileSync('mknod', [at('null'), 'c', '1', '3']);
    symlinkSync(at('null'), at('link'));
    for (const name of ['null', 'link']) await writeCapture(at(name), bytes, { mayReplace: true });
    execFileSync('mknod', [at('disk'), 'b', '7', '250']);
    expect(await refusal(at('disk'))).toContain('which is a block device');
    expect(lstatSync(at('null')).isCharacterDevice()).toBe(true);
    expect(lstatSync(at('disk')).isBlockDevice()).toBe(true);
    expect(readdirSync(directory).sort()).toEqual(['disk', 'link', 'null']);
  });

  it('writes to a FIFO with a reader, and refuses one without', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(await refusal(at('pipe'))).toContain('is a pipe without a reader');
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] });
    let read = 0;
    reader.stdout.on('data', (chunk: Buffer) => (read += chunk.length));
    const large = Buffer.alloc(1_000_000, 'x');
    for (;;) {
      const done = await writeCapture(at('pipe'), large, { mayReplace: true }).then(
        () => true,
        () => false,
      );
      if (done) break;
    }
    await once(reader, 'close');
    expect(read).toBe(large.length);
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('refuses a socket, a directory, a link to nothing and a link to itself', async () => {
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    symlinkSync(at('nothing'), at('dangling'));
    symlinkSync(at('loop'), at('loop'));
    expect(await refusal(at('socket'))).toContain('is a socket');
    expect(await refusal(directory)).toContain('is a directory');
    expect(await refusal(at('dangling'))).toContain('is a link to a file that does not exist');
    expect(await refusal(at('loop'))).toContain('is a link to itself');
    expect(readdirSync(directory).sort()).toEqual(['dangling', 'loop', 'socket']);
    server.close();
  });

  it('follows a link to a file: the link stays, the file is replaced', async () => {
    writeFileSync(at('a'), 'old');
    symlinkSync('a', at('link'));
    expect(await refusal(at('link'), false)).toContain('already exists');
    await writeCapture(at('link'), bytes, { mayReplace: true });
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('a'), 'utf8')).toBe('capture\n');
  });

  // Only root may give a file away.
  it.runIf(isRoot)('keeps the owner of a file that root replaces', async () => {
    writeFileSync(at('a'), 'old');
    chownSync(at('a'), 12_345, 12_345);
    await writeCapture(at('a'), bytes, { mayReplace: true });
    expect(statSync(at('a'))).toMatchObject({ uid: 12_345, gid: 12_345 });
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const controller = new AbortController();
    const writing = writeCapture(at('a'), Buffer.alloc(50_000_000), { mayReplace: true, signal: controller.signal });
    controller.abort();
    await expect(writing).rejects.toThrow();
    expect(readdirSync(directory)).toEqual([]);
  });
});
