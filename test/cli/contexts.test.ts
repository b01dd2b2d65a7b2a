import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import type { Report } from '../../src/core/report/report.ts';
import { startClusters, startSilence } from '../kit/many-clusters.ts';
import type { ClusterPlan, ManyClusters, Silence } from '../kit/many-clusters.ts';
import { runProgram } from '../kit/run-program.ts';
import type { Finished } from '../kit/run-program.ts';
import { baseObjects, loadScenario, snapshotOf } from '../kit/scenario.ts';
import { openTlsFront } from '../kit/tls-front.ts';
import type { TlsFront } from '../kit/tls-front.ts';

const crashing = loadScenario('provisioner-crashloop').snapshot;
const classless = loadScenario('sc-missing').snapshot;
const waiting = loadScenario('wffc-no-consumer').snapshot;
const healthy = snapshotOf(baseObjects());

const schemaOf = (name: string): ReturnType<Ajv2020['compile']> =>
  new Ajv2020({ allErrors: true, strictRequired: false, strictTypes: false }).compile(
    JSON.parse(readFileSync(new URL(`../../docs/${name}.schema.json`, import.meta.url), 'utf8')) as object,
  );

/** The document of a run, after it was checked against its schema. */
function documentOf<Document = Report>({ stdout }: Finished, schema = 'report'): Document {
  const document = JSON.parse(stdout) as Document;
  const validate = schemaOf(schema);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
  return document;
}

let many: ManyClusters;
const closing: (() => Promise<void>)[] = [];
const finished = new Map<string, Promise<Finished>>();
/** The same question is put once. */
function run(words: readonly string[], clusters = many): Promise<Finished> {
  const key = JSON.stringify([clusters.kubeconfig, words]);
  const known = finished.get(key) ?? runProgram(words, { env: { KUBECONFIG: clusters.kubeconfig } });
  finished.set(key, known);
  return known;
}

