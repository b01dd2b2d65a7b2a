import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readFiles } from '../../../src/io/files/read-files.ts';
import type { Kind } from '../../../src/core/kube/kinds.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { tarOf } from '../../attack/hostile-dumps/archives.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const claim = (name: string, namespace = 'shop', more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, ...more },
  status: { phase: 'Pending' },
});
const node = (name: string, version = 'v1.36.4'): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { nodeInfo: { kubeletVersion: version } },
});
const list = (items: readonly object[], kind = 'List'): object => ({
  apiVersion: 'v1',
  items,
  kind,
  metadata: { resourceVersion: '' },
});
const bare = ({ apiVersion: _, kind: __, ...rest }: Record<string, unknown>): object => rest;

const names = (snapshot: Snapshot): string[] =>
  snapshot.objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const seen = (snapshot: Snapshot, kind: Kind): string[] =>
  snapshot.observations
    .filter((observation) => observation.kind === kind)
    .map(({ scope, state }) => `${scope.namespace ?? '*'} ${state}`);
const failure = (path: string | readonly string[]): Promise<{ name: string; message: string; next: string }> =>
  readFiles(typeof path === 'string' ? [path] : path).then(
    () => ({ name: '', message: 'worked', next: '' }),
    (error: { name: string; message: string; next: string }) => error,
  );

describe('what kubectl get writes', () => {
  const dump = list([
    claim('data'),
    claim('logs', 'blog'),
    node('a'),
    { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'x' } },
  ]);
  const json = JSON.stringify(dump, null, 4);
  const yaml = stringify(dump, { indentSeq: false });

  it.each([
    ['JSON', json],
    ['YAML', yaml],
    ['YAML with indented lists', stringify(dump)],
    [
      'YAML that only a full parser reads',
      stringify(dump, { defaultStringType: 'QUOTE_DOUBLE' }).replace('items:', 'items: # all of them'),
    ],
    ['YAML with Windows line ends', yaml.replaceAll('\n', '\r\n')],
    ['UTF-16 of PowerShell', Buffer.from(`\uFEFF${yaml}`, 'utf16le')],
    ['UTF-8 with a byte order mark', `\uFEFF${json}`],
    ['gzip', gzipSync(yaml)],
    [
      'documents',
      `---\n${stringify(claim('data'))}---\n# note\n${stringify(claim('logs', 'blog'))}---\n${stringify(node('a'))}...\n`,
    ],
    [
      'JSON documents, one after another',
      `${JSON.stringify(claim('data'))}\n${JSON.stringify(list([claim('logs', 'blog'), node('a')]))}`,
    ],
    [
      'the output of cluster-info dump',
      `${JSON.stringify(list([bare(node('a') as never)], 'NodeList'))}\n==== START logs for container x ====\n{"not": json\n==== END logs for container x ====\n${JSON.stringify(list([claim('data'), claim('logs', 'blog')]))}\n`,
    ],
  ])('is read as %s', async (_, content) => {
    const snapshot = await readFiles([write('dump', content)]);
    expect(names(snapshot).sort()).toEqual(['Node/a', 'PersistentVolumeClaim/data', 'PersistentVolumeClaim/logs']);
    expect(snapshot).toMatchObject({ source: { type: 'files', name: 'dump' }, serverVersion: 'v1.36.4' });
  });

  it('comes from standard input too', async () => {
    const snapshot = await readFiles(['-'], { stdin: Readable.from([json.slice(0, 50), json.slice(50)]) });
    expect(snapshot.objects).toHaveLength(3);
    expect(snapshot.source.name).toBe('standard input');
  });

  it('leaves out kinds of other groups that share a name', async () => {
    expect(
      names(
        await readFiles([
          write(
            'dump',
            JSON.stringify(
              list([
                node('a'),
                { apiVersion: 'longhorn.io/v1beta2', kind: 'Node', metadata: { name: 'l', namespace: 'x' } },
              ]),
            ),
          ),
        ]),
      ),
    ).toEqual(['Node/a']);
  });

  it('never keeps the contents of a secret', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: 's', namespace: 'shop', annotations: { x: 'hunter2' }, managedFields: [] },
      data: { a: 'hunter2' },
      stringData: { b: 'hunter2' },
    };
    const snapshot = await readFiles([write('dump', JSON.stringify(secret))]);
    expect(JSON.stringify(snapshot)).not.toContain('hunter2');
    expect(snapshot.objects).toEqual([
      { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name: 's', namespace: 'shop' } },
    ]);
  });

  it('given several times is merged, the newer version winning', async () => {
    const old = write(
      'a.json',
      JSON.stringify(claim('data', 'shop', { resourceVersion: '99', labels: { at: 'old' } })),
    );
    const recent = write(
      'b.json',
      JSON.stringify(claim('data', 'shop', { resourceVersion: '100', labels: { at: 'new' } })),
    );
    for (const paths of [
      [old, recent],
      [recent, old],
    ])
      expect((await readFiles(paths)).objects).toMatchObject([{ metadata: { labels: { at: 'new' } } }]);
  });
});

