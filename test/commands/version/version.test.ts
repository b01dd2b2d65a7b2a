import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';

const client = /^v\d+\.\d+\.\d+/;

describe('version', () => {
  it('prints both versions', async () => {
    const server = await startApiServer(demoSnapshot(new Date()));
    onTestFinished(() => server.close());
    const { exitCode, stdout, stderr } = await runProgram(['version', '-s', server.url]);
    expect(stdout).toMatch(/^Client Version: v\d+\.\d+\.\d+\S*\nServer Version: v1\.\d+\.\d+\S*\n$/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('prints its own where no server answers, and says why in one line', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['version', '-o', 'json', '-s', 'http://127.0.0.1:9']);
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Version',
      clientVersion: expect.stringMatching(client) as unknown,
    });
    expect(stderr).toMatch(/^warning: The version of the server is unknown: .+\n$/);
    expect(exitCode).toBe(0);
  });

  it('asks no server with --client', async () => {
    const { stdout, stderr } = await runProgram(['version', '--client', '--kubeconfig', '/nowhere']);
    expect(stdout).toMatch(/^Client Version: \S+\n$/);
    expect(stderr).toBe('');
  });
});