describe('twenty clusters at once', () => {
  const silent = ['eu-04', 'eu-09', 'eu-15'];
  const lost = [...silent, 'eu-06', 'eu-07', 'eu-11'].sort();
  let silences: Silence[];
  let fronts: TlsFront[];

  beforeAll(async () => {
    silences = await Promise.all(silent.map(startSilence));
    const locked = await startClusters([
      { name: 'locked', snapshot: healthy, options: { faults: { token: 'right' } } },
    ]);
    const plain = await startClusters([{ name: 'plain', snapshot: crashing }]);
    fronts = await Promise.all([locked, plain].map(({ servers }) => openTlsFront([...servers.values()][0]?.url ?? '')));
    closing.push(
      () => locked.close(),
      () => plain.close(),
    );
    many = await startClusters(
      Array.from({ length: 20 }, (_, index): ClusterPlan => {
        const name = `eu-${String(index + 1).padStart(2, '0')}`;
        if (silent.includes(name)) return { name, server: silences[silent.indexOf(name)]?.url ?? '' };
        if (name === 'eu-06') return { name, server: 'http://127.0.0.1:1' };
        // 401, behind a certificate that is trusted.
        if (name === 'eu-07')
          return {
            name,
            server: fronts[0]?.url ?? '',
            cluster: { 'certificate-authority': fronts[0]?.authority },
            user: { token: 'a-wrong-token' },
          };
        // A certificate of an unknown authority.
        if (name === 'eu-11') return { name, server: fronts[1]?.url ?? '', user: { token: 'a-secret-token' } };
        if (index < 5) return { name, snapshot: crashing, namespace: 'shop' };
        return { name, snapshot: index % 5 === 0 ? classless : waiting, namespace: 'shop' };
      }),
    );
  });
  afterAll(async () => {
    await many.close();
    await Promise.all([...silences, ...fronts].map((one) => one.close()));
    for (const close of closing) await close();
  });

  it('answers although three of them never do, and names each that it could not read', async () => {
    const { exitCode, stdout, stderr } = await run(['why', '--all-contexts', '-A', '--request-timeout', '3s']);
    // Each of the hung ones was asked, and still hangs.
    for (const silence of silences) expect(silence.count()).toBeGreaterThan(0);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Storage is stuck in 5 of 20 clusters: .* 6\s+clusters could not be read\.$/ms);
    for (const name of lost) expect(stdout).toContain(`? ${name} could not be read: The`);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toMatch(/eu-04 .* did not answer within 3 s/);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toMatch(/eu-06 .* refused the connection/);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toMatch(/eu-07 .* (?:not accept|401|credentials)/);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toMatch(/eu-11 .*certificate/);
    expect(stdout).not.toContain('a-secret-token');
    expect(stdout).not.toContain('a-wrong-token');
  });

  it('folds a cause over clusters, and lists what is in order in one line', async () => {
    const { stdout } = await run(['why', '--all-contexts', '-A', '--request-timeout', '3s']);
    const flat = stdout.replaceAll(/\n\s+/g, ' ');
    expect(flat).toContain('Cause: provisioner-crashloop (certain)  4 claims and 4 pods');
    expect(flat).toContain('In 4 clusters: eu-01, eu-02, eu-03, eu-05');
    expect(flat).toMatch(/Nothing stuck in 9 clusters: eu-08, eu-10, eu-12/);
    expect(stdout.match(/Cause: provisioner-crashloop/g)).toHaveLength(1);
    expect(stdout).toContain('Fix, shown for pvc/data in eu-01');
    expect(stdout).toContain('$ kubectl --context eu-01 -n storage logs ');
  });

  it('prints a report that keeps its contract, whose items, causes and gaps name their cluster', async () => {
    const answer = await run(['why-pending', '--all-contexts', '-A', '--request-timeout', '2s', '-o', 'json']);
    expect(answer.exitCode).toBe(1);
    const report = documentOf(answer);
    expect(report.source).toMatchObject({ type: 'cluster', name: '20 clusters' });
    const { contexts = [] } = report.source;
    expect(contexts.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `eu-${String(index + 1).padStart(2, '0')}`),
    );
    expect(contexts.filter(({ status }) => status === 'unread').map(({ name }) => name)).toEqual(lost);
    expect(report.unread?.map(({ context }) => context).sort()).toEqual(lost);
    const stuck = report.items.filter(({ cause }) => cause === 'provisioner-crashloop');
    expect(stuck.map(({ context }) => context)).toEqual(['eu-01', 'eu-02', 'eu-03', 'eu-05']);
    const fold = report.causes.find(({ cause }) => cause === 'provisioner-crashloop');
    expect(fold?.targets.map(({ context }) => context)).toEqual(['eu-01', 'eu-02', 'eu-03', 'eu-05']);
    for (const { context = '', findings } of report.items)
      for (const { fix } of findings)
        for (const { command = '', commands = [] } of fix)
          for (const one of [command, ...commands].filter((text) => /^kubectl (?!csi explain)/.test(text)))
            expect(one).toContain(`--context ${context} `);
    const sum = contexts.reduce((total, { summary }) => total + (summary?.['blocked'] ?? 0), 0);
    expect(report.summary.blocked).toBe(sum);
  });

  it('ends a cluster at its own total, however long a request may take', async () => {
    const names = ['eu-08', ...silent].join(',');
    const { exitCode, stdout } = await run(['why', '-A', '--contexts', names, '--context-timeout', '2s']);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^Nothing stuck was found in 1 of 4 clusters/);
    for (const name of silent)
      expect(stdout.replaceAll(/\n\s+/g, ' ')).toContain(
        `${name} could not be read: It was not read within 2 s (--context-timeout).`,
      );
  });

  it('fails only where no cluster at all could be read, and names each', async () => {
    const { exitCode, stdout, stderr } = await run(['why', '-A', '--contexts', 'eu-06,eu-07']);
    expect(exitCode).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^eu-06: The server .*\neu-07: .*\nerror: None of 2 clusters could be read\.$/m);
  });

  it.each(['check', 'status'])('%s is one answer for all of them', async (command) => {
    const words = [command, '--all-contexts', '--request-timeout', '2s'];
    const [text, json] = await Promise.all([run(words), run([...words, '-o', 'json'])]);
    expect([text.exitCode, json.exitCode]).toEqual([1, 1]);
    for (const name of lost) expect(text.stdout).toContain(`${name} could not be read`);
    expect(text.stdout.replaceAll(/\n\s+/g, ' ')).toMatch(/in 4 (?:of 20 )?clusters: eu-01, eu-02, eu-03, eu-05/);
    const document = documentOf<Pick<Report, 'source' | 'unread'>>(json, command);
    expect(document.source.contexts?.filter(({ status }) => status === 'unread').map(({ name }) => name)).toEqual(lost);
    expect(document.unread?.flatMap(({ context }) => context ?? [])).toEqual(expect.arrayContaining(lost));
  });

  it('get has a row for each object of each cluster, and says on standard error what is missing', async () => {
    const words = ['get', 'pvc', '-A', '--all-contexts', '--request-timeout', '2s'];
    // Two or three at a time: each waits for the clusters that never answer.
    const [{ exitCode, stdout, stderr }, inJson] = await Promise.all([run(words), run([...words, '-o', 'json'])]);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^CONTEXT +NAMESPACE +NAME +STATUS +CAUSE/);
    expect(stdout).toMatch(/^eu-01 +shop +data +Pending +provisioner-crashloop/m);
    expect(stdout).toMatch(/^eu-08 +shop +data +Pending +waiting:wffc-no-consumer/m);
    for (const name of lost) expect(stderr).toContain(`${name} could not be read`);
    const json = documentOf<{ readonly items: readonly { readonly context: string; readonly name: string }[] }>(
      inJson,
      'get',
    );
    expect(json.items).toContainEqual(expect.objectContaining({ context: 'eu-20', name: 'healthy' }));
    const [named, custom, sorted] = await Promise.all([
      run([...words, '-o', 'name']),
      run([...words, '-o', 'custom-columns=AT:.context,NAME:.name,PHASE:.status.phase', '--no-headers']),
      run([...words, '--sort-by', 'context', '--no-headers', '-o', 'jsonpath={.items[-1].context}']),
    ]);
    expect(named.stdout).toContain('eu-01\tpersistentvolumeclaim/data\n');
    expect(custom.stdout).toMatch(/^eu-01 +data +Pending$/m);
    expect(sorted.stdout).toBe('eu-20\n');
    expect(sorted.stderr).toContain('eu-04 could not be read');
  });

  it('carries the cluster in every format of check', async () => {
    const words = ['check', '--contexts', 'eu-01,eu-02,eu-06,eu-08', '-o'];
    const of = async (format: string): Promise<string> => (await run([...words, format])).stdout;
    const junit = await of('junit');
    expect(junit).toContain('name="pvc/data -n shop --context eu-01"');
    expect(junit).toMatch(/name="--context eu-06 can be read"[^]*?<error type="unread"/);
    expect(junit).toMatch(/name="--context eu-08 can be read"/);
    const prometheus = await of('prometheus');
    expect(prometheus).toContain('kubectl_csi_up{context="eu-01"} 1\n');
    expect(prometheus).toContain('kubectl_csi_up{context="eu-06"} 0\n');
    expect(prometheus).toContain('kubectl_csi_check_passed{context="eu-08"} 1\n');
    expect(prometheus).toMatch(
      /kubectl_csi_stuck\{context="eu-02",cause="provisioner-crashloop",namespace="shop",kind="PersistentVolumeClaim"\} 1/,
    );
    expect(prometheus.match(/# TYPE kubectl_csi_up gauge/g)).toHaveLength(1);
    const github = await of('github');
    expect(github).toMatch(/::error title=provisioner-crashloop::.*in 2 of 4 clusters: eu-01, eu-02/);
    expect(github).toMatch(/::error title=eu-06 could not be read::/);
    const markdown = await of('markdown');
    expect(markdown).toMatch(/\| `eu-06` \|.*could not be read/);
    expect(markdown).toContain('in 2 of 4 clusters: eu-01, eu-02');
    expect(await of('name')).toContain('eu-01\tpersistentvolumeclaim/data\n');
    const html = await of('html');
    expect(html).toContain('<h2 id="clusters">Clusters</h2>');
    expect(html).toContain('eu-01 / shop');
  });

  it.each(['why', 'status'])('%s -o html shows the clusters', async (command) => {
    const { stdout } = await run([
      command,
      '--contexts',
      'eu-01,eu-02,eu-06,eu-08',
      ...(command === 'why' ? ['-A'] : []),
      '-o',
      'html',
    ]);
    expect(stdout).toContain('<h2 id="clusters">Clusters</h2>');
    expect(stdout).toMatch(/eu-06<\/th>[^]*could not be read/);
    expect(stdout).toContain('eu-01');
  });

  it('completes the names of contexts, also behind a comma', async () => {
    const complete = async (...words: string[]): Promise<string> => (await run(['__complete', ...words])).stdout;
    expect(await complete('why', '--contexts', 'eu-1')).toMatch(/^eu-10\neu-11\n.*:6\n$/s);
    expect(await complete('check', '--contexts', 'eu-01,eu-2')).toBe('eu-01,eu-20\n:6\n');
    expect(await complete('get', '--all')).toContain('--all-contexts\t');
  });
});