describe('what a dump covers', () => {
  it('is all namespaces when a list holds several', async () => {
    const snapshot = await readFiles([
      write('dump', JSON.stringify(list([claim('a'), claim('b', 'blog'), node('n')]))),
    ]);
    expect(seen(snapshot, 'PersistentVolumeClaim')).toEqual(['* complete']);
    expect(seen(snapshot, 'Node')).toEqual(['* complete']);
    expect(snapshot.observations).toContainEqual({
      kind: 'StorageClass',
      scope: {},
      state: 'unread',
      message: 'not in the dump',
    });
  });

  it('is one namespace when a list holds one, even beside cluster-scoped kinds', async () => {
    const snapshot = await readFiles([write('dump', JSON.stringify(list([claim('a'), node('n')])))]);
    expect(seen(snapshot, 'PersistentVolumeClaim')).toEqual(['shop complete', '* unread']);
  });

  it('is the namespace of each kind when no kind has objects of several: such lists may have been merged', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'dns', namespace: 'kube-system' } };
    const snapshot = await readFiles([write('dump', JSON.stringify(list([claim('a'), pod])))]);
    expect(seen(snapshot, 'PersistentVolumeClaim')).toEqual(['shop complete', '* unread']);
    expect(seen(snapshot, 'Pod')).toEqual(['kube-system complete', '* unread']);
  });

  it('is only what it holds for a page of a list that goes on', async () => {
    for (const metadata of [{ continue: 'eyJ2Ijoi' }, { remainingItemCount: 7 }]) {
      const page = { ...list([claim('a'), claim('b', 'blog')], 'PersistentVolumeClaimList'), metadata };
      expect(seen(await readFiles([write('dump', JSON.stringify(page))]), 'PersistentVolumeClaim')).toEqual([
        '* partial',
      ]);
    }
    const last = { ...list([claim('a'), claim('b', 'blog')]), metadata: { continue: '', remainingItemCount: 0 } };
    expect(seen(await readFiles([write('dump', JSON.stringify(last))]), 'PersistentVolumeClaim')).toEqual([
      '* complete',
    ]);
  });

  it('is only what it holds for a list without an object that another one proves to exist', async () => {
    const running = (name: string, namespace: string, claimName: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { nodeName: 'a', volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const csiNode = (name: string): object => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
    });
    const pods = [running('web', 'shop', 'a'), running('wiki', 'blog', 'b')];
    const whole = [claim('a'), claim('b', 'blog'), node('a'), csiNode('a'), ...pods];
    const without = async (name: string, kind: Kind): Promise<string[]> => {
      const items = whole.filter((object) => {
        const { kind: itsKind, metadata } = object as { kind: string; metadata: { name: string } };
        return itsKind !== kind || metadata.name !== name;
      });
      return seen(await readFiles([write('dump', JSON.stringify(list([...items, node('other')])))]), kind);
    };
    expect(await without('', 'PersistentVolumeClaim')).toEqual(['* complete']);
    expect(await without('b', 'PersistentVolumeClaim')).toEqual(['* partial']);
    expect(await without('', 'Node')).toEqual(['* complete']);
    expect(await without('a', 'Node')).toEqual(['* partial']);
  });

  it('is itself alone for a single object', async () => {
    expect(seen(await readFiles([write('dump', JSON.stringify(claim('a')))]), 'PersistentVolumeClaim')).toEqual([
      '* partial',
    ]);
  });

  it('is everything when the user says so', async () => {
    const snapshot = await readFiles([write('dump', JSON.stringify(claim('a')))], { complete: true });
    expect(new Set(snapshot.observations.map(({ state }) => state))).toEqual(new Set(['complete']));
  });
});

