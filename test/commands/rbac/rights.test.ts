import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rightsOf } from '../../../src/commands/rbac/rights.ts';
import type { RecordedRights } from '../../../src/commands/rbac/rights.ts';
import { planReadings } from '../../../src/io/cluster/reading-plan.ts';
import { commands } from '../../../src/commands/index.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { recordRights } from '../../kit/record-rights.ts';
import type { Place, Recording } from '../../kit/record-rights.ts';
import { recordHelpers, recordServe } from '../../kit/record-serve.ts';
import { recordTui } from '../../kit/record-tui.ts';

const file = join(import.meta.dirname, '../../../src/commands/rbac/rights.json');
const isUpdate = process.env['UPDATE_RIGHTS'] === '1';

/** These ask what other commands ask; test/mcp compares their requests with their rights. */
const askAsOthers = ['mcp'];
/** Commands that ask no cluster for anything, or only their own. */
const readNoCluster = ['version', 'explain', 'causes', 'demo', 'rbac', 'completion', 'completion install'];

/** What a command finds on its own, in the clusters where there is much to find, and once where there is no such namespace. */
const scopes = ({ namespace, isWhole, isDemo }: Place): string[][] => [
  ...(isWhole ? [['-n', namespace], ['-A']] : []),
  ...(isDemo === true ? [['-n', 'no-such-namespace']] : []),
];
/** All pods, and one claim of each cause: the other claims with a cause ask nothing that is not known by then. */
const isPending = ({ target, isWhole, isPlain = false }: Place): boolean =>
  /^pods?\//.test(target) || ((isWhole || isPlain) && /^(pvc|persistentvolumeclaim)\//.test(target));

const isTraced = ({ target }: Place): boolean =>
  /^(pvc|persistentvolumeclaim|pod|pv|va|vs|vsc|volumesnapshot|volumeattachment|persistentvolume|volumesnapshotcontent)\//.test(
    target,
  );

const tables = {
  pvc: 'PersistentVolumeClaim',
  pods: 'Pod',
  pv: 'PersistentVolume',
  sc: 'StorageClass',
  csinodes: 'CSINode',
  attachments: 'VolumeAttachment',
  drivers: 'CSIDriver',
  snapshots: 'VolumeSnapshot',
  capacity: 'CSIStorageCapacity',
};

/** The name of some object of the kind that the namespace can see; there may be none, and that is looked for too. */
function nameOf({ snapshot, namespace }: Place, kind: string): string[] {
  const found = snapshot.objects.find(
    ({ kind: own, metadata }) => own === kind && (metadata.namespace ?? namespace) === namespace,
  );
  return [found?.metadata.name ?? 'none'];
}