describe('what is asked of several clusters', () => {
  let small: ManyClusters;
  const elsewhere = {
    ...healthy,
    objects: healthy.objects.filter(({ metadata }) => metadata.namespace !== 'shop' && metadata.name !== 'shop'),
  };

  beforeAll(async () => {
    small = await startClusters([
      { name: 'prod', snapshot: classless, namespace: 'shop' },
      { name: 'stage', snapshot: waiting, namespace: 'shop' },
      { name: 'other', snapshot: elsewhere, namespace: 'storage' },
      { name: 'prod-again', sameAs: 'prod', namespace: 'storage' },
      { name: 'gone', server: 'http://127.0.0.1:1' },
    ]);
  });
  afterAll(() => small.close());
  const ask = (...words: string[]): Promise<Finished> => run(words, small);

  it('is exit 2 with the closest name for an unknown context, and nothing is read', async () => {
    const { exitCode, stdout, stderr } = await ask('why', '--contexts', 'prod,stgae');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      'error: Context "stgae" does not exist.\n  Did you mean "stage"? Run kubectl config get-contexts to list them.\n',
    );
  });

  it.each([
    [['why', '--contexts', 'prod', '--context', 'stage'], '--context cannot be combined with --contexts'],
    [['why', '--contexts', 'prod', '--all-contexts'], '--contexts cannot be combined with --all-contexts'],
    [['why', '--contexts', 'prod,stage', '-w'], '--watch cannot be combined with several contexts'],
    [['status', '--all-contexts', '-w'], '--watch cannot be combined with several contexts'],
    [['get', 'pvc', '--all-contexts', '-w'], '--watch cannot be combined with several contexts'],
    [['check', '--all-contexts', '--wait', '1m'], '--wait cannot be combined with several clusters'],
    [['why', '--contexts', 'prod,stage', '--token', 'x'], '--token cannot be combined with --contexts'],
    [['why', '--all-contexts', '--user', 'prod'], '--user cannot be combined with --all-contexts'],
    [['why', '--all-contexts', '-s', 'https://127.0.0.1:1'], '--server cannot be combined with --all-contexts'],
    [['why', '--all-contexts', '--insecure-skip-tls-verify'], '--insecure-skip-tls-verify cannot be combined'],
    [['why', '--contexts', 'prod', '--from', 'x.yaml'], '--contexts cannot be combined with --from'],
    [['why', '--contexts', ','], '--contexts needs at least one name'],
    [['why', '--context-timeout', '5s'], '--context-timeout needs --contexts or --all-contexts'],
    [['why', '--contexts', 'prod', '--context-timeout', 'soon'], '--context-timeout must be a time'],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stdout, stderr } = await ask(...words);
    expect(stderr).toContain(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it('reads the namespace of each context, and says where one does not exist', async () => {
    const { exitCode, stdout } = await ask('why', '--contexts', 'prod,stage,other', '-n', 'shop');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^Storage is stuck in 1 of 3 clusters \(namespace shop\)/);
    expect(stdout).toContain('In other: Namespace "shop" does not exist.');
    expect(stdout).toContain('Nothing stuck in stage\n');
  });

  it('is exit 2 for a namespace that exists in none of them', async () => {
    const { exitCode, stdout, stderr } = await ask('why', '--contexts', 'prod,stage', '-n', 'shopp');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('In each of 2 clusters: Namespace "shopp" does not exist.');
  });

  it('writes the name of the only one as it is, also at the start of a sentence', async () => {
    const { exitCode, stderr } = await ask('why', '-A', '--contexts', 'gone');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^error: Context "gone" could not be read: The server /);
  });

  it('does not say that something exists nowhere as long as one cluster could not be read', async () => {
    const { exitCode, stdout } = await ask('why', '--contexts', 'prod,gone', '-n', 'shopp', '-o', 'json');
    expect(exitCode).toBe(3);
    expect(documentOf({ exitCode, stdout, stderr: '' }).source.contexts).toMatchObject([
      { name: 'prod', status: 'read', message: 'Namespace "shopp" does not exist.' },
      { name: 'gone', status: 'unread' },
    ]);
  });

  it('answers for a name where it exists, and says where it does not', async () => {
    const { exitCode, stdout } = await ask('why', 'pvc/data', '-n', 'shop', '--contexts', 'prod,stage,other');
    expect(exitCode).toBe(1);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toMatch(
      /In other: (?:Pvc|pvc)\/data does not exist in namespace shop\.|In other: Namespace "shop" does not exist\./,
    );
    const nowhere = await ask('why', 'pvc/dta', '-n', 'shop', '--contexts', 'prod,stage');
    expect(nowhere.exitCode).toBe(2);
    expect(nowhere.stderr).toMatch(/pvc\/dta does not exist in namespace shop/i);
  });

  it('asks a cluster once where two contexts lead to it as the same user, and says so', async () => {
    const { stdout } = await ask('why', '-A', '--contexts', 'prod,prod-again,stage');
    expect(stdout).toMatch(/^Storage is stuck in 1 of 2 clusters/);
    expect(stdout.replaceAll(/\n\s+/g, ' ')).toContain(
      'prod-again: the same cluster and user as prod, and asked only once',
    );
    const { source, items } = documentOf(await ask('why', '-A', '--contexts', 'prod,prod-again', '-o', 'json'));
    expect(source.contexts).toMatchObject([{ name: 'prod' }, { name: 'prod-again', status: 'same', sameAs: 'prod' }]);
    expect(new Set(items.map(({ context }) => context))).toEqual(new Set(['prod']));
    // Their own namespaces are two questions.
    const own = documentOf(await ask('why', '--contexts', 'prod,prod-again', '-o', 'json'));
    expect(own.source.contexts?.map(({ status }) => status)).toEqual(['read', 'read']);
  });

  it('keeps findings of one cluster in a baseline from hiding those of another', async () => {
    const file = join(small.directory, 'baseline.json');
    await ask('check', '--contexts', 'prod', '--write-baseline', file);
    expect(readFileSync(file, 'utf8')).toContain('"context": "prod"');
    const known = await ask('check', '--contexts', 'prod,stage', '--baseline', file);
    expect(known.exitCode).toBe(0);
    const copied = readFileSync(file, 'utf8').replaceAll('"prod"', '"stage"');
    writeFileSync(file, copied);
    const fresh = await ask('check', '--contexts', 'stage,prod', '--baseline', file);
    expect(fresh.exitCode).toBe(1);
  });

  it('offers --contexts in the help of the five commands', async () => {
    for (const command of ['why', 'why-pending', 'check', 'status', 'get']) {
      const { stdout } = await ask(command, '--help');
      expect(stdout).toContain('--contexts=NAMES');
      expect(stdout).toContain('--all-contexts');
    }
    expect((await ask('trace', '--help')).stdout).not.toContain('--contexts');
  });
});