describe('directories', () => {
  it('of kubectl cluster-info dump', async () => {
    write('nodes.json', JSON.stringify(list([bare(node('a') as never)], 'NodeList')));
    write(
      'shop/pods.json',
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: [{ metadata: { name: 'web-0', namespace: 'shop' } }],
      }),
    );
    write(
      'shop/replication-controllers.json',
      JSON.stringify({ kind: 'ReplicationControllerList', apiVersion: 'v1', items: [] }),
    );
    write('shop/web-0/logs.txt', '==== START logs');
    write('blog/pods.json', JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] }));
    const snapshot = await readFiles([directory]);
    expect(names(snapshot)).toEqual(['Node/a', 'Pod/web-0']);
    expect(seen(snapshot, 'Pod').sort()).toEqual(['* unread', 'blog complete', 'shop complete']);
  });

  it('of must-gather, where each namespace has its files', async () => {
    for (const name of ['shop', 'blog'])
      write(
        `gather/namespaces/${name}/${name}.yaml`,
        stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      );
    write(
      'gather/namespaces/shop/core/persistentvolumeclaims.yaml',
      stringify(list([claim('data')], 'PersistentVolumeClaimList')),
    );
    write('gather/namespaces/blog/core/persistentvolumeclaims.yaml', stringify(list([], 'PersistentVolumeClaimList')));
    write('gather/cluster-scoped-resources/core/nodes/a.yaml', stringify(node('a')));
    write('gather/cluster-scoped-resources/core/nodes/b.yaml', stringify(node('b', 'v1.37.0')));
    const snapshot = await readFiles([directory]);
    expect(seen(snapshot, 'Node')).toEqual(['* complete']);
    expect(seen(snapshot, 'PersistentVolumeClaim')).toEqual(['* complete']);
    expect(snapshot.serverVersion).toBe('v1.37.0');
  });

  it('of a support bundle, whose lists lack kinds', async () => {
    write(
      'cluster-resources/pvcs/shop.json',
      JSON.stringify(list([bare(claim('data') as never)], 'PersistentVolumeClaimList')),
    );
    write('cluster-resources/pvs.json', JSON.stringify([{ metadata: { name: 'pv-1' } }]));
    write('cluster-resources/storage-classes.json', JSON.stringify([{ metadata: { name: 'fast' } }]));
    write('cluster-resources/pods/shop.json', JSON.stringify([{ metadata: { name: 'web-0', namespace: 'shop' } }]));
    write('cluster-resources/pvs-errors.json', JSON.stringify(['forbidden']));
    write('cluster-info/cluster_version.json', JSON.stringify({ info: { gitVersion: 'v1.35.1' }, string: 'v1.35.1' }));
    const snapshot = await readFiles([directory]);
    expect(names(snapshot).sort()).toEqual([
      'PersistentVolume/pv-1',
      'PersistentVolumeClaim/data',
      'Pod/web-0',
      'StorageClass/fast',
    ]);
    expect(snapshot.serverVersion).toBe('v1.35.1');
    expect(seen(snapshot, 'PersistentVolume')).toEqual(['* complete']);
  });

  it('may hold lists that are not of Kubernetes, which make nothing unread', async () => {
    write('nodes.json', JSON.stringify(list([node('a')])));
    write('analysis.json', JSON.stringify([{ target: 'pvc/data', status: 'blocked' }, { target: 'pod/web' }]));
    const snapshot = await readFiles([directory]);
    expect(names(snapshot)).toEqual(['Node/a']);
    expect(snapshot.observations.filter(({ state }) => state === 'failed')).toEqual([]);
  });

  it('with one damaged file say which kind could not be read', async () => {
    write('nodes.json', JSON.stringify(list([node('a')])));
    write('shop/pods.json', '{"kind":"PodList","items":[{"metadata":');
    const snapshot = await readFiles([directory]);
    expect(snapshot.observations).toContainEqual({
      kind: 'Pod',
      scope: { namespace: 'shop' },
      state: 'failed',
      message: 'pods.json: ends in the middle (line 1)',
    });
  });

  it('without anything to read are refused', async () => {
    write('notes.txt', 'hello');
    expect((await failure(directory)).message).toMatch(/contains no \.yaml or \.json file$/);
  });
});

