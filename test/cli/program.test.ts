import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programPath, runProgram } from '../kit/run-program.ts';

const stuckClaim = `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: shop, uid: "1", creationTimestamp: "2026-01-01T00:00:00Z"}
  spec: {accessModes: [ReadWriteOnce], storageClassName: gold, volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}
  status: {phase: Pending}
- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: silver, uid: "2", creationTimestamp: "2026-01-01T00:00:00Z"}
  provisioner: disk.example.com
`;
const boundClaim = `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: shop, uid: "1", creationTimestamp: "2026-01-01T00:00:00Z", annotations: {pv.kubernetes.io/bind-completed: "yes"}}
  spec: {accessModes: [ReadWriteOnce], storageClassName: silver, volumeName: disk, volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}
  status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}
`;

let directory = '';
let stuck = '';
let bound = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  stuck = join(directory, 'stuck.yaml');
  bound = join(directory, 'bound.yaml');
  await writeFile(stuck, stuckClaim);
  await writeFile(bound, boundClaim);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('help and version', () => {
  it('shows the commands without any word, with --help, -h and help', async () => {
    for (const words of [[], ['--help'], ['-h'], ['help']]) {
      const { exitCode, stdout, stderr } = await runProgram(words);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('kubectl csi COMMAND [flags]');
      expect(stdout).toMatch(/^ {2}why-pending +Explain why claims are Pending/m);
    }
  });
  it('shows the help of a command wherever the flag stands, and fits 80 columns', async () => {
    for (const words of [
      ['why-pending', '--help'],
      ['-h', 'why-pending'],
      ['why-pending', 'pvc/a', '-A', '-h'],
      ['help', 'why-pending'],
    ]) {
      const { exitCode, stdout } = await runProgram(words);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('kubectl csi why-pending [TYPE/NAME | NAME]... [flags]');
      expect(stdout).toContain('  -n, --namespace=NAME');
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(82);
    }
  });
  it('gives every command two examples at least', async () => {
    for (const command of ['why-pending', 'probe', 'explain', 'causes', 'demo']) {
      const { stdout } = await runProgram([command, '--help']);
      expect(stdout.match(/^ {2}kubectl csi .*/gm)?.length).toBeGreaterThanOrEqual(3);
    }
  });
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await runProgram(['--version'])).toEqual({ exitCode: 0, stdout: `kubectl-csi ${version}\n`, stderr: '' });
  });
});

