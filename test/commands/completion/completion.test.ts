import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { completeLine } from '../../../src/commands/completion/run/complete.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../../../src/sim/kubeconfig.ts';
import { programPath, runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';

const bin = dirname(programPath);
const completer = join(bin, 'kubectl_complete-csi');
const isMissing = (program: string, ...words: readonly string[]): boolean => spawnSync(program, words).status !== 0;

let directory: string;
let server: ApiServer;
let env: Record<string, string>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
  server = await startApiServer(demoSnapshot(new Date()));
  await writeKubeconfig(join(directory, 'config'), server.url, { namespace: 'shop', context: 'demo' });
  // A machine that is busy with tests is slower than somebody at a terminal would like.
  env = {
    KUBECONFIG: join(directory, 'config'),
    HOME: directory,
    PATH: `${bin}:${process.env['PATH']}`,
    KUBECTL_CSI_COMPLETION_TIMEOUT: '20',
  };
  for (const name of ['KUBECONFIG', 'KUBECTL_CSI_COMPLETION_TIMEOUT'] as const) vi.stubEnv(name, env[name]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

/** What is offered, without the descriptions, and what the shell is told to do. */
async function complete(
  ...words: readonly string[]
): Promise<{ readonly offered: string[]; readonly directive: string | undefined }> {
  const lines = (await completeLine(words)).split('\n');
  return { offered: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), directive: lines.at(-1) };
}

const pending = [
  'pod/cart-0',
  'pod/media-0',
  'pod/search-0',
  'pvc/cart',
  'pvc/exports',
  'pvc/invoices',
  'pvc/media',
  'pvc/reports',
  'pvc/search-index',
  'pvc/uploads',
];

describe('completion of words', () => {
  it('offers commands with what they do, and no file names', async () => {
    const { stdout } = await runProgram(['wh'], { command: completer, env });
    expect(stdout).toMatch(
      /^what-if\tShow what .*\nwhy\tExplain why a claim, .*\nwhy-pending\tExplain why claims are Pending.*\n:4\n$/,
    );
    expect((await complete('help', '')).offered).toContain('explain');
    expect((await complete('-n', 'shop', 'why-p')).offered).toEqual(['why-pending']);
  });

  it('offers the types that get takes, another one behind a comma, and to wait and trace only what these take', async () => {
    expect((await complete('get', '')).offered).toEqual([
      'attachments',
      'bucketclaims',
      'buckets',
      'capacity',
      'csinodes',
      'drivers',
      'pods',
      'pv',
      'pvc',
      'sc',
      'snapshots',
    ]);
    expect((await complete('get', 'claims,p')).offered).toEqual(['claims,pods', 'claims,pv']);
    expect((await complete('trace', 'vs')).offered).toEqual(['vs', 'vsc']);
    expect((await complete('wait', 'n')).offered).toEqual(['ns']);
    expect((await complete('wait', '--for', 're')).offered).toEqual(['ready', 'resized']);
  });

  it('offers after what-if the operations, and what each of them takes', async () => {
    expect((await complete('what-if', 'd')).offered).toEqual(['delete', 'drain']);
    expect((await complete('what-if', 'drain', '')).offered).toEqual(['worker-1', 'worker-2', 'worker-3']);
    expect((await complete('what-if', 'drain', 'worker-1', '+', 's')).offered).toEqual(['scale']);
    expect((await complete('what-if', '-n', 'shop', 'delete', 'pvc/cat')).offered).not.toContain('pvc/none');
  });

  it('offers after why-pending only what is pending', async () => {
    expect(await complete('why-pending', '')).toEqual({ offered: pending, directive: ':4' });
    expect((await complete('why-pending', 'pvc/s')).offered).toEqual(['pvc/search-index']);
    expect((await complete('why-pending', 'ca')).offered).toEqual(['cart']);
    expect((await complete('why-pending', 'pvc', 'm')).offered).toEqual(['media']);
    expect((await complete('why-pending', 'pvc/cart', 'pvc/')).offered).not.toContain('pvc/cart');
    expect((await complete('why-pending', '-n', 'data', 'pod/')).offered).not.toContain('pod/cart-0');
    expect((await complete('why-pending', '-A', '')).offered).toEqual([]);
  });

  it('offers types and the names of anything after why', async () => {
    expect((await complete('why', '')).offered).toEqual(expect.arrayContaining(['pv', 'sc', 'node', 'va', 'pvc/cart']));
    expect((await complete('why', 'sc', 'fast')).offered).toEqual(['fast', 'fast-immediate']);
    expect((await complete('why', 'storageclass/fa')).offered).toEqual([
      'storageclass/fast',
      'storageclass/fast-immediate',
    ]);
    expect((await complete('why', 'persistentvolumec')).offered).toEqual(['persistentvolumeclaim']);
    expect(await complete('why', 'pvc/cart', 'no')).toMatchObject({ offered: ['node/'], directive: ':6' });
  });

  it('offers types, then names after get', async () => {
    expect((await complete('get', '')).offered).toEqual([
      'attachments',
      'bucketclaims',
      'buckets',
      'capacity',
      'csinodes',
      'drivers',
      'pods',
      'pv',
      'pvc',
      'sc',
      'snapshots',
    ]);
    expect((await complete('get', 'drivers', '')).offered).toEqual(['disk.csi.example.com', 'files.csi.example.com']);
    expect((await complete('get', 'sc/ar')).offered).toEqual(['sc/archive']);
  });

  it('offers causes, drivers, commands and shells where each belongs', async () => {
    expect((await complete('explain', 'sc-mis')).offered).toEqual(['sc-missing']);
    expect((await complete('probe', 'd')).offered).toEqual(['disk.csi.example.com']);
    expect((await complete('probe', '/var')).directive).toBe(':0');
    expect((await complete('rbac', 'why', 'w')).offered).toEqual(['wait', 'what-if', 'why-pending']);
    expect((await complete('completion', '')).offered).toEqual(['bash', 'fish', 'install', 'powershell', 'zsh']);
  });

  it('offers flags, but none twice unless it repeats', async () => {
    expect((await complete('why', '--name')).offered).toEqual(['--namespace']);
    expect((await complete('why', '-n', 'shop', '--name')).offered).toEqual([]);
    expect((await complete('why', '--from', 'a', '--fro')).offered).toEqual(['--from']);
    expect((await complete('why', '-')).offered).toEqual(expect.arrayContaining(['-n', '--namespace', '-h', '--help']));
    expect((await complete('why', '--no-h')).offered).toEqual([]);
  });

  it.each([
    [['why', '-o', ''], ['html', 'json', 'jsonpath=', 'name', 'text', 'wide', 'yaml'], ':4'],
    [['why', '--output=j'], ['json', 'jsonpath='], ':4'],
    [['why', '--output=jsonp'], ['jsonpath='], ':6'],
    [['get', 'pvc', '-o', 'cust'], ['custom-columns='], ':6'],
    [['why', '-oj'], ['-ojson', '-ojsonpath='], ':4'],
    [['why', '-Ao', 'w'], ['wide'], ':4'],
    [['explain', 'sc-missing', '-o', ''], ['json', 'jsonpath=', 'markdown', 'name', 'text', 'wide', 'yaml'], ':4'],
    [['get', 'pvc', '-o', 'w'], ['wide'], ':4'],
    [['capture', '-o', ''], [], ':0'],
    [['why', '--colour', 'a'], ['always', 'auto'], ':4'],
    [['why', '-n', 's'], ['shop', 'storage-system'], ':4'],
    [['why', '--context', ''], ['demo'], ':4'],
    [['why', '--cluster='], ['demo'], ':4'],
    [['why', '--user', 'd'], ['demo'], ':4'],
    [['why', '--from', ''], [], ':0'],
    [['why', '--kubeconfig='], [], ':0'],
    [['completion', 'install', '--dir', ''], [], ':16'],
    [['causes', '--stage', 'sc'], ['schedule'], ':4'],
    [['rbac', '--bind', 'u'], ['user:'], ':6'],
  ])('offers the values of a flag: %j', async (words, offered, directive) => {
    expect(await complete(...words)).toEqual({ offered, directive });
  });

  it('offers the names of a dump', async () => {
    const dump = join(import.meta.dirname, '../../truth/missing-class/cluster.yaml');
    expect((await complete('why-pending', '--from', dump, '')).offered).toContain('pvc/data');
  });

  it.each([
    ['no server answers', ['-s', 'http://127.0.0.1:1']],
    ['there is no such context', ['--context', 'nowhere']],
    ['there is no such kubeconfig', ['--kubeconfig', '/nonexistent']],
  ])('is silent, and offers what is known anyway, when %s', async (_when, flags) => {
    const { exitCode, stdout, stderr } = await runProgram(['why', ...flags, 'p'], { command: completer, env });
    expect(stdout).toMatch(/^pod\t.*\npv\t.*\npvc\t.*\n:4\n$/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(await complete('why', ...flags, '-n', '')).toEqual({ offered: [], directive: ':4' });
  });

  it('goes on where a flag of the line is wrong', async () => {
    expect((await complete('why', '--no-such-flag', 'pvc/ca')).offered).toEqual(['pvc/cart']);
    expect(await complete('no-such-command', '')).toEqual({ offered: [], directive: ':4' });
  });

  it('is silent when the cluster hangs or refuses', async () => {
    vi.stubEnv('KUBECTL_CSI_COMPLETION_TIMEOUT', '');
    for (const faults of [{ hang: /./ }, { deny: () => true }, { token: 'another' }, { html: /./ }]) {
      const strange = await startApiServer(demoSnapshot(new Date()), { faults });
      expect(await complete('why', '-s', strange.url, 'pvc/')).toEqual({ offered: [], directive: ':4' });
      await strange.close();
    }
    vi.stubEnv('KUBECTL_CSI_COMPLETION_TIMEOUT', '20');
  });

  it('offers no name that could do something to a terminal or a shell script', async () => {
    const odd = await startApiServer({
      ...demoSnapshot(new Date()),
      objects: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bad\u001b[2Jname', uid: '1' } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'two\nlines', uid: '2' } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'good', uid: '3' } },
      ],
    });
    expect((await complete('why', '-s', odd.url, '-n', '')).offered).toEqual(['good']);
    await odd.close();
  });

  it('asks for metadata and tables only, in pages', async () => {
    const before = server.requests.length;
    await complete('why', '');
    await complete('get', 'pv', '');
    const asked = server.requests.slice(before);
    expect(asked.length).toBeGreaterThan(2);
    expect(
      asked.filter(
        ({ accept, query }) => !/as=(Table|PartialObjectMetadataList)/.test(accept) || query['limit'] !== '500',
      ),
    ).toEqual([]);
  });
});

const noKubectl = isMissing('kubectl', 'version', '--client');
describe(`completion by the real kubectl${noKubectl ? ' (skipped: kubectl is not on the PATH)' : ''}`, () => {
  const ask = (...words: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(
        'kubectl',
        ['__complete', 'csi', ...words],
        { env: { ...process.env, ...env }, timeout: 240_000 },
        (_error, stdout) => resolve(stdout),
      );
    });

  it.skipIf(noKubectl)('lists the pending claims and the waiting pods of the cluster', async () => {
    const lines = (await ask('why-pending', '')).trim().split('\n');
    expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(pending);
    expect(lines.at(-1)).toBe(':4');
  });
  it.skipIf(noKubectl)('completes a flag and lets the shell complete a path', async () => {
    expect(await ask('why', '--output=y')).toBe('yaml\n:4\n');
    expect(await ask('why', '--from', '')).toBe(':0\n');
  });
});

/** Presses Tab at the end of the line in a shell that has read the script, and prints what it would offer. */
function pressTab(line: string): Promise<string[]> {
  const script = `source <(kubectl-csi completion bash)
    COMP_LINE=$1 COMP_POINT=\${#1}
    # As readline parts the line: at blanks, and at = and : too.
    mapfile -t COMP_WORDS < <(printf '%s' "$1" | grep -oE '[=:]+|[^=:[:space:]]+')
    [[ $1 == *' ' || $1 == *[=:] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    compopt() { echo "option $*"; }
    _kubectl_csi
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['--norc', '-c', script, 'bash', line],
      { env: { ...process.env, ...env }, timeout: 240_000 },
      (error, stdout, stderr) =>
        error === null && stderr === ''
          ? resolve(stdout.split('\n').filter((entry) => entry !== ''))
          : reject(error ?? new Error(stderr)),
    );
  });
}

const noBash = isMissing('bash', '-c', 'true');
describe(`completion in bash${noBash ? ' (skipped: there is no bash here)' : ''}`, () => {
  it.skipIf(noBash)('offers what the program offers', async () => {
    expect(await pressTab('kubectl-csi why-p')).toEqual(['why-pending']);
    expect(await pressTab('kubectl-csi why-pending ')).toEqual(pending);
    expect(await pressTab('kubectl-csi why-pending "pvc/c')).toEqual(['pvc/cart']);
  });
  it.skipIf(noBash)('puts a flag and its value together again', async () => {
    expect(await pressTab('kubectl-csi why --output=j')).toEqual(['json', 'jsonpath=']);
    expect(await pressTab('kubectl-csi why --output=')).toEqual([
      'html',
      'json',
      'jsonpath=',
      'name',
      'text',
      'wide',
      'yaml',
    ]);
    expect(await pressTab('kubectl-csi rbac --bind ser')).toEqual(['option -o nospace', 'serviceaccount:']);
  });
  it.skipIf(noBash)('leaves paths to bash, and offers none elsewhere', async () => {
    expect(await pressTab('kubectl-csi why --from ')).toEqual(['option -o default']);
    expect(await pressTab('kubectl-csi completion install --dir ')).toEqual(['option -o dirnames']);
    expect(await pressTab('kubectl-csi why --at ')).toEqual([]);
  });
  it.skipIf(noBash)('runs nothing that stands in the line', async () => {
    const trap = join(directory, 'trap');
    await pressTab(`kubectl-csi why $(touch ${trap}) \`touch ${trap}\` `);
    expect(existsSync(trap)).toBe(false);
  });
});