describe('a capture', () => {
  const capture = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-11-16T01:00:00Z',
    source: { type: 'cluster', name: 'east' },
    serverVersion: 'v1.36.4',
    objects: [claim('data')],
    observations: [
      { kind: 'Node', scope: {}, state: 'denied', message: 'no' },
      { kind: 'PersistentVolumeClaim', scope: { namespace: 'shop' }, state: 'complete' },
    ],
  };

  it.each([
    ['JSON', JSON.stringify(capture)],
    ['YAML', stringify(capture)],
  ])('in %s is taken with its clock and observations', async (_, content) => {
    const snapshot = await readFiles([write('capture', content)]);
    expect(snapshot).toMatchObject({
      takenAt: capture.takenAt,
      serverVersion: 'v1.36.4',
      source: { type: 'capture', name: 'capture' },
    });
    expect(snapshot.observations).toEqual(expect.arrayContaining(capture.observations));
    expect(seen(snapshot, 'PersistentVolumeClaim')).toContain('shop complete');
  });

  it('of a later format is refused', async () => {
    expect(
      (await failure(write('capture', JSON.stringify({ ...capture, apiVersion: 'csi.kubectl.dev/v2' })))).message,
    ).toContain('csi.kubectl.dev/v2');
  });
});

describe('the clock of a dump', () => {
  it('is its newest timestamp, not a deletion that lies ahead', async () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'x', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { renewTime: '2026-11-16T02:00:00.250000Z' },
    };
    const dump = JSON.stringify(list([lease, claim('data', 'shop', { deletionTimestamp: '2027-01-01T00:00:00Z' })]));
    expect((await readFiles([write('dump', dump)])).takenAt).toBe('2026-11-16T02:00:00.250Z');
    expect((await readFiles([write('dump', dump)], { at: '2026-12-01T00:00:00+01:00' })).takenAt).toBe(
      '2026-11-30T23:00:00.000Z',
    );
    await expect(readFiles([write('dump', dump)], { at: 'yesterday' })).rejects.toThrow(
      '--at "yesterday" is not a time',
    );
  });
});

describe('a dump of objects that have not changed for long', () => {
  const old = claim('data', 'shop', { creationTimestamp: '2026-01-01T00:00:00Z' });
  const written = new Date('2026-01-05T00:00:00Z');

  it('has the time of its file, never an age of 0s', async () => {
    const path = write('dump.json', JSON.stringify(old));
    utimesSync(path, written, written);
    expect((await readFiles([path])).takenAt).toBe('2026-01-05T00:00:00.000Z');
    const packed = write('dump.yaml.gz', gzipSync(stringify(old)));
    utimesSync(packed, written, written);
    expect((await readFiles([packed])).takenAt).toBe('2026-01-05T00:00:00.000Z');
  });

  it('is current when it comes through a pipe', async () => {
    const before = Date.now();
    const { takenAt } = await readFiles(['-'], { stdin: Readable.from([JSON.stringify(old)]) });
    expect(Date.parse(takenAt)).toBeGreaterThanOrEqual(before);
  });

  it('keeps a time that is later than its file', async () => {
    const path = write(
      'dump.json',
      JSON.stringify(claim('data', 'shop', { creationTimestamp: '2026-02-01T00:00:00Z' })),
    );
    utimesSync(path, written, written);
    expect((await readFiles([path])).takenAt).toBe('2026-02-01T00:00:00.000Z');
  });
});

