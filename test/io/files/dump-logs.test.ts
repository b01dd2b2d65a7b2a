import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DumpLogs } from '../../../src/io/files/dump-logs.ts';

const need = { namespace: 'storage', pod: 'ctrl-0', container: 'csi-provisioner', needed: 'x' };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

describe('the logs of a dump', () => {
  it.each([
    ['must-gather', 'quay/namespaces/storage/pods/ctrl-0/csi-provisioner/csi-provisioner/logs/current.log'],
    ['support bundle', 'support-bundle/cluster-resources/pods/logs/storage/ctrl-0/csi-provisioner.log'],
    ['support bundle, own collector', 'bundle/csi/ctrl-0/csi-provisioner.log'],
    ['Sonobuoy', 'podlogs/storage/ctrl-0/logs/csi-provisioner.txt'],
  ])('are found where %s puts them', async (_what, path) => {
    write(path, 'one\r\ntwo\n\n');
    expect(await new DumpLogs([directory]).read(need)).toMatchObject({ state: 'complete', lines: ['one', 'two'] });
  });

  it('are looked for only where a file could be one', async () => {
    write('storage/pods.yaml', 'kind: List');
    expect(await new DumpLogs([directory, '-']).holdsAny()).toBe(false);
    write('storage/ctrl-0/logs.txt', '');
    expect(await new DumpLogs([directory]).holdsAny()).toBe(true);
  });

  it('are cut out of the file that kubectl cluster-info dump writes for a pod', async () => {
    write(
      'storage/ctrl-0/logs.txt',
      [
        '==== START logs for container driver of pod storage/ctrl-0 ====',
        'of the driver',
        '==== END logs for container driver of pod storage/ctrl-0 ====',
        '==== START logs for container csi-provisioner of pod storage/ctrl-0 ====',
        'of the provisioner',
        '==== END logs for container csi-provisioner of pod storage/ctrl-0 ====',
      ].join('\n'),
    );
    expect((await new DumpLogs([directory]).read(need)).lines).toEqual(['of the provisioner']);
  });

  it('are unpacked, and those before a restart are told apart', async () => {
    write('pods/logs/storage/ctrl-0/csi-provisioner-previous.log.gz', gzipSync('before\n'));
    const logs = new DumpLogs([directory]);
    expect((await logs.read({ ...need, previous: true })).lines).toEqual(['before']);
    expect(await logs.read(need)).toMatchObject({ state: 'missing', message: 'not in the dump' });
  });

  it('are not those of another pod, container or namespace', async () => {
    for (const path of [
      'storage/ctrl-01/logs.txt',
      'pods/logs/other/a/b/ctrl-0/x.log',
      'a/b/c/d/ctrl-0/csi-provisioner.log',
    ])
      write(path, 'of another');
    expect((await new DumpLogs([directory]).read(need)).state).toBe('missing');
  });

  it('are the last lines of a file that is too long', async () => {
    write('storage/ctrl-0/csi-provisioner.log', Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n'));
    const { lines, isCut } = await new DumpLogs([directory]).read(need);
    expect([lines.length, lines.at(-1), isCut]).toEqual([3000, 'line 4999', true]);
  });
});
