import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { kubeconfigText } from '../../../src/sim/kubeconfig.ts';
import { baseObjects, loadScenario, snapshotOf } from '../../kit/scenario.ts';
import { programPath, runProgram } from '../../kit/run-program.ts';
import type { Finished, RunOptions } from '../../kit/run-program.ts';
import { openTlsFront } from '../../kit/tls-front.ts';

const readSchema = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../../docs/${name}.schema.json`, import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false })
  .addSchema(readSchema('report'))
  .compile(readSchema('wait'));

const uid = '11111111-2222-4333-8444-555555555555';
const claim = (
  fields: { readonly name?: string; readonly spec?: object; readonly status?: object; readonly metadata?: object } = {},
): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: fields.name ?? 'data', namespace: 'shop', uid, ...fields.metadata },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    volumeMode: 'Filesystem',
    resources: { requests: { storage: '1Gi' } },
    ...fields.spec,
  },
  status: fields.status ?? { phase: 'Pending' },
});
const boundClaim = (name = 'data', metadata: object = {}): RawObject =>
  claim({
    name,
    metadata,
    spec: { volumeName: `pv-${name}` },
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  });
/** As old as the clock of the scenarios allows: still within its time. */
const young = {
  creationTimestamp: '2026-03-01T11:59:50Z',
  annotations: { 'volume.kubernetes.io/storage-provisioner': 'csi.example.com' },
};

/** Closed after all tests, which run side by side: most of them wait for a time or for an answer. */
const servers: { close(): Promise<unknown> }[] = [];
const directories: string[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

async function serve(objects: readonly RawObject[], options?: ApiServerOptions): Promise<ApiServer> {
  const server = await startApiServer(snapshotOf([...baseObjects(), ...objects]), options);
  servers.push(server);
  return server;
}

async function serveScenario(id: string): Promise<ApiServer> {
  const server = await startApiServer(loadScenario(id).snapshot);
  servers.push(server);
  return server;
}

const wait = ({ url }: Pick<ApiServer, 'url'>, words: readonly string[], options?: RunOptions): Promise<Finished> =>
  runProgram(['wait', '--timeout=10m', ...words, '-n', 'shop', '-s', url], options);

/** Does something once, as soon as standard error says this. */
function when(text: RegExp, act: (kill: (signal: NodeJS.Signals) => void) => void): RunOptions {
  let isDone = false;
  return {
    onOutput: (_stdout, stderr, kill) => {
      if (isDone || !text.test(stderr)) return;
      isDone = true;
      act(kill);
    },
  };
}

describe.concurrent('wait for a claim', () => {
  it('ends within the first answer when the class does not exist, in the words of why', async () => {
    const server = await serve([claim({ spec: { storageClassName: 'gold' } })]);
    const { exitCode, stdout, stderr } = await wait(server, ['pvc/data', '--for=bound']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error: pvc\/data cannot become bound without a change: StorageClass "gold" does not exist[^\n]*\n$/,
    );
    expect(server.requests.filter(({ path }) => path.endsWith('/persistentvolumeclaims/data'))).toHaveLength(1);
    const why = await runProgram(['why', 'pvc/data', '-n', 'shop', '-s', server.url]);
    const ageless = (text: string): string => text.replaceAll(/\d+m?s\b/g, 'some time');
    expect(ageless(stdout)).toBe(ageless(why.stdout));
  });

  it('ends when it is bound already', async () => {
    const server = await serve([boundClaim()]);
    expect(await wait(server, ['data'])).toEqual({
      exitCode: 0,
      stdout: 'persistentvolumeclaim/data bound\n',
      stderr: '',
    });
  });

  it('ends when it becomes bound, and tells the stage until then', async () => {
    const server = await serve([claim({ metadata: young })]);
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data'],
      when(/provision/, () => server.apply(boundClaim())),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
    expect(stderr).toMatch(/^pvc\/data: provision: no volume yet from csi\.example\.com \(\d+s\)\n$/);
  });

  it('bears an error that the driver may get over', async () => {
    const server = await serveScenario('provision-internal');
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data'],
      when(/provision-internal/, () => server.apply(boundClaim())),
    );
    expect(stderr).toContain('this can pass, waiting up to 30s');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
  });

  it('bears it only so long', async () => {
    const server = await serveScenario('provision-internal');
    const { exitCode, stdout, stderr } = await wait(server, ['pvc/data', '--grace=1s']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Cause: provision-internal (likely)');
    expect(stderr).toContain('error: pvc/data cannot become bound without a change');
  });

  it('explains at the timeout', async () => {
    const server = await serve([claim({ metadata: young })]);
    const { exitCode, stdout, stderr } = await wait(server, ['pvc/data', '--timeout=4s']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^pvc\/data {2}namespace shop {2}Pending/);
    expect(stdout).toContain('in-progress');
    expect(stderr).toMatch(/error: Timed out after \d+s: pvc\/data is not bound\.\n$/);
  });

  it('says of several that none of them exists', async () => {
    const { exitCode, stderr } = await wait(await serve([]), ['pvc/one', 'pvc/two', '--timeout=0']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: pvc/one, pvc/two are not bound, because they do not exist.\n',
    });
  });

  it('looks once with no time at all', async () => {
    const server = await serve([claim({ metadata: young })]);
    const { exitCode, stderr } = await wait(server, ['pvc/data', '--timeout=0']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: pvc/data is not bound.\n' });
  });

  it('tells at once that no pod uses it, and waits all the same', async () => {
    const server = await serve([claim({ metadata: young, spec: { storageClassName: 'fast-wffc' } })]);
    const { exitCode, stderr } = await wait(
      server,
      ['pvc/data'],
      when(/needs an action/, () => server.apply(boundClaim())),
    );
    expect(stderr).toMatch(
      /^pvc\/data needs an action before it is bound: pvc\/data stays Pending until a pod uses it/,
    );
    expect(exitCode).toBe(0);
  });

  it('counts that as trouble with --strict', async () => {
    const server = await serve([claim({ metadata: young, spec: { storageClassName: 'fast-wffc' } })]);
    const { exitCode, stdout } = await wait(server, ['pvc/data', '--strict', '--grace=0']);
    expect(stdout).toContain('wffc-no-consumer');
    expect(exitCode).toBe(1);
  });

  it('waits for one that does not exist yet, and asks whether another is meant', async () => {
    const server = await serve([boundClaim('date')]);
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data'],
      when(/Did you mean/, () => server.apply(boundClaim())),
    );
    expect(stderr).toBe(
      'pvc/data does not exist yet; waiting for it to appear\npvc/data does not exist. Did you mean "date"?\n',
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
  });

  it('does not wait for one that a quota refuses', async () => {
    const server = await serveScenario('pvc-create-denied-quota');
    const { exitCode, stdout } = await wait(server, ['pvc/data-db-1']);
    expect(stdout).toContain('Cause: pvc-create-denied-quota');
    expect(exitCode).toBe(1);
  });

  it('waits until it has grown', async () => {
    const growing = (capacity: string): RawObject => ({
      ...boundClaim('data', { creationTimestamp: '2026-02-01T00:00:00Z' }),
      spec: { ...(boundClaim()['spec'] as object), resources: { requests: { storage: '2Gi' } } },
      status: {
        phase: 'Bound',
        capacity: { storage: capacity },
        conditions: [{ type: 'Resizing', status: 'True', lastTransitionTime: '2026-03-01T11:59:55Z' }],
      },
    });
    const volume: RawObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-data', uid: 'pv' },
      spec: {
        capacity: { storage: '1Gi' },
        storageClassName: 'fast',
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'csi.example.com', volumeHandle: 'vol' },
        claimRef: { namespace: 'shop', name: 'data', uid },
      },
      status: { phase: 'Bound' },
    };
    const server = await serve([growing('1Gi'), volume]);
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data', '--for=resized'],
      when(/expand/, () =>
        server.apply({ ...growing('2Gi'), status: { phase: 'Bound', capacity: { storage: '2Gi' } } }),
      ),
    );
    expect(stderr).toContain('pvc/data: expand: csi.example.com is growing the volume of pvc/data to 2Gi');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data resized\n' });
  });
});

describe.concurrent('wait for deletion', () => {
  it('is over at once for what is not there', async () => {
    expect(await wait(await serve([]), ['pvc/data', '--for=deleted'])).toEqual({
      exitCode: 0,
      stdout: 'persistentvolumeclaim/data deleted\n',
      stderr: '',
    });
  });

  it('ends when it is gone', async () => {
    const server = await serve([boundClaim()]);
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data', '--for=delete'],
      when(/is not being deleted/, () => server.remove('PersistentVolumeClaim', 'shop', 'data')),
    );
    expect(stderr).toBe('pvc/data needs an action before it is deleted: is not being deleted\n');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data deleted\n' });
  });

  it('does not take a namesake for the one that is gone', async () => {
    const server = await serve([boundClaim()]);
    const { exitCode, stdout } = await wait(
      server,
      ['pvc/data', '--for=deleted'],
      when(/is not being deleted/, () => server.apply(boundClaim('data', { uid: 'another' }))),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data deleted\n' });
  });

  it('explains what holds it', async () => {
    const server = await serveScenario('pvc-terminating-foreign-finalizer');
    const { exitCode, stdout } = await wait(server, [
      loadScenario('pvc-terminating-foreign-finalizer').file.target,
      '--for=deleted',
      '--grace=0',
    ]);
    expect(stdout).toContain('Cause: pvc-terminating-foreign-finalizer');
    expect(exitCode).toBe(1);
  });
});

describe.concurrent('wait for several', () => {
  const labelled = { labels: { app: 'web' }, uid: undefined };

  it('ends when the last one is there, and names each as it comes', async () => {
    const server = await serve([
      boundClaim('one', { ...labelled, uid: 'one' }),
      claim({ name: 'two', metadata: { ...young, ...labelled, uid: 'two' } }),
      claim({ name: 'other', metadata: { ...young, uid: 'other' } }),
    ]);
    const { exitCode, stdout } = await wait(
      server,
      ['pvc', '-l', 'app=web'],
      when(/pvc\/two/, () => server.apply(boundClaim('two', { ...labelled, uid: 'two' }))),
    );
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'persistentvolumeclaim/one bound\npersistentvolumeclaim/two bound\n',
    });
  });

  it('ends when one of them will not come, and explains that one only', async () => {
    const server = await serve([
      claim({ name: 'one', metadata: { ...young, uid: 'one' } }),
      claim({ name: 'two', metadata: { uid: 'two' }, spec: { storageClassName: 'gold' } }),
    ]);
    const { exitCode, stdout } = await wait(server, ['pvc', 'healthy', 'one', 'two']);
    expect(stdout).toMatch(/^persistentvolumeclaim\/healthy bound\npvc\/two {2}namespace shop/);
    expect(stdout).not.toContain('pvc/one');
    expect(exitCode).toBe(1);
  });

  it('waits for the first with such a label', async () => {
    const server = await serve([]);
    const { exitCode, stderr } = await wait(
      server,
      ['pvc', '-l', 'app=web'],
      when(/waiting for one to appear/, () => server.apply(boundClaim('one', { ...labelled, uid: 'one' }))),
    );
    expect(stderr).toBe(
      'there is no persistentvolumeclaim with app=web in namespace shop yet; waiting for one to appear\n',
    );
    expect(exitCode).toBe(0);
  });

  it('takes pods and claims together, each with its usual goal', async () => {
    const { exitCode, stdout } = await wait(await serve([]), ['pvc/healthy', 'pod/happy']);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'persistentvolumeclaim/healthy bound\npod/happy mounted\n',
    });
  });
});

describe.concurrent('wait through trouble with the server', () => {
  it('goes on when the server is away for two seconds', async () => {
    const first = await serve([claim({ metadata: young })]);
    let back: Promise<ApiServer> | undefined;
    const restart = async (): Promise<ApiServer> => {
      await first.close();
      await sleep(2000);
      return serve([boundClaim()], { port: first.port });
    };
    const { exitCode, stdout } = await wait(
      first,
      ['pvc/data'],
      when(/provision/, () => (back = restart())),
    );
    await back;
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
  });

  it('says that it could not tell when the server is away in the end', async () => {
    const server = await serve([claim({ metadata: young })]);
    const { exitCode, stderr } = await wait(
      server,
      ['pvc/data', '--timeout=10s'],
      when(/provision/, () => void server.close()),
    );
    expect(stderr).toMatch(/error: Cannot determine whether pvc\/data is bound/);
    expect(exitCode).toBe(3);
  });

  it('ends at once when there is none to begin with', async () => {
    const server = await serve([]);
    await server.close();
    const { exitCode, stdout } = await wait(server, ['pvc/data']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  });

  it('ends with 3 when the claim may not be read', async () => {
    const server = await serve([claim()], { faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    const { exitCode, stderr } = await wait(server, ['pvc/data']);
    expect(stderr).toMatch(/^error: Cannot determine whether pvc\/data is bound: it could not be read/);
    expect(exitCode).toBe(3);
  });

  it('ends when a pod may not be watched, only looked at', async () => {
    const server = await serve([claim({ metadata: young })], { faults: { deny: (_kind, verb) => verb === 'watch' } });
    const { exitCode } = await wait(
      server,
      ['pvc/data'],
      when(/provision/, () => server.apply(boundClaim())),
    );
    expect(exitCode).toBe(0);
  });

  it('lists anew and goes on watching when the version of a watch is too old', async () => {
    const server = await serve([claim({ metadata: young })], { faults: { expireWatches: 4 } });
    const watches = (): number =>
      server.requests.filter(
        ({ path, query }) => path.endsWith('/persistentvolumeclaims') && query['watch'] !== undefined,
      ).length;
    const change = async (): Promise<void> => {
      while (watches() < 3) await sleep(50);
      server.apply(boundClaim());
    };
    const { exitCode, stdout, stderr } = await wait(
      server,
      ['pvc/data'],
      when(/provision/, () => void change()),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
    expect(stderr).not.toMatch(/too old|asks again/);
  });

  it('asks the credential plugin again when its token has expired', async () => {
    const faults = { token: 'first' };
    const server = await serve([claim({ metadata: young })], { faults });
    const front = await openTlsFront(server.url);
    servers.push(front);
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-wait-'));
    directories.push(directory);
    const give = (token: string): void =>
      writeFileSync(
        join(directory, 'credential'),
        JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }),
      );
    const users = [
      {
        name: 'demo',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: 'cat',
            args: [join(directory, 'credential')],
            interactiveMode: 'Never',
          },
        },
      },
    ];
    writeFileSync(
      join(directory, 'config'),
      stringify({ ...(parse(kubeconfigText(front.url, { namespace: 'shop' })) as object), users }),
    );
    give('first');
    const renew = (): void => {
      give('second');
      faults.token = 'second';
      server.apply(boundClaim());
    };
    const { exitCode, stdout } = await runProgram(
      [
        'wait',
        'pvc/data',
        '--timeout=10m',
        '--kubeconfig',
        join(directory, 'config'),
        `--certificate-authority=${front.authority}`,
      ],
      when(/provision/, renew),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'persistentvolumeclaim/data bound\n' });
  });

  it('says that the credentials are taken no more, and that it could not tell', async () => {
    const faults = { token: 'first' };
    const server = await serve([claim({ metadata: young })], { faults });
    const front = await openTlsFront(server.url);
    servers.push(front);
    const expire = (): void => {
      faults.token = 'second';
      // A watch that is open goes on until the server cuts it.
      server.apply(claim({ metadata: { ...young, labels: { touched: 'yes' } } }));
    };
    const { exitCode, stderr } = await wait(
      front,
      ['pvc/data', '--timeout=12s', '--token=first', `--certificate-authority=${front.authority}`],
      when(/provision/, expire),
    );
    expect(stderr).toMatch(
      /does not accept the credentials[^\n]*; retrying until the timeout\nerror: Cannot determine whether pvc\/data is bound: [^\n]* does not accept the credentials\.\n$/,
    );
    expect(exitCode).toBe(3);
  });

  it('ends with 130 on Ctrl-C, and prints nothing', async () => {
    const server = await serve([claim({ metadata: young })]);
    const { exitCode, stdout } = await wait(
      server,
      ['pvc/data', '-o', 'json'],
      when(/provision/, (kill) => kill('SIGINT')),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
  });
});

describe.concurrent('the report of a wait', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    ['reached', ['pvc/healthy'], 'reached', ['reached']],
    ['unreachable', ['pvc/healthy', 'pvc/data'], 'unreachable', ['reached', 'unreachable']],
    ['out of time', ['pvc/nowhere', '--timeout=0'], 'timeout', ['absent']],
  ])('is one document: %s', async (_name, words, result, states) => {
    const server = await serve([claim({ spec: { storageClassName: 'gold' } })]);
    const { stdout } = await wait(server, [...words, '-o', 'json']);
    const report = JSON.parse(stdout) as {
      readonly result: string;
      readonly items: readonly { readonly state: string; readonly explanation?: { readonly cause?: string } }[];
    };
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
    expect({ result: report.result, states: report.items.map(({ state }) => state) }).toEqual({ result, states });
    expect(report.items.find(({ state }) => state === 'unreachable')?.explanation?.cause).toBe(
      result === 'unreachable' ? 'sc-missing' : undefined,
    );
  });

  it('is the same as YAML, and names as names', async () => {
    const server = await serve([]);
    expect(parse((await wait(server, ['pvc/healthy', '-o', 'yaml'])).stdout)).toMatchObject({
      kind: 'WaitReport',
      result: 'reached',
    });
    expect((await wait(server, ['pvc/healthy', '-o', 'name'])).stdout).toBe('persistentvolumeclaim/healthy\n');
  });

  it('is also given of a dump, which is looked at once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-wait-'));
    directories.push(directory);
    const dump = join(directory, 'dump.json');
    writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [claim({ metadata: { ...young } })] }));
    const { exitCode, stderr } = await runProgram(['wait', 'pvc/data', '--from', dump]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: pvc/data is not bound.\n' });
  });
});

describe.concurrent('the words of a wait', () => {
  it.each<[readonly string[], string]>([
    [[], 'error: The objects to wait for are missing.\n'],
    [['pvc'], 'error: "pvc" is a type without a name.\n  Write pvc/NAME, or pvc --all, or pvc -l app=web.\n'],
    [
      ['pvc/data', '--for=ready'],
      'error: A pvc cannot become ready.\n  For a pvc, --for takes bound, attached, mounted, resized or deleted.\n',
    ],
    [['ns/shop', '--for=bound'], 'error: A namespace cannot become bound.\n  For a namespace, --for takes deleted.\n'],
    [['pvc/data', '--for=bond'], 'error: Goal "bond" does not exist.\n  Did you mean "bound"?'],
    [['sc/fast'], 'error: This command does not support storageclass.\n'],
    [['pvc', '--all', '-l', 'a=b'], 'error: --all cannot be combined with -l.\n'],
    [['pvc/data', '--all'], 'error: --all needs one type and no name.\n'],
    [['pvc', '-l', 'a=b,'], 'error: '],
    [['pvc/data', '-A'], 'error: A name cannot be combined with -A.\n'],
    [['pvc/data', '--timeout=soon'], 'error: --timeout must be a time su'],
  ])('%j are refused', async (words, message) => {
    const { exitCode, stdout, stderr } = await runProgram(['wait', ...words]);
    expect(stderr.slice(0, message.length)).toBe(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it.each([
    ['pvc/healthy', "jsonpath='{.status.phase}'=Bound", 'persistentvolumeclaim/healthy bound\n'],
    ['pod/happy', 'condition=Ready', 'pod/happy ready\n'],
  ])('of kubectl are understood: %s --for=%s', async (target, goal, printed) => {
    const { stdout } = await wait(await serve([]), [target, `--for=${goal}`]);
    expect(stdout).toBe(printed);
  });
});

describe.concurrent('the pipeline example', () => {
  async function deploy(server: ApiServer, objects: readonly RawObject[]): Promise<Finished> {
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-wait-'));
    directories.push(directory);
    // Stands for kubectl: it finds the plugin, and applies through this test.
    writeFileSync(
      join(directory, 'kubectl'),
      `#!/bin/sh\ncase $1 in csi) shift; exec '${programPath}' "$@" -s '${server.url}' ;; apply) echo applied >&2; sleep 1 ;; esac\n`,
    );
    chmodSync(join(directory, 'kubectl'), 0o755);
    return runProgram([new URL('../../../docs/ci/deploy-and-wait.sh', import.meta.url).pathname], {
      command: '/bin/sh',
      env: {
        PATH: `${directory}:${process.env['PATH'] ?? ''}`,
        NAMESPACE: 'shop',
        APP: 'web',
        MANIFESTS: 'deploy/',
        TIMEOUT: '20s',
      },
      ...when(/applied/, () => objects.forEach((object) => server.apply(object))),
    });
  }
  const web = { labels: { app: 'web' } };
  const pod: RawObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'shop', ...web },
    spec: {
      nodeName: 'node-a',
      containers: [{ name: 'main' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        { name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: '2026-03-01T12:00:00Z' } } },
      ],
    },
  };

  it('goes through when the storage comes', async () => {
    const { exitCode, stdout } = await deploy(await serve([]), [boundClaim('data', web), pod]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'persistentvolumeclaim/data bound\npod/web-0 mounted\nthe storage of web is there\n',
    });
  });

  it('fails with the reason when it cannot come', async () => {
    const { exitCode, stdout } = await deploy(await serve([]), [
      claim({ metadata: web, spec: { storageClassName: 'gold' } }),
    ]);
    expect(stdout).toContain('Cause: sc-missing (certain)');
    expect(stdout).not.toContain('is there');
    expect(exitCode).toBe(1);
  });
});