describe('what a reader of a dump is told', () => {
  const notesOf = async (...paths: string[]): Promise<string[]> => {
    const notes: string[] = [];
    await readFiles(paths, { onNote: (line) => notes.push(line) });
    return notes;
  };

  it('is that an object is in it in several versions, but not that it is there twice', async () => {
    const at = (resourceVersion: string, phase: string): string =>
      JSON.stringify({ ...claim('data', 'shop', { resourceVersion }), status: { phase } });
    const [a, b] = [write('a.json', at('99', 'Bound')), write('b.json', at('100', 'Pending'))];
    expect(await notesOf(a, b)).toEqual([
      'persistentvolumeclaim/data in namespace shop is in the dump in several versions: the latest resourceVersion is used',
    ]);
    expect(await notesOf(a, a)).toEqual([]);
  });

  it('is every file that could have held objects; what it does not hold is then not known to be absent', async () => {
    write('nodes.json', JSON.stringify(list([node('a')])));
    expect(seen(await readFiles([directory]), 'Node')).toEqual(['* complete']);
    symlinkSync('nowhere', join(directory, 'more.json'));
    expect(await notesOf(directory)).toEqual([
      `not read: ${join(directory, 'more.json')} is a link to a file that does not exist`,
    ]);
    expect(seen(await readFiles([directory]), 'Node')).toEqual(['* failed']);
  });

  it('is an archive inside an archive; one in a directory is read', async () => {
    const nodes = { name: 'nodes.json', content: JSON.stringify(list([node('a')])) };
    write('bundle.tgz', gzipSync(tarOf([nodes])));
    expect(seen(await readFiles([directory]), 'Node')).toEqual(['* complete']);
    const inner = { name: 'inner.zip', content: 'PK' };
    const path = write('outer.tar', tarOf([nodes, inner]));
    expect(await notesOf(path)).toEqual([`not read: ${path}:inner.zip is an archive inside an archive`]);
    expect(seen(await readFiles([path]), 'Node')).toEqual(['* failed']);
  });
});

describe('a file that cannot be used is one sentence', () => {
  const yaml = stringify(list([claim('a'), claim('b')]), { indentSeq: false });
  it.each([
    ['is empty', '', /is empty$/],
    ['is blank', ' \n\n', /is empty$/],
    ['is a table', 'NAME   STATUS   VOLUME\ndata   Pending\n', /is the table that kubectl get prints$/],
    [
      'is a kind Table',
      JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] }),
      /is a Table, which has columns but no objects$/,
    ],
    [
      'is from describe',
      'Name:          data\nNamespace:     shop\nStatus:        Pending\n',
      /is the text that kubectl describe prints$/,
    ],
    ['is binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), /is a binary file$/],
    ['is a log', 'I1116 02:00:00.000000       1 controller.go:1] hello\n', /is a log$/],
    ['is an error message', 'Error from server (Forbidden): no\n', /contains an error message of kubectl$/],
    ['is prose', 'hello there\n', /is plain text, not Kubernetes objects$/],
    ['is other JSON', '{"a": 1}', /contains no Kubernetes object$/],
    ['is another list', '[{"a": 1}]', /is a list of something other than Kubernetes objects$/],
    [
      'holds other objects only',
      JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' } }),
      /contains 1 Kubernetes object, but none related to storage$/,
    ],
    [
      'is JSON cut short',
      JSON.stringify(list([claim('a')]), null, 2).slice(0, 120),
      /ends in the middle \(line \d+\): the copy may have been interrupted$/,
    ],
    ['is YAML cut short inside a line', yaml.slice(0, yaml.lastIndexOf('phase') - 20), /ends in the middle/],
    ['is YAML cut short at a line', yaml.slice(0, yaml.indexOf('kind: List')), /ends in the middle \(line \d+\)/],
    ['is broken YAML', 'a: b\n c: [\nd: e\nf: g\nh: i\n', /is damaged: not valid YAML \(line \d\)$/],
    ['is cut gzip', gzipSync(yaml).subarray(0, 60), /ends in the middle/],
    [
      'is a report',
      JSON.stringify({ apiVersion: 'csi.kubectl.dev/v1', kind: 'Report', items: [] }),
      /is a report, not the objects it is based on$/,
    ],
  ])('when it %s', async (_, content, sentence) => {
    const path = write('dump', content);
    const error = await failure(path);
    expect(error.message).toMatch(sentence);
    expect(error).toMatchObject({ name: 'UserError', next: expect.stringMatching(/./) });
    expect(error.message.split('\n')).toHaveLength(1);
  });

  it('when it is not there', async () => {
    expect((await failure('/nonexistent/dump.yaml')).message).toBe('the path /nonexistent/dump.yaml does not exist');
  });
});

