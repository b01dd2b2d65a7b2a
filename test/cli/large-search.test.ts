import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { benchCluster } from '../../bench/bench-cluster.ts';
import type { BenchSize } from '../../bench/bench-cluster.ts';
import type { Fix, Report } from '../../src/core/report/report.ts';
import { resources } from '../../src/core/kube/resources.ts';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { runProgram } from '../kit/run-program.ts';

const now = new Date('2026-05-06T07:08:09Z');

interface Searched {
  readonly report: Report;
  readonly requests: ApiServer['requests'];
  readonly objects: number;
  readonly rows: number;
  readonly rounds: number;
}

async function search(objects: readonly RawObject[]): Promise<Searched> {
  const server = await startApiServer(
    {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Snapshot',
      takenAt: now.toISOString(),
      source: { type: 'cluster', name: 'large' },
      serverVersion: 'v1.37.1',
      objects,
      observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
    },
    { now: () => now.getTime(), renewsLeases: false },
  );
  onTestFinished(() => server.close());
  const { stdout, stderr } = await runProgram(['why-pending', '-A', '-s', server.url, '-o', 'json', '-v=6']);
  const [, read = '', rows = '', rounds = ''] = /(\d+) objects?, (\d+) rows?, (\d+) rounds?/.exec(stderr) ?? [];
  return {
    report: JSON.parse(stdout) as Report,
    requests: server.requests,
    objects: Number(read),
    rows: Number(rows),
    rounds: Number(rounds),
  };
}

const searchSize = (size: BenchSize): Promise<Searched> => search([...benchCluster(size, now)]);

/**
 * A dump holds volumes that a search never reads: what a fix leads to can be played through further, and more classes are known to be
 * in use. It holds no logs: an account of what was read in them, and added nothing, stands in the live answer only. So does the last
 * fix of a missing class, which says that only the first volumes were searched for one of that class.
 */
function verdictsOf({ items, causes, summary }: Report): unknown {
  const text = JSON.stringify({ items, causes, summary }, (key, value: unknown) => {
    if (key === 'after' || (key === 'logs' && addsNothing(value))) return undefined;
    return key === 'fix' ? (value as readonly Fix[]).filter(({ text }) => !/only the first volumes/.test(text)) : value;
  });
  return JSON.parse(text.replaceAll(/ \(in use\)| --server [^ "]+/g, '')) as unknown;
}

function addsNothing(logs: unknown): boolean {
  return (logs as { readonly effect?: unknown }).effect === 'none';
}

describe('why-pending -A on a large cluster', () => {
  it('reads as many objects in a cluster that is four times as large', async () => {
    const small = await searchSize({ claims: 2000, broken: 8 });
    const large = await searchSize({ claims: 8000, broken: 8 });
    expect(small.rows).toBeGreaterThan(2000);
    expect(large.rows).toBeGreaterThan(8000);
    expect(large.objects).toBe(small.objects);
    expect(large.objects).toBeLessThan(60);
    expect(large.rounds).toBe(small.rounds);
    expect(large.report.causes.map(({ cause }) => cause)).toEqual(small.report.causes.map(({ cause }) => cause));
  });

  it('makes no request that an operator would forbid', async () => {
    const { requests } = await searchSize({ claims: 8000, broken: 20 });
    const lists = requests.filter(({ path }) =>
      /\/(?:persistentvolumeclaims|persistentvolumes|pods|events|nodes|csinodes|leases)$/.test(path),
    );
    expect(lists.filter(({ query }) => query['limit'] === undefined)).toEqual([]);
    // Of what there is one for each claim, pod or node: rows of cells, or a selection.
    expect(
      lists.filter(
        ({ query, path }) =>
          query['includeObject'] !== 'None' && query['fieldSelector'] === undefined && !path.includes('/namespaces/'),
      ),
    ).toEqual([]);
    // What the server has at hand, without a limit, is asked for single names only.
    expect(
      lists
        .filter(({ query }) => query['resourceVersion'] === '0')
        .every(({ query }) => /^metadata\.name=/.test(query['fieldSelector'] ?? '')),
    ).toBe(true);
    expect(requests.length).toBeLessThan(70);
  });

  it('asks for what many claims have in common, not for one after the other', async () => {
    const { requests, report } = await searchSize({ claims: 6000, broken: 300 });
    expect(report.summary).toMatchObject({ blocked: expect.any(Number) });
    expect(report.items).toHaveLength(300 + 225);
    // The broken claims are read by name, so that only they are read in full; a few are tried in another namespace first.
    const single = requests.filter(({ path }) => /\/persistentvolumeclaims\/[^/]+$/.test(path));
    expect(single.length).toBeLessThanOrEqual(330);
    expect(requests.length - single.length).toBeLessThan(60);
  });

  it('judges as from a dump that holds everything', async () => {
    const objects = [...benchCluster({ claims: 1500, broken: 20 }, now)];
    const directory = await mkdtemp(join(tmpdir(), 'large-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await writeFile(join(directory, 'dump.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const { stdout } = await runProgram([
      'why-pending',
      '-A',
      '--from',
      join(directory, 'dump.json'),
      '--complete',
      '--at',
      now.toISOString(),
      '-o',
      'json',
    ]);
    expect(verdictsOf((await search(objects)).report)).toEqual(verdictsOf(JSON.parse(stdout) as Report));
  });

  it('tells claims of one name in many namespaces apart', async () => {
    const objects = [...benchCluster({ claims: 1500, broken: 0 }, now)];
    const [bound] = objects.filter(({ kind }) => kind === 'PersistentVolumeClaim');
    const namesake = (namespace: string, phase: string): RawObject => ({
      ...(bound as RawObject),
      metadata: { name: 'data', namespace, uid: `uid-${namespace}`, creationTimestamp: '2026-05-06T06:00:00Z' },
      spec: {
        ...(bound?.['spec'] as object),
        storageClassName: 'gone',
        ...(phase === 'Pending' && { volumeName: '' }),
      },
      status: { phase },
    });
    const waiting: RawObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'app', namespace: 'team-0003', uid: 'uid-app', creationTimestamp: '2026-05-06T06:00:00Z' },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase: 'Pending' },
    };
    const { report } = await search([
      ...objects,
      ...['team-0000', 'team-0001', 'team-0004'].map((namespace) => namesake(namespace, 'Bound')),
      ...['team-0003', 'team-0005', 'team-0007'].map((namespace) => namesake(namespace, 'Pending')),
      waiting,
    ]);
    expect(report.items.map(({ target }) => `${target.kind} ${target.namespace ?? ''}/${target.name}`)).toEqual([
      'PersistentVolumeClaim team-0003/data',
      'PersistentVolumeClaim team-0005/data',
      'PersistentVolumeClaim team-0007/data',
      'Pod team-0003/app',
    ]);
    expect(report.items.every(({ cause }) => cause === 'sc-missing')).toBe(true);
  });
});
