import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { missingBinaries, pathOf } from '../e2e/binaries.ts';
import { installers } from '../e2e/versions.ts';
import { readBinaryFormat } from '../../build/release/binary-format.ts';
import { archiveName, fileName, platforms } from '../../build/release/platforms.ts';
import type { Platform } from '../../build/release/platforms.ts';
import { krewNames, programName } from '../../build/release/project.ts';
import { cleanEnvironment, run, versionOf } from './machine.ts';
import { askAll, dump, smokeQuestions, verdict } from './smoke.ts';
import type { Demo } from './demo.ts';

const release = resolve('release');
const assets = join(release, 'assets');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

/** What a case may use. */
interface Workplace {
  readonly directory: string;
  readonly demo: Demo;
}

/** A case returns what it saw, or throws. One that needs what this machine lacks says what that is. */
export interface Case {
  readonly name: string;
  readonly lacks?: () => string | undefined;
  readonly run: (place: Workplace) => Promise<string>;
}

const platformOf = (name: string): Platform => {
  const found = platforms.find((platform) => platform.name === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
};
const executableOf = (platform: Platform): string =>
  join(release, 'executables', platform.name, fileName(platform, programName));
const asset = (name: string): string => join(assets, name);
const tool = (name: string) => installers.find((binary) => binary.name === name);

/** Debian's own Wine may be too old: WINE may name another, such as one in a chroot of a later Debian. */
const wineCommand = (process.env['WINE'] ?? 'wine').split(' ') as [string, ...string[]];

function lacksTool(name: string): string | undefined {
  const binary = tool(name);
  return binary === undefined || missingBinaries([binary]).length > 0
    ? `${name} is not in the cache: npm run release:try -- --build builds it, which needs Go`
    : undefined;
}

export const cases: readonly Case[] = [
  {
    name: 'every executable has the format of its platform, and the version of its Node',
    run: () => {
      const seen = platforms.map((platform) => {
        const content = readFileSync(executableOf(platform));
        const { format, arch, isSigned } = readBinaryFormat(content);
        if (arch !== platform.arch) throw new Error(`${platform.name} is for ${arch}.`);
        if (!content.includes(`node/v${platform.node.version}`) && !content.includes(`v${platform.node.version}`))
          throw new Error(`${platform.name} does not contain Node.js ${platform.node.version}.`);
        return `${platform.name} ${format}${isSigned ? ' signed' : ''}, Node.js ${platform.node.version}`;
      });
      return Promise.resolve(seen.join('; '));
    },
  },
  {
    name: 'checksums.txt has every file, and they are right',
    run: () => {
      execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'checksums.txt'], { cwd: assets });
      const listed = readFileSync(asset('checksums.txt'), 'utf8').split('\n').length - 1;
      const present = readdirSync(assets).length - 1;
      if (listed !== present) throw new Error(`${listed} files are listed, and ${present} are there.`);
      return Promise.resolve(`${listed} files`);
    },
  },
  {
    name: 'linux-x64 runs: version, explain, a dump, the embedded server, a socket',
    run: async ({ directory, demo }) => {
      const env = cleanEnvironment(join(directory, 'x64'));
      const program = executableOf(platformOf('linux-x64'));
      const probe = { name: 'a socket', words: ['probe', `unix://${demo.readySocket}`], code: 0, says: /ready/ };
      await askAll([...smokeQuestions(demo), probe], (words) => run([program, ...words], env));
      return 'five questions';
    },
  },
  {
    name: 'linux-arm64 runs under qemu: the same five',
    lacks: () => {
      if (versionOf('qemu-aarch64', '--version') === undefined) return 'qemu-aarch64 (package qemu-user)';
      return existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6')
        ? undefined
        : 'libraries for arm64 (packages libc6-arm64-cross and libstdc++6-arm64-cross)';
    },
    run: async ({ directory, demo }) => {
      const env = cleanEnvironment(join(directory, 'arm64'));
      const words = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', executableOf(platformOf('linux-arm64'))] as const;
      const probe = {
        name: 'a socket',
        words: ['probe', '--timeout', '60s', `unix://${demo.readySocket}`],
        code: 0,
        says: /ready/,
      };
      await askAll([...smokeQuestions(demo), probe], (rest) => run([...words, ...rest], env, 300_000));
      return 'five questions';
    },
  },
  {
    name: 'win32-x64 runs under Wine: version, explain, a dump, the embedded server',
    lacks: () => {
      const wine = versionOf(...wineCommand, '--version');
      if (wine === undefined) return 'wine';
      const major = Number(/wine-(\d+)/.exec(wine)?.[1] ?? 0);
      return major < 9 ? `a newer Wine: ${wine} cannot start Node.js 24` : undefined;
    },
    run: async ({ directory, demo }) => {
      const home = join(directory, 'wine');
      const env = { ...cleanEnvironment(home), WINEPREFIX: join(home, 'prefix'), WINEDEBUG: '-all' };
      // Node refuses the Windows 7 that Wine pretends to be.
      await run(
        [...wineCommand, 'reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'],
        env,
        300_000,
      );
      const program = executableOf(platformOf('win32-x64'));
      const questions = smokeQuestions(demo, (path) => `Z:${path.replaceAll('/', '\\')}`);
      await askAll(questions, (words) => run([...wineCommand, program, ...words], env, 300_000));
      return 'four questions; Wine has no unix sockets for Node, so no probe';
    },
  },
  {
    name: 'install.sh, with an empty home and a mirror on loopback',
    run: async ({ directory }) => {
      const server = createServer(({ url = '' }, response) => {
        const path = asset(url.slice(1));
        if (existsSync(path)) response.end(readFileSync(path));
        else response.writeHead(404).end();
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const home = join(directory, 'script');
      const env = cleanEnvironment(home, [join(home, '.local/bin')]);
      try {
        await mustSucceed(run(['sh', asset('install.sh'), '--downloads', mirror], env));
      } finally {
        server.close();
      }
      return sameVerdict(join(home, '.local/bin/kubectl-csi'), env);
    },
  },
  {
    name: 'the archive, unpacked by hand',
    run: async ({ directory }) => {
      const home = join(directory, 'archive');
      const env = cleanEnvironment(home);
      const linux = platformOf('linux-x64');
      await mustSucceed(run(['tar', '-xzf', asset(archiveName(linux, version)), '-C', home], env));
      return sameVerdict(join(home, 'kubectl-csi'), env);
    },
  },
  {
    name: 'npm, offline, and npx demo --once',
    run: async ({ directory }) => {
      const home = join(directory, 'npm');
      const node = resolve('node_modules/node/bin');
      const env = {
        ...cleanEnvironment(home, [node]),
        npm_config_offline: 'true',
        npm_config_prefix: join(home, 'prefix'),
      };
      const packed = asset(`${programName}-${version}.tgz`);
      await mustSucceed(run(['npm', 'install', '--global', packed], env));
      const demo = await mustSucceed(run(['npx', '--yes', '--package', packed, programName, 'demo', '--once'], env));
      if (!/sc-missing/.test(demo.stdout)) throw new Error(`npx demo --once says:\n${demo.stdout.slice(0, 500)}`);
      return sameVerdict(join(home, 'prefix/bin/kubectl-csi'), env);
    },
  },
  {
    name: 'krew installs the local archive, and kubectl csi works',
    lacks: () => lacksTool('krew') ?? (versionOf('git', '--version') === undefined ? 'git' : undefined),
    run: async ({ directory }) => {
      const home = join(directory, 'krew');
      const env = { ...cleanEnvironment(home, [join(home, 'root/bin')]), KREW_ROOT: join(home, 'root') };
      const krew = pathOf(tool('krew') as (typeof installers)[number]);
      const archive = asset(archiveName(platformOf('linux-x64'), version));
      await mustSucceed(
        run([krew, 'install', `--manifest=${asset(`${krewNames.wanted}.yaml`)}`, `--archive=${archive}`], env),
      );
      return sameVerdict(join(home, 'root/bin/kubectl-csi'), env);
    },
  },
  {
    name: 'helm lints and renders the chart, in six configurations',
    lacks: () => lacksTool('helm'),
    run: async ({ directory }) => {
      const env = cleanEnvironment(join(directory, 'helm'));
      const helm = pathOf(tool('helm') as (typeof installers)[number]);
      const chart = asset(`${programName}-chart-${version}.tgz`);
      await mustSucceed(run([helm, 'lint', '--strict', '--kube-version', '1.37.0', chart], env));
      const kinds = [];
      for (const settings of [
        [],
        ['--set', 'namespaces={shop,data}'],
        ['--set', 'prometheusRule.enabled=true'],
        ['--set', 'secrets=false', '--set', 'check.args={--fail-on=warning}'],
        ['--set', 'serve.enabled=true', '--set', 'check.enabled=false'],
        [
          '--set',
          'serve.enabled=true,serve.serviceMonitor.enabled=true,serve.dashboard.enabled=true,prometheusRule.enabled=true',
          '--set',
          'serve.tls.secretName=tls,serve.notify.secretName=notify,serve.replicas=2',
        ],
      ]) {
        const words = ['template', 'storage', chart, '--namespace', 'storage', '--kube-version', '1.37.0', ...settings];
        const { stdout } = await mustSucceed(run([helm, ...words], env));
        const documents = stdout.split(/^---$/m).map((text) => parse(text) as { readonly kind?: string } | null);
        kinds.push(documents.flatMap((document) => document?.kind ?? []).length);
        if (settings.includes('secrets=false') && stdout.includes('"secrets"'))
          throw new Error('secrets=false still grants the right to read Secrets.');
      }
      return `${kinds.join(', ')} objects`;
    },
  },
  {
    name: 'two builds have the same bytes',
    lacks: () => (process.env['CI'] === undefined ? 'patience: set CI=true to build a second time' : undefined),
    run: async ({ directory }) => {
      const output = join(directory, 'again');
      const env = { ...process.env, HOME: directory } as Record<string, string>;
      mkdirSync(output);
      writeFileSync(join(output, 'note'), '');
      await mustSucceed(run([process.execPath, resolve('build/release/main.ts'), '--output', output], env, 1_200_000));
      const [one, two] = [assets, join(output, 'assets')].map((place) =>
        readFileSync(join(place, 'checksums.txt'), 'utf8'),
      );
      if (one !== two) throw new Error(`the checksums differ:\n${one}\n${two}`);
      return 'all files';
    },
  },
];

async function mustSucceed(finished: ReturnType<typeof run>): ReturnType<typeof run> {
  const outcome = await finished;
  if (outcome.code !== 0)
    throw new Error(`exit code ${outcome.code}:\n${outcome.stdout.slice(-800)}${outcome.stderr.slice(-800)}`);
  return outcome;
}

async function sameVerdict(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const outcome = await run([program, 'why', '-A', '--from', dump], env);
  if (outcome.code !== 1 || !verdict.test(outcome.stdout))
    throw new Error(`exit code ${outcome.code}:\n${outcome.stdout.slice(0, 800)}${outcome.stderr.slice(0, 800)}`);
  return 'the same verdict on the same dump';
}