describe('a large dump', () => {
  it('of 20 MB is read whole, in YAML and in JSON', async () => {
    const item = { ...claim('NAME', 'shop', { annotations: { note: 'x'.repeat(300), long: 'word '.repeat(60) } }) };
    const text = stringify([item], { indentSeq: false });
    const count = Math.ceil(20_000_000 / text.length);
    const yaml = `apiVersion: v1\nitems:\n${Array.from({ length: count }, (_, at) => text.replace('NAME', `c-${at}`)).join('')}kind: List\n`;
    expect((await readFiles([write('big.yaml', yaml)])).objects).toHaveLength(count);
    const json = `{"items":[${Array.from({ length: count }, (_, at) => JSON.stringify(item).replace('NAME', `c-${at}`)).join(',\n')}],"kind":"List","apiVersion":"v1"}`;
    expect((await readFiles([write('big.json', json)])).objects).toHaveLength(count);
  });

  describe('as kubectl prints it', () => {
    const count = 12_000;
    // What looks like the end of an item, inside one; and one item that is larger than any piece.
    const tricky = claim('tricky', 'shop', {
      annotations: { text: '\n        },\n        {\n "ü"', huge: 'x'.repeat(3_000_000) },
    });
    const widget = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'x' } };
    const items = [
      widget,
      ...Array.from({ length: count }, (_, at) => claim(`c-${at}`, 'shop', { annotations: { note: 'x'.repeat(400) } })),
      tricky,
      node('last'),
    ];
    const text = `${JSON.stringify(list(items), null, 4)}\n`;

    it('keeps every object as it is, in order', async () => {
      const snapshot = await readFiles([write('big.json', text)]);
      expect(snapshot.objects).toEqual(items.slice(1));
      expect(snapshot.observations).toEqual((await readFiles([write('big.json.gz', gzipSync(text))])).observations);
    });

    it('may be followed by another document', async () => {
      const snapshot = await readFiles([write('big.json', text + JSON.stringify(node('more'), null, 4))]);
      expect(snapshot.objects).toHaveLength(count + 3);
      expect(names(snapshot).at(-1)).toBe('Node/more');
    });

    it.each([
      ['inside an item', text.slice(0, 5_000_000), /ends in the middle \(line \d+\)/],
      ['between two items', text.slice(0, text.indexOf('        {', 5_000_000)), /ends in the middle \(line \d+\)/],
    ])('is refused when it is cut short %s', async (_, content, sentence) => {
      expect((await failure(write('big.json', content))).message).toMatch(sentence);
    });

    it('is refused with the line when it is broken', async () => {
      expect((await failure(write('big.json', text.replace('"c-9000"', 'c-9000')))).message).toMatch(
        /is damaged: .* \(line \d{6}\)$/,
      );
    });
  });
});