describe('the credentials of one cluster', () => {
  let pair: ManyClusters | undefined;
  let fronts: TlsFront[] = [];
  afterEach(async () => {
    await pair?.close();
    await Promise.all(fronts.map((front) => front.close()));
  });

  it('never reach another: plugins run for each context, and do not ask on the terminal', async () => {
    const servers = await startClusters([
      { name: 'a', snapshot: healthy, options: { faults: { token: 'token-for-cluster-a' } } },
      { name: 'b', snapshot: classless, options: { faults: { token: 'token-for-cluster-b' } } },
    ]);
    closing.push(() => servers.close());
    fronts = await Promise.all([...servers.servers.values()].map(({ url }) => openTlsFront(url)));
    const plugin = join(servers.directory, 'plugin.mjs');
    writeFileSync(
      plugin,
      `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
process.stderr.write('signed in, interactive ' + info.spec.interactive + '\\n');
console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: { token: 'token-for-cluster-' + process.env.NAME } }));
`,
    );
    chmodSync(plugin, 0o755);
    pair = await startClusters(
      ['a', 'b'].map((name, index) => ({
        name,
        server: fronts[index]?.url ?? '',
        cluster: { 'certificate-authority': fronts[index]?.authority },
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: plugin,
            interactiveMode: 'IfAvailable',
            env: [{ name: 'NAME', value: name }],
          },
        },
      })),
    );
    // Each server accepts one token only, so a mixed-up one would be a 401.
    const answer = await run(['why', '-A', '--all-contexts', '-o', 'json'], pair);
    expect(answer.stderr.split('\n').sort()).toEqual([
      '',
      'a: signed in, interactive false',
      'b: signed in, interactive false',
    ]);
    expect(documentOf(answer).source.contexts?.map(({ status }) => status)).toEqual(['read', 'read']);
  });
});