const noZsh = isMissing('zsh', '-c', 'true');
const noFish = isMissing('fish', '-c', 'true');
const noPowershell = isMissing('pwsh', '-NoProfile', '-Command', 'exit 0');
describe('scripts for other shells', () => {
  const scriptOf = async (shell: string): Promise<string> => {
    const file = join(directory, `script.${shell}`);
    writeFileSync(file, (await runProgram(['completion', shell])).stdout);
    return file;
  };
  it.skipIf(noZsh)(`zsh reads its script${noZsh ? ' (skipped: there is no zsh here)' : ''}`, async () => {
    const { status, stderr } = spawnSync('zsh', ['-n', await scriptOf('zsh')], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
  it.skipIf(noFish)(`fish completes with its script${noFish ? ' (skipped: there is no fish here)' : ''}`, async () => {
    const { stdout } = spawnSync('fish', ['-c', `source ${await scriptOf('fish')}; complete -C 'kubectl-csi why-p'`], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    expect(stdout).toMatch(/^why-pending\t/);
  });
  it.skipIf(noPowershell)(
    `PowerShell completes with its script${noPowershell ? ' (skipped: there is no pwsh here)' : ''}`,
    async () => {
      const { stdout } = spawnSync(
        'pwsh',
        [
          '-NoProfile',
          '-Command',
          `. ${await scriptOf('powershell')}; (TabExpansion2 'kubectl-csi why-p' 17).CompletionMatches.CompletionText`,
        ],
        { encoding: 'utf8', env: { ...process.env, ...env } },
      );
      expect(stdout.trim()).toBe('why-pending');
    },
  );
  it('are refused for a shell that there is none for', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['completion', 'bsh']);
    expect(stderr).toMatch(
      /^error: Shell "bsh" does not exist\.\n {2}Did you mean "bash".*\? The shells are bash, zsh, fish, powershell\.\n$/,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect((await runProgram(['completion'])).stderr).toMatch(/^error: The name of a shell is missing.\n/);
  });
});

describe('completion install', () => {
  let place: string;
  const install = (...words: readonly string[]): Promise<Finished> =>
    runProgram(['completion', 'install', ...words], { env: { ...env, PATH: `${place}:/usr/bin:/bin` } });
  beforeAll(() => {
    place = join(directory, 'plugins');
    mkdirSync(place);
    symlinkSync(programPath, join(place, 'kubectl-csi'));
  });

  it('says what it would do and does it only then, beside the plugin', async () => {
    const target = join(place, 'kubectl_complete-csi');
    expect(await install('--dry-run')).toEqual({ exitCode: 0, stdout: `${target} would be written\n`, stderr: '' });
    expect(existsSync(target)).toBe(false);
    expect((await install()).stdout).toBe(`${target} was written\n`);
    expect(statSync(target).mode & 0o111).toBe(0o111);
    const answer = await runProgram(['why-p'], { command: target, env });
    expect(answer.stdout).toMatch(/^why-pending\t/);
    expect(await install()).toEqual({ exitCode: 0, stdout: `${target} is already installed\n`, stderr: '' });
  });
  it('renews its own file and leaves that of somebody else alone', async () => {
    const target = join(place, 'kubectl_complete-csi');
    const ours = readFileSync(completer, 'utf8');
    writeFileSync(target, `${ours}# an older one\n`);
    expect((await install()).stdout).toBe(`${target} was replaced by the one of this version\n`);
    expect(readFileSync(target, 'utf8')).toBe(ours);
    writeFileSync(target, '#!/bin/sh\necho mine\n');
    const refused = await install();
    expect(refused).toMatchObject({ exitCode: 4, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^error: The file ${target} exists and was not written by kubectl csi`));
    expect(readFileSync(target, 'utf8')).toBe('#!/bin/sh\necho mine\n');
    rmSync(target);
  });
  it('says when nobody will find it there, or it cannot be written', async () => {
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere);
    const { stdout, stderr } = await install('--dir', elsewhere);
    expect(stdout).toBe(`${join(elsewhere, 'kubectl_complete-csi')} was written\n`);
    expect(stderr).toContain('is not on the PATH');
    expect(await install('--dir', join(directory, 'nothing'))).toMatchObject({ exitCode: 2, stdout: '' });
    const empty = await runProgram(['completion', 'install'], { env: { ...env, PATH: '/usr/bin:/bin' } });
    expect(empty.stderr).toMatch(/^error: kubectl-csi is not on the PATH/);
  });
  it.skipIf(process.getuid?.() === 0)(
    `says when it may not write there${process.getuid?.() === 0 ? ' (skipped: root may write anywhere)' : ''}`,
    async () => {
      const closed = join(directory, 'closed');
      mkdirSync(closed);
      chmodSync(closed, 0o555);
      expect(await install('--dir', closed)).toMatchObject({ exitCode: 4, stdout: '' });
    },
  );
});
