import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { programPath } from '../kit/run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let inputsOf: ReadonlyMap<string, readonly string[]> = new Map();

beforeAll(async () => {
  const { outputs } = JSON.parse(await readFile(`${root}dist/meta.json`, 'utf8')) as {
    readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
  };
  inputsOf = new Map(Object.entries(outputs).map(([output, { inputs }]) => [output, Object.keys(inputs)]));
});

/** The source files behind every part of the bundle that a run really calls, by V8's own count. */
async function loadedBy(words: readonly string[], stdin = ''): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  try {
    const { stderr } = spawnSync(programPath, words, {
      input: stdin,
      encoding: 'utf8',
      env: { ...process.env, XDG_CACHE_HOME: directory, NODE_V8_COVERAGE: join(directory, 'coverage') },
    });
    const covered = await Promise.all(
      (await readdir(join(directory, 'coverage'))).map(
        async (file) => JSON.parse(await readFile(join(directory, 'coverage', file), 'utf8')) as Coverage,
      ),
    );
    const called = covered.flatMap(({ result }) =>
      result
        .filter(({ url }) => url.endsWith('.pack'))
        .flatMap(({ functions }) =>
          functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
        ),
    );
    const inputs = called.flatMap((name) => inputsOf.get(`dist/${name}.js`) ?? []);
    expect(inputs, stderr).toContain('src/main.ts');
    return inputs;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const claim = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop' },
  spec: {},
  status: { phase: 'Pending' },
});

describe('a command loads what it needs and no more', () => {
  it.each([[['--help']], [['--version']], [['why-pending', '--help']]])(
    '%j loads neither the engine nor oclif nor any library',
    async (words) => {
      const inputs = await loadedBy(words);
      expect(inputs).toContain('src/cli/program.ts');
      expect(
        inputs.filter((input) =>
          /node_modules|src\/(core\/(graph|facts|journey|causes|engine|survey)|io|sim|terminal\/verdict)\//.test(input),
        ),
      ).toEqual([]);
    },
  );
  it('why-pending --from of JSON loads no cluster client, no YAML, no table and no embedded server', async () => {
    const inputs = await loadedBy(['why-pending', '--from', '-'], claim);
    expect(inputs).toContain('src/core/engine/diagnose.ts');
    expect(
      inputs.filter((input) =>
        /node_modules\/(@kubernetes|@grpc|yaml|cli-table3)|src\/(io\/(cluster|csi)|sim)\//.test(input),
      ),
    ).toEqual([]);
  });
  it('why-pending of a claim without a volume loads no rules for mounting, snapshots and deletion', async () => {
    const inputs = await loadedBy(['why-pending', '--from', '-'], claim);
    expect(inputs).toContain('src/core/causes/claim/index.ts');
    expect(inputs.filter((input) => /src\/core\/causes\/(attach|mount|snapshot|delete)\/index/.test(input))).toEqual(
      [],
    );
  });
  it('probe loads neither the engine nor a cluster client nor the loader of proto files', async () => {
    const inputs = await loadedBy(['probe', '/nonexistent/csi.sock']);
    expect(inputs).toContain('src/io/csi/probe-endpoint.ts');
    expect(
      inputs.filter((input) =>
        /node_modules\/(@kubernetes|@grpc\/proto-loader|protobufjs|yaml)|src\/(core\/(engine|causes)|io\/(cluster|files)|sim)\//.test(
          input,
        ),
      ),
    ).toEqual([]);
  });
  it('explain loads neither the engine nor a cluster client', async () => {
    expect(
      (await loadedBy(['explain', 'sc-missing'])).filter((input) =>
        /@kubernetes|src\/(core\/engine|io|sim)\//.test(input),
      ),
    ).toEqual([]);
  });
});

describe('the bundle', () => {
  it('brings code for its usual commands that V8 takes as it is: a first run has nothing to compile', () => {
    const judge = `
      const { readFileSync, readdirSync } = require('node:fs');
      const home = 'dist/code/' + process.platform + '-' + process.arch + '-' + process.version + '/';
      const isTaken = (path) => new (require('node:vm').Script)(readFileSync('dist/' + path.split('/')[1] + '.pack', 'utf8'), { cachedData: readFileSync(home + path).subarray(0, -5) }).cachedDataRejected === false;
      console.log(JSON.stringify(readdirSync(home, { recursive: true }).filter((path) => path.includes('/')).map((path) => [path, isTaken(path)])));`;
    const { stdout, stderr } = spawnSync(
      `${root}node_modules/node/bin/node`,
      ['--min-semi-space-size=16', '--max-semi-space-size=16', '--eval', judge],
      { cwd: root, encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const taken = new Map(JSON.parse(stdout) as readonly [string, boolean][]);
    expect([...taken].filter(([, isTaken]) => !isTaken)).toEqual([]);
    for (const command of [
      'help',
      'explain',
      'why-pending',
      'why-pending-all',
      'why-pending-from',
      'why-pending-all-from',
      'why',
      'why-all',
      'status',
      'status-from',
      'get-all',
      'trace',
      'check',
      'check-from',
      'probe',
    ])
      expect([...taken.keys()]).toContain(`${command}/main`);
  });
  it('carries the licence of every library in it', async () => {
    const licences = await readFile(`${root}dist/third-party-licences.txt`, 'utf8');
    for (const library of ['@oclif/core', '@grpc/grpc-js', 'yaml', 'cli-table3'])
      expect(licences).toMatch(new RegExp(`^${library} \\d`, 'm'));
  });
});
