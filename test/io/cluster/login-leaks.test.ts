import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';
import { openTlsFront } from '../../kit/tls-front.ts';
import type { TlsFront } from '../../kit/tls-front.ts';

let directory: string;
let server: ApiServer;
let front: TlsFront;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-leaks-'));
  server = await startApiServer(demoSnapshot(new Date()));
  front = await openTlsFront(server.url);
});
afterAll(async () => {
  await front.close();
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const withLogin = (url: string): string => url.replace('//', '//me:hunter2@');

describe('a name and password in the address of a server', () => {
  it.each<[string, readonly string[]]>([
    ['status', []],
    ['status', ['-o', 'json']],
    ['why-pending', ['-A', '-o', 'json']],
    ['check', ['-o', 'junit']],
    ['get', ['pvc', '-A', '-v=9']],
    ['version', ['-v=9']],
    ['rbac', ['--check', '-v=9']],
    ['capture', ['-A', '-o', 'FILE']],
  ])('are not in what %s %s prints or writes', async (command, words) => {
    const file = join(directory, 'capture.json');
    const args = [command, ...words.map((word) => (word === 'FILE' ? file : word))];
    for (const url of [withLogin(front.url), withLogin(server.url), withLogin('https://127.0.0.1:1')]) {
      const { stdout, stderr } = await runProgram([...args, '-s', url, `--certificate-authority=${front.authority}`]);
      expect(stdout + stderr).not.toContain('hunter2');
      expect((stdout + stderr).length).toBeGreaterThan(0);
    }
    if (words.includes('FILE')) expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  });
});