describe('usage errors end with 2, one sentence and a next step', () => {
  it.each([
    [
      ['why-pendin'],
      'error: Command "why-pendin" does not exist.\n  Did you mean "why-pending"? Run kubectl csi --help to list the commands.',
    ],
    [['why-pending', '--nmespace', 'x'], 'error: Unknown flag --nmespace.\n  Did you mean --namespace?\n'],
    [['why-pending', '-Z'], 'error: Unknown flag -Z.\n  Run kubectl csi why-pending --help for usage.\n'],
    [['why-pending', '-n'], 'error: -n needs a value.\n  Run kubectl csi why-pending --help for usage.\n'],
    [
      ['why-pending', '-o', 'xml'],
      'error: Format "xml" does not exist.\n  The formats are text, wide, json, yaml, name, html, jsonpath=TEMPLATE.\n',
    ],
    [['why-pending', 'pcv/a'], 'error: Type "pcv" does not exist.\n  Did you mean "pvc"? The types are pvc, pod.\n'],
    [['why-pending', 'pvc/a', '-A'], 'error: A name cannot be combined with -A.\n'],
    [['why-pending', 'pvc/a', '-l', 'app=web'], 'error: A name cannot be combined with a selector.\n'],
    [['why-pending', '-w', '--from', 'x'], 'error: --watch cannot be combined with --from.\n'],
    [['check', '--full-at', '80'], 'error: --full-at needs a source of usage.\n  Add --usage,'],
    [['why', '--kubelet-ca', 'x'], 'error: --kubelet-ca needs --kubelet.\n'],
    [['why-pending', '--complete'], 'error: --complete needs --from.\n'],
    [['why-pending', '-v=loud'], 'error: -v must be a number from 0 to 9, not "loud".\n'],
    [['why-pending', '--from', '/nonexistent/dump'], 'error: The path /nonexistent/dump does not exist.\n'],
    [['explain', 'sc-mising'], 'error: Cause "sc-mising" does not exist.\n  Did you mean "sc-missing"?'],
    [['explain', '../../package'], 'error: Cause "../../package" does not exist.\n'],
    [['explain'], 'error: The id of a cause is missing.\n'],
    [['explain', 'sc-missing', 'more'], 'error: Unexpected argument: more.\n'],
    [['explain', ''], 'error: The text is empty.\n'],
    [['explain', '\u001B[31m \u0007'], 'error: The text is empty.\n'],
    [['explain', 'an error', '--message', 'x'], 'error: A text and --message are given.\n'],
    [['explain', '--message', '/nonexistent/log'], 'error: File "/nonexistent/log" does not exist.\n'],
    [['explain', '--message', 'test'], 'error: File "test" is a directory.\n'],
    [['explain', '--message', 'node_modules/node/bin/node'], 'error: File "node_modules/node/bin/node" is '],
    [['explain', 'an error', '-o', 'markdown'], 'error: -o markdown prints the page of a cause.\n'],
    [['causes', '--search', 'coffee'], 'error: No cause mentions "coffee".\n'],
    [['causes', '--stage', 'lunch'], 'error: --stage must be one of claim, provision, '],
    [['demo', '--port', 'http'], 'error: --port must be a number from 0 to 65535, not "http".\n'],
  ])('%j', async (words, message) => {
    const { exitCode, stdout, stderr } = await runProgram(words);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});

it.each([
  ['field-immutable', 'The manifest changes a field that cannot be changed after creation.', 'preflight'],
  ['quota-near-limit', 'At least 90% of a storage quota is used.', 'check'],
])('explains %s, which is no cause, but is told', async (id, sentence, command) => {
  const { exitCode, stdout } = await runProgram(['explain', id]);
  expect(stdout.startsWith(`${id}\n\n  ${sentence}\n`)).toBe(true);
  expect(stdout).toContain(`kubectl csi ${command}`);
  expect(exitCode).toBe(0);
});

it('explains a text: 0 where a cause matches, 3 where none does', async () => {
  const found = await runProgram(['explain', 'storageclass.storage.k8s.io "fast" not found', '-o', 'name']);
  expect(found.stdout.split('\n')[0]).toBe('sc-missing');
  expect(found.exitCode).toBe(0);
  const nothing = await runProgram(['explain', 'the coffee is cold']);
  expect(nothing.stdout).toContain('This does not mean that nothing is wrong.');
  expect(nothing.exitCode).toBe(3);
});

it('lists the causes whose page mentions a word', async () => {
  const { stdout, exitCode } = await runProgram(['causes', '--search', 'ResourceQuota', '-o', 'name']);
  expect(stdout.split('\n')).toContain('pvc-create-denied-quota');
  expect(exitCode).toBe(0);
});

it('shows no control sequence that somebody slipped into a name', async () => {
  const { stderr } = await runProgram(['explain', 'a\u001B[31mb\u202Ec']);
  expect(stderr).toMatch(/^error: Cause "a.*b.*c" does not exist.\n/);
  expect(stderr).not.toMatch(/[\u001B\u202E]/);
});

describe('why-pending --from', () => {
  it('names the cause and ends with 1 when something is blocked', async () => {
    const { exitCode, stdout, stderr } = await runProgram([
      'why-pending',
      'pvc/data',
      '-n',
      'shop',
      '--from',
      stuck,
      '--complete',
    ]);
    expect(stdout).toContain('sc-missing');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });
  it('takes flags before the command, and the words TYPE NAME', async () => {
    const { exitCode, stdout } = await runProgram(['-nshop', '--from', stuck, 'why-pending', 'pvc', 'data', '-oname']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: 'persistentvolumeclaim/data\n' });
  });
  it('reads standard input', async () => {
    const { exitCode, stdout } = await runProgram(['why-pending', '--from', '-', '-o', 'json'], { stdin: stuckClaim });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'Report',
      items: [{ target: { name: 'data' }, cause: 'sc-missing' }],
      summary: { blocked: 1 },
    });
  });
  it('reads a compressed dump, also in the bundled program', async () => {
    const compressed = join(directory, 'stuck.yaml.gz');
    await writeFile(compressed, gzipSync(stuckClaim));
    const { exitCode, stdout, stderr } = await runProgram(['why-pending', '--from', compressed, '-o', 'name']);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: 'persistentvolumeclaim/data\n', stderr: '' });
  });
  it('ends with 0 when nothing is stuck', async () => {
    const { exitCode } = await runProgram(['why-pending', '--from', bound, '--complete']);
    expect(exitCode).toBe(0);
  });
  it('ends with 3 when what decides was not in the dump', async () => {
    const onlyClaim = stuckClaim.slice(0, stuckClaim.indexOf('- apiVersion: storage'));
    const { exitCode, stdout } = await runProgram(['why-pending', '--from', '-', '-o', 'json'], { stdin: onlyClaim });
    expect(JSON.parse(stdout)).toMatchObject({ summary: { blocked: 0, unknown: 1 } });
    expect(exitCode).toBe(3);
  });
  it('ends with 2 and near names when the target is nowhere', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['why-pending', 'pvc/dat', '--from', stuck, '--complete']);
    expect(stderr).toBe('error: pvc/dat does not exist in namespace shop.\n  Did you mean "data"?\n');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
  it('answers what it found and still ends with 2 for what it did not', async () => {
    const { exitCode, stdout, stderr } = await runProgram([
      'why-pending',
      'data',
      'other-thing',
      '--from',
      stuck,
      '--complete',
      '-o',
      'name',
    ]);
    expect(stdout).toBe('persistentvolumeclaim/data\n');
    expect(stderr).toContain('pvc/other-thing does not exist in namespace shop');
    expect(exitCode).toBe(2);
  });
});