/** What is run to find out what a command asks for. A new command needs a line here, then UPDATE_RIGHTS=1. */
const recordings: Readonly<Record<string, Recording>> = {
  'why-pending': {
    over: 'scenarios',
    lines: (place) =>
      isPending(place)
        ? [
            ['why-pending', place.target, '-n', place.namespace, '--logs=never'],
            ...scopes(place).map((scope) => ['why-pending', ...scope, '--logs=never']),
            ...watched(place, 'why-pending'),
          ]
        : [],
  },
  'why-pending --logs': {
    over: 'clusters',
    lines: inDemo('why-pending', 'pvc/warehouse', '-n', 'data', '--logs'),
    beyond: 'why-pending',
  },
  'why --logs': { over: 'clusters', lines: inDemo('why', 'pvc/warehouse', '-n', 'data', '--logs'), beyond: 'why' },
  why: {
    over: 'scenarios',
    lines: (place) => [
      ['why', place.target, '-n', place.namespace, '--logs=never'],
      ...scopes(place).map((scope) => ['why', ...scope, '--logs=never']),
      ...watched(place, 'why'),
    ],
    // One that does not exist is looked for in the same way.
    ownLines: ({ isDemo, namespace }) =>
      isDemo === true
        ? ['sts/orders', 'deploy/web', 'ds/web', 'rs/web', 'job/web', 'cronjob/web'].map((workload) => [
            'why',
            workload,
            '-n',
            namespace,
            '--logs=never',
          ])
        : [],
  },
  status: {
    over: 'clusters',
    lines: (place) => [
      ...scopes(place).map((scope) => ['status', ...scope, '-o', 'wide']),
      ...watched(place, 'status'),
    ],
    diagnosesAs: 'why',
  },
  get: {
    over: 'clusters',
    // What a table joins follows its columns, not what is broken: a few clusters with something in each table are enough.
    lines: (place) =>
      place.isDemo === true || /^(vs|vsc|volumesnapshot)\//.test(place.target)
        ? Object.entries(tables).flatMap(([type, kind]) => [
            ...scopes(place).map((scope) => ['get', type, ...scope, '-o', 'wide']),
            ...nameOf(place, kind).map((name) => ['get', type, name, '-n', place.namespace]),
            ...watched(place, 'get', type),
          ])
        : [],
    // The cause of what does not look healthy.
    diagnosesAs: 'why',
  },
  trace: {
    over: 'causes',
    lines: (place) => [
      ...(isTraced(place) ? [['trace', place.target, '-n', place.namespace]] : []),
      ...watched(place, 'trace', place.target),
    ],
    diagnosesAs: 'why',
  },
  tui: {
    over: 'clusters',
    lines: () => [],
    // As with the tables: what the screen asks beside the diagnosis follows what it shows.
    run: async (place, server, namespace) => {
      if (place.isDemo !== true && !/^(vs|vsc|volumesnapshot)\//.test(place.target)) return;
      const before = server.requests.length;
      const watched = namespace === undefined ? 9 : 6;
      await recordTui(
        server.url,
        namespace,
        { text: place.target, namespace: place.namespace },
        () => server.requests.slice(before).filter(({ query }) => query['watch'] === 'true').length >= watched,
      );
    },
    diagnosesAs: 'why',
  },
  serve: {
    over: 'clusters',
    lines: () => [],
    run: async (place, server, namespace) => {
      if (place.isDemo !== true) return;
      const before = server.requests.length;
      const watched = namespace === undefined ? 9 : 6;
      await recordServe(
        server.url,
        namespace,
        { text: place.target, namespace: place.namespace },
        () => server.requests.slice(before).filter(({ query }) => query['watch'] === 'true').length >= watched,
      );
    },
    diagnosesAs: ['why', 'status', 'check'],
  },
  'serve --auth': {
    over: 'clusters',
    lines: () => [],
    run: async ({ isDemo }, server) => {
      if (isDemo === true) await recordHelpers(server.url, 'auth');
    },
  },
  'serve --lease': {
    over: 'clusters',
    lines: () => [],
    run: async ({ isDemo }, server) => {
      if (isDemo === true) await recordHelpers(server.url, 'lease');
    },
  },
  capture: {
    over: 'clusters',
    lines: (place) =>
      [[place.target], []].flatMap((target) =>
        scopes(place)
          .filter(([scope]) => target.length === 0 || scope === '-n')
          .map((scope) => ['capture', ...target, ...scope, '--dry-run']),
      ),
    diagnosesAs: 'why',
  },
  'capture --logs': {
    over: 'clusters',
    lines: inDemo('capture', 'pvc/warehouse', '-n', 'data', '--logs', '--dry-run'),
    beyond: 'capture',
  },
  check: {
    over: 'clusters',
    lines: (place) => [
      ...scopes(place).map((scope) => ['check', ...scope]),
      ...(place.isDemo === true ? [['check', '-n', place.namespace, '--wait', '5s']] : []),
    ],
    diagnosesAs: 'why',
  },
  wait: {
    over: 'clusters',
    // Long enough to be watching: most of these never come.
    lines: inEachDemo(({ namespace }) =>
      [
        ['pvc/none', '--for=attached'],
        ['pod/none'],
        ['pv/none'],
        ['va/none'],
        ['vs/none'],
        ['vsc/none'],
        [`ns/${namespace}`, '--for=deleted'],
        ['pvc', '--all', '--for=mounted'],
      ].map((words) => ['wait', ...words, '-n', namespace, '--timeout', '2s']),
    ),
    diagnosesAs: 'why',
    isSlow: true,
  },
  preflight: {
    over: 'clusters',
    lines: inEachDemo(({ namespace }) => [
      ['preflight', '-n', namespace, '-f', join(import.meta.dirname, '../preflight/every-kind.yaml')],
    ]),
    diagnosesAs: 'why',
  },
  'what-if': {
    over: 'clusters',
    lines: inEachDemo(({ namespace }) =>
      [
        ['drain', 'worker-1'],
        ['lose', 'zone=zone-a'],
        ['delete', `ns/${namespace}`],
        ['delete', 'sc/fast', 'csidriver/disk.csi.example.com', 'node/worker-2'],
        ['delete', 'vs/data/metrics-nightly', 'pvc/data/metrics'],
        ['scale', 'deploy/storage-system/disk-controller', '--replicas=0'],
        ['apply', '-f', join(import.meta.dirname, '../preflight/every-kind.yaml')],
        ['upgrade', '1.99'],
      ].map((words) => ['what-if', ...words, '-n', namespace]),
    ),
    diagnosesAs: 'why',
  },
  probe: { over: 'clusters', lines: inDemo('probe', '--all-nodes', '--timeout', '1s') },
  'probe --exec': {
    over: 'clusters',
    lines: inDemo('probe', '--all-nodes', '--timeout', '1s', '--exec'),
    beyond: 'probe',
  },
  'probe --create-pods': {
    over: 'clusters',
    lines: inDemo('probe', '--all-nodes', '--timeout', '1s', '--create-pods'),
    beyond: 'probe',
  },
};

/** Once is enough for what is watched: it does not follow what is broken. */
function watched({ namespace, isDemo }: Place, ...words: readonly string[]): string[][] {
  return isDemo === true ? [[...words, '-n', namespace, '--watch']] : [];
}

/** Only there are drivers that can be spoken to. */
function inDemo(...words: readonly string[]): Recording['lines'] {
  return inEachDemo(() => [words]);
}

function inEachDemo(lines: Recording['lines']): Recording['lines'] {
  return (place) => (place.isDemo === true ? lines(place) : []);
}

describe('the rights of the commands', () => {
  it('are those that the commands ask for, no more and no fewer', { timeout: 600_000 }, async () => {
    const asked = await recordRights(recordings);
    if (isUpdate) writeFileSync(file, `${JSON.stringify(asked, null, 2)}\n`);
    const given = JSON.parse(readFileSync(file, 'utf8')) as RecordedRights;
    const listed = (rights: RecordedRights): string[] =>
      Object.entries(rights).flatMap(([command, resources]) =>
        Object.entries(resources).flatMap(([resource, { verbs, elsewhere }]) =>
          verbs.map((verb) => `${command}: ${verb} ${resource}${elsewhere ? ' in other namespaces too' : ''}`),
        ),
      );
    const known = new Set(listed(given));
    const seen = new Set(listed(asked));
    expect({
      'asked for, not in rights.json (UPDATE_RIGHTS=1 writes it)': [...seen].filter((line) => !known.has(line)),
      'in rights.json, never asked for': [...known].filter((line) => !seen.has(line)),
    }).toEqual({
      'asked for, not in rights.json (UPDATE_RIGHTS=1 writes it)': [],
      'in rights.json, never asked for': [],
    });
  });

  it('are recorded for every command that reads a cluster', () => {
    expect(
      Object.keys(commands).filter(
        (id) => ![...readNoCluster, ...askAsOthers].includes(id) && recordings[id] === undefined,
      ),
    ).toEqual([]);
  });

  it('only ever read, unless a flag that creates something was named', () => {
    const rights = Object.keys(recordings)
      .filter((key) => !key.includes(' '))
      .flatMap((command) => rightsOf([command]));
    const changing = rights.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
    // A stream into a pod is opened with the right to create, though nothing is created.
    expect(changing.map(({ resource }) => resource)).toEqual(['pods/portforward']);
    expect(rightsOf(['probe'], ['exec']).map(({ resource }) => resource)).toContain('pods/exec');
    expect(
      rightsOf(['probe'], ['create-pods'])
        .filter(({ resource, verbs }) => resource === 'pods' && verbs.includes('create'))
        .map(({ verbs }) => verbs),
    ).toEqual([['create', 'delete']]);
  });

  it('hold no right to list secrets, since nothing ever lists them', () => {
    const [secrets] = rightsOf(['why']).filter(({ resource }) => resource === 'secrets');
    expect(secrets?.verbs).toEqual(['get']);
    const needs = Array.from({ length: 50 }, (_, index) => ({
      kind: 'Secret' as const,
      scope: { namespace: `team-${index}`, name: 'credentials' },
      needed: '',
    }));
    expect(planReadings(needs, () => false).map(({ scope }) => scope.name)).toEqual(
      needs.map(({ scope }) => scope.name),
    );
  });

  it('hold the right to list whatever is read by name, since many names are read as one list', () => {
    const needs = Array.from({ length: 50 }, (_, index) => ({
      kind: 'VolumeAttributesClass' as const,
      scope: { name: `gold-${index}` },
      needed: '',
    }));
    expect(planReadings(needs, () => false).map(({ scope }) => scope)).toEqual([{}]);
    expect(rightsOf(['why']).find(({ resource }) => resource === 'volumeattributesclasses')?.verbs).toEqual([
      'get',
      'list',
    ]);
  });

  it('say of every one what it tells', () => {
    expect(
      rightsOf(Object.keys(commands), ['exec', 'create-pods'])
        .filter(({ tells }) => tells === '')
        .map(({ resource }) => resource),
    ).toEqual([]);
  });

  it('cover every kind that is known', () => {
    const covered = new Set(rightsOf(Object.keys(commands)).map(({ resource }) => resource));
    // Roles are looked at in dumps that hold them, and never read from a cluster: few accounts may.
    const onlyInDumps = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
    expect(resources.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual(onlyInDumps);
  });
});