describe('dumps of several clusters', () => {
  const directory = mkdtempSync(join(tmpdir(), 'csi-named-dumps-'));
  const write = (name: string, snapshot: Snapshot, changes: object = {}): string => {
    const path = join(directory, `${name}.json`);
    writeFileSync(path, JSON.stringify({ ...snapshot, source: { type: 'capture', name }, ...changes }));
    return path;
  };
  const otherUids = (snapshot: Snapshot): Snapshot =>
    JSON.parse(JSON.stringify(snapshot), (key, value: unknown) =>
      key === 'uid' && typeof value === 'string' ? `other-${value}` : value,
    ) as Snapshot;
  const prod = write('prod', classless);
  const stage = write('stage', otherUids(crashing), { takenAt: '2026-03-03T12:00:00Z' });
  const alias = write('alias', classless);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('are kept apart by their names, each with its own clock', async () => {
    const words = ['why', '--from', `prod=${prod}`, '--from', `stage=${stage}`];
    const [text, json] = await Promise.all([runProgram(words), runProgram([...words, '-o', 'json'])]);
    expect([text.exitCode, json.exitCode]).toEqual([1, 1]);
    expect(text.stdout).toMatch(/^Storage is stuck in 2 of 2 dumps/);
    expect(text.stdout).toContain('pvc/data  namespace shop  context prod  Pending 14m');
    // Its pod is stuck on the same cause, so both are in one list.
    expect(text.stdout).toMatch(/pvc\/data +context stage +namespace shop +Pending 2d/);
    expect(text.stdout).toContain('$ kubectl --context prod -n shop get pvc data -o yaml > prod.data.pvc.yaml');
    const { source } = documentOf(json);
    expect(source).toMatchObject({
      type: 'capture',
      name: '2 dumps',
      contexts: [
        { name: 'prod', takenAt: '2026-03-01T12:00:00Z' },
        { name: 'stage', takenAt: '2026-03-03T12:00:00Z' },
      ],
    });
    const status = await runProgram(['status', ...words.slice(1)]);
    expect(status.stdout).toMatch(/kubectl csi why \S+(?: -n shop)? --from (?:prod|stage)=/);
  });

  it('are merged where they have the same name', async () => {
    const { source, items } = documentOf(
      await runProgram(['why', '--from', `prod=${prod}`, '--from', `prod=${alias}`, '-o', 'json']),
    );
    expect(source.contexts?.map(({ name }) => name)).toEqual(['prod']);
    expect(items.filter(({ status }) => status === 'blocked')).toHaveLength(1);
  });

  it('are never merged silently', async () => {
    const different = await runProgram(['why', '--from', prod, '--from', stage]);
    expect(different.exitCode).toBe(2);
    expect(different.stdout).toBe('');
    expect(different.stderr).toContain('are of different clusters');
    expect(different.stderr).toContain(`--from one=${prod} --from two=${stage}`);
    const doubtful = await runProgram(['why', '--from', prod, '--from', alias]);
    expect(doubtful.exitCode).toBe(1);
    expect(doubtful.stderr).toMatch(/was taken of prod, and .* of alias: they are read as one cluster/);
    const together = await runProgram(['why', '--from', directory]);
    expect(together.stderr).toContain('are of different clusters');
  });

  it('are refused without a name next to others, for a file that does not exist, and by commands for one cluster', async () => {
    const refused = async (...words: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runProgram(words);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      return stderr;
    };
    expect(await refused('why', '--from', `prod=${prod}`, '--from', stage)).toContain('has no name');
    expect(await refused('why', '--from', `prod=${prod}`, '--from', 'stage=nothing.json')).toContain('nothing.json');
    expect(await refused('trace', 'pvc/data', '--from', `prod=${prod}`)).toContain('This command reads one cluster');
    expect(await refused('why', '-w', '--from', `prod=${prod}`)).toContain('--watch cannot be combined with --from');
  });
});