describe('the terminal', () => {
  const colourful = /\u001B\[/;
  const show = async (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await runProgram(['why-pending', '--from', stuck, ...words], { env })).stdout;

  it('uses no colour in a pipe, and colour when told to', async () => {
    expect(await show([])).not.toMatch(colourful);
    expect(await show(['--color', 'always'])).toMatch(colourful);
    expect(await show(['--colour=always'])).toMatch(colourful);
    expect(await show([], { FORCE_COLOR: '1' })).toMatch(colourful);
  });
  it('obeys NO_COLOR, unless the flag says otherwise', async () => {
    expect(await show([], { NO_COLOR: '1', FORCE_COLOR: '1' })).not.toMatch(colourful);
    expect(await show(['--color', 'always'], { NO_COLOR: '1' })).toMatch(colourful);
  });
  it('draws with ASCII where the locale has nothing else', async () => {
    expect(await show(['data'], { LC_ALL: 'C' })).toMatch(/^[\n\u0020-\u007E]*$/);
  });
  it('is quiet when the reader of a pipe goes away', () => {
    // The reader is gone before anything is written, which a mere `| head` leaves to chance.
    const result = spawnSync(
      'bash',
      ['-c', '(sleep 0.2; "$1" why-pending --help; echo "ended with $?" >&2) | true', 'bash', programPath],
      { encoding: 'utf8' },
    );
    expect(result.stderr).toBe('ended with 0\n');
  });
  it('says so when the output cannot be written', () => {
    const result = spawnSync('sh', ['-c', '"$1" --help > /dev/full', 'sh', programPath], { encoding: 'utf8' });
    expect(result.stderr).toMatch(/^error: Cannot write the output: .*\n$/);
    expect(result.status).toBe(4);
  });
});

describe('the launcher', () => {
  it('runs through a symbolic link', async () => {
    const link = join(directory, 'kubectl-csi');
    await symlink(programPath, link);
    expect((await runProgram(['--version'], { command: link })).exitCode).toBe(0);
  });
  it('works where nothing can be cached', async () => {
    expect(
      await runProgram(['--version'], { env: { XDG_CACHE_HOME: '/dev/null/nowhere', HOME: undefined } }),
    ).toMatchObject({ exitCode: 0, stderr: '' });
  });
  it.each([
    { NODE_USE_SYSTEM_CA: '1' },
    { NODE_OPTIONS: '--use-system-ca' },
    { NODE_OPTIONS: '--use-bundled-ca' },
    { NODE_OPTIONS: '--use-openssl-ca' },
  ])('starts where the environment chooses authorities for Node: %j', async (env) => {
    expect(await runProgram(['--version'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  });
  it('says in one line that the program is not built', async () => {
    const copy = join(directory, 'elsewhere', 'bin', 'kubectl-csi');
    spawnSync('mkdir', ['-p', dirname(copy)]);
    spawnSync('cp', [programPath, copy]);
    const { exitCode, stderr } = await runProgram([], { command: copy });
    expect(stderr).toMatch(/^kubectl csi: the program is not built yet; run npm ci in .*\n$/);
    expect(exitCode).toBe(4);
  });
  it('has a first file that an old Node can read and refuse', async () => {
    const main = await readFile(new URL('../../dist/main.cjs', import.meta.url), 'utf8');
    expect(main).not.toMatch(/^\s*import[\s{*]/m);
    expect(main).not.toMatch(/\?\?|\?\.[a-z]|=>\s*\{?\s*await/);
    const pretending = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } }); await import(${JSON.stringify(new URL('../../dist/main.cjs', import.meta.url).href)});`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', pretending], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('kubectl csi: Node.js 22.19 or newer is needed, and this is 20.1.0\n');
    expect(status).toBe(4);
  });

  const kubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).error === undefined;
  it.skipIf(!kubectl)('is a plugin of the real kubectl (skipped where kubectl is not installed)', async () => {
    const { exitCode, stdout } = await runProgram(['csi', '--help'], {
      command: 'kubectl',
      env: { PATH: `${dirname(programPath)}:${process.env['PATH']}` },
    });
    expect(stdout).toContain('kubectl csi COMMAND [flags]');
    expect(exitCode).toBe(0);
  });
});

describe('without a cluster', () => {
  it('says how to get one, and ends with 4', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['why-pending'], { env: { HOME: directory } });
    expect(stderr).toMatch(/^error: .*kubeconfig.*.\n/);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  });
});

describe('compiled code that is kept', () => {
  it('is used, is replaced when it is damaged, and nothing is kept of a run that failed', async () => {
    const cache = join(directory, 'kept');
    const env = { XDG_CACHE_HOME: cache };
    const filesOf = (): string[] =>
      readdirSync(cache, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(main|shared)$/.test(file))
        .map((file) => join(cache, file));
    // A command that the build brings no code for.
    const command = ['completion', 'bash'];
    await runProgram(['completion', 'no-such-shell'], { env });
    expect(existsSync(cache)).toBe(false);
    const { stdout } = await runProgram(command, { env });
    expect(filesOf()).toHaveLength(2);
    const isWhole = (file: string): boolean =>
      readFileSync(file)
        .subarray(4096, 8192)
        .some((byte) => byte !== 0);
    // A block that never reached the disk reads as zeros.
    for (const file of filesOf()) writeFileSync(file, readFileSync(file).fill(0, 4096, 8192));
    expect(await runProgram(command, { env })).toEqual({ exitCode: 0, stderr: '', stdout });
    expect(filesOf().map(isWhole)).toEqual([true, true]);
    for (const file of filesOf()) truncateSync(file, 3000);
    expect(await runProgram(command, { env })).toEqual({ exitCode: 0, stderr: '', stdout });
    expect(filesOf().map(isWhole)).toEqual([true, true]);
  });
});
