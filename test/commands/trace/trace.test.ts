import { asSentence } from '../../../src/core/kube/sentence.ts';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { runProgram } from '../../kit/run-program.ts';
import { attachStuck, delayedLife, events, snapshotWith, withoutRecords } from '../../core/survey/trace-samples.ts';

const dump = (name: string): string => fileURLToPath(new URL(`../../truth/${name}/cluster.yaml`, import.meta.url));

let server: ApiServer | undefined;
const start = async (snapshot = snapshotWith(undefined, events), options?: ApiServerOptions): Promise<ApiServer> =>
  (server = await startApiServer(snapshot, options));
afterEach(() => server?.close());

describe('trace on a cluster', () => {
  it('tells a healthy life and ends with 0, reading only', async () => {
    const { url, requests } = await start();
    const { exitCode, stdout, stderr } = await runProgram(['trace', 'data', '-n', 'shop', '-s', url]);
    expect(stdout).toMatch(/^pvc\/data {2}namespace shop {2}Bound\n/);
    expect(stdout).toMatch(/\+45s +scheduler +chose node-a for pvc\/data\n/);
    expect(stdout).toMatch(/where the time went {2}38s in all\n/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    // Nothing is asked twice.
    expect(new Set(requests.map(({ path, query }) => JSON.stringify([path, query]))).size).toBe(requests.length);
  });

  it('answers for what does not exist as why does, with near names', async () => {
    const { url } = await start();
    expect(await runProgram(['trace', 'dta', '-n', 'shop', '-s', url])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: pvc/dta does not exist in namespace shop.\n  Did you mean "data"?\n',
    });
  });

  it('ends with 3 and names what it may not read', async () => {
    const { url } = await start(snapshotWith(attachStuck), {
      faults: { deny: (kind) => ['PersistentVolume', 'VolumeAttachment', 'CSINode'].includes(kind) },
    });
    const { exitCode, stdout } = await runProgram(['trace', 'pod/web-0', '-n', 'shop', '-s', url]);
    expect(stdout).toMatch(/\? volume +pvc-\S+\n? +could not be read/);
    expect(stdout).toContain('could not read persistentvolumes (forbidden)');
    expect(exitCode).toBe(3);
  });

  it('prints again when something happens, and ends at Ctrl-C with 130', async () => {
    const { url, apply } = await start(snapshotWith(withoutRecords));
    const pod = delayedLife.find(({ kind }) => kind === 'Pod');
    let step = 0;
    const { exitCode, stdout } = await runProgram(['trace', 'data', '-w', '-n', 'shop', '-s', url], {
      onOutput: (printed, _errors, kill) => {
        if (step === 0 && printed.includes('where the time went')) {
          step = 1;
          apply({
            ...pod!,
            metadata: { ...pod!.metadata, deletionTimestamp: '2026-03-01T11:59:00Z', deletionGracePeriodSeconds: 30 },
          });
        } else if (step === 1 && printed.includes('is to be deleted')) {
          step = 2;
          kill('SIGINT');
        }
      },
    });
    expect(stdout.match(/^timeline /gm)).toHaveLength(2);
    expect(exitCode).toBe(130);
  });
});

describe('trace of a dump', () => {
  it('points at the broken link and says how to see the fix', async () => {
    const { exitCode, stdout } = await runProgram(['trace', 'pod', 'app', '--from', dump('attacher-down')]);
    expect(stdout).toMatch(/✖ attacher .*← broken here\n/);
    expect(stdout).toMatch(
      /evidence and fix: kubectl csi why pod\/app -n shop --from \S+attacher-down\/cluster\.yaml\n/,
    );
    expect(stdout).toMatch(/· {2}2m nothing: waited for the attacher of hostpath\.csi\.k8s\.io\n/);
    expect(exitCode).toBe(1);
  });

  it('is one document of the kind Trace, in JSON and in YAML', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((format) => runProgram(['trace', 'cache', '--from', dump('healthy'), '-o', format])),
    );
    const trace = JSON.parse(json?.stdout ?? '') as Record<string, unknown>;
    expect(trace).toMatchObject({
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Trace',
      target: { namespace: 'shop', name: 'cache' },
      verdict: { status: 'healthy' },
      start: { object: { name: 'cache' } },
    });
    expect(parse(yaml?.stdout ?? '')).toEqual(trace);
    expect([json?.exitCode, yaml?.exitCode]).toEqual([0, 0]);
  });

  it('does not take a wait by design for a fault', async () => {
    const { exitCode, stdout } = await runProgram(['trace', 'data', '--from', dump('wffc-no-pod')]);
    expect(stdout).toContain('Waiting: wffc-no-consumer');
    expect(stdout).not.toContain('broken here');
    expect(exitCode).toBe(0);
  });
});

describe('the words of trace', () => {
  it.each([
    [[], 'The object to trace is missing'],
    [['a', 'b'], 'Only one object can be traced at a time, not 2'],
    [['sc/fast'], 'This command does not support storageclass'],
    [['data', '-w', '--from', 'x'], '--watch cannot be combined with --from'],
  ])('%j: %s', async (words, message) => {
    const { exitCode, stdout, stderr } = await runProgram(['trace', ...words]);
    expect(stderr).toContain(`error: ${asSentence(message)}\n`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});
