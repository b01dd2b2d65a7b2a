import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { manifest } from '../../src/cli/manifest.ts';
import { judgedKinds, parseTargets, tracedKinds } from '../../src/cli/targets.ts';
import { parseListenAddress } from '../../src/mcp/listen-address.ts';
import { runProgram } from '../kit/run-program.ts';

const directory = join(import.meta.dirname, '../../docs/integrations');
const read = (file: string): string => readFileSync(join(directory, file), 'utf8');
const files = readdirSync(directory).filter((file) => file !== 'README.md');

type Fields = Readonly<Record<string, unknown>>;
interface Started {
  readonly file: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What is in a file, as its reader takes it. YAML 1.2 includes JSON. */
function documentsOf(file: string): Fields[] {
  return parseAllDocuments(read(file)).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS() as Fields;
  });
}

/** Everything in a document that starts a program. */
function startsIn(file: string, value: unknown): Started[] {
  if (typeof value !== 'object' || value === null) return [];
  const { command, args } = value as { readonly command?: unknown; readonly args?: unknown };
  const own = Array.isArray(args) ? [{ file, command: String(command ?? 'kubectl-csi'), args: args as string[] }] : [];
  return [...own, ...Object.values(value).flatMap((entry) => startsIn(file, entry))];
}

/** The words after `kubectl csi`. */
function wordsOf({ command, args }: Started): readonly string[] {
  if (/(^|\/)kubectl-csi$/.test(command)) return args;
  expect([command, args[0]]).toEqual(['kubectl', 'csi']);
  return args.slice(1);
}

const k9sFile = 'k9s-plugins.yaml';
const started = files
  .filter((file) => file !== k9sFile)
  .flatMap((file) => documentsOf(file).flatMap((document) => startsIn(file, document)));

describe('configurations of agents', () => {
  it('are all listed', () => {
    const page = read('README.md');
    for (const file of files) expect(page).toContain(`](${file})`);
  });

  it.each(started)('$file: $command $args is a command line of this program', (start) => {
    const { command, own, words } = readCommandLine([...wordsOf(start)], manifest);
    expect({ command: command?.id, problems: own.problems, words }).toEqual({
      command: 'mcp',
      problems: [],
      words: [],
    });
    const [http] = own.values.get('http') ?? [];
    if (http !== undefined) expect(parseListenAddress(http).port).toBe(8931);
  });

  it('are in every file', () => {
    expect([...new Set([...started.map(({ file }) => file), k9sFile, 'holmesgpt-helm.yaml'])].sort()).toEqual(
      [...files].sort(),
    );
  });

  it('agree on the address in the cluster', () => {
    const [values] = documentsOf('holmesgpt-helm.yaml') as [
      { readonly mcp_servers: { readonly kubectl_csi: { readonly config: { readonly url: string } } } },
    ];
    const { host, pathname } = new URL(values.mcp_servers.kubectl_csi.config.url);
    expect([host, pathname]).toEqual(['kubectl-csi-mcp.storage-tools.svc:8931', '/mcp']);
    const [, , service] = documentsOf('in-cluster.yaml') as {
      readonly metadata: { name: string; namespace: string };
    }[];
    expect(`${service?.metadata.name}.${service?.metadata.namespace}.svc:8931`).toBe(host);
    expect(read('in-cluster.yaml')).toContain('- kubectl-csi-mcp.storage-tools.svc\n');
  });
});

interface Plugin {
  readonly shortCut: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly command: string;
  readonly args: readonly [string, string];
}

describe('the plugins of k9s', () => {
  const [{ plugins } = { plugins: {} }] = documentsOf(k9sFile) as unknown as {
    plugins: Readonly<Record<string, Plugin>>;
  }[];
  const entries = Object.entries(plugins);
  const clusterScoped = ['pv', 'sc', 'volumeattachments', 'nodes', 'ns'];

  it('cover why and trace on claims, pods, volumes and attachments', () => {
    const names = entries.map(([name]) => name);
    for (const name of ['why-pvc', 'why-pod', 'why-pv', 'why-sc', 'why-va', 'trace-pvc', 'trace-pod'])
      expect(names).toContain(`csi-${name}`);
    const keys = entries.flatMap(([, { shortCut, scopes }]) => scopes.map((scope) => `${shortCut} ${scope}`));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(entries)('%s runs a command line of this program', async (_name, { scopes, command, args }) => {
    expect([command, args[0]]).toEqual(['sh', '-c']);
    // k9s refuses a line with a variable that it does not know, and replaces text even between quotes.
    const variables = [...args[1].matchAll(/\$(\w+)/g)].map(([, variable]) => variable);
    const isNamespaced = !clusterScoped.includes(scopes[0] ?? '');
    expect(variables).toEqual(isNamespaced ? ['NAME', 'NAMESPACE', 'CONTEXT'] : ['NAME', 'CONTEXT']);
    const line = args[1]
      .replace('$NAMESPACE', 'shop')
      .replace('$NAME', 'data-0')
      .replace('$CONTEXT', 'arn:aws:eks/a b');
    const [, words = ''] = /^kubectl csi (.*) 2>&1 \| less -R$/.exec(line) ?? [];
    const parsed = readCommandLine(
      [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
      manifest,
    );
    expect(parsed.own.problems).toEqual([]);
    expect(parsed.own.values.get('context')).toEqual(['arn:aws:eks/a b']);
    expect(parsed.own.values.get('color')).toEqual(['always']);
    const kinds = parsed.command?.id === 'trace' ? tracedKinds : judgedKinds.everything;
    const targets = await parseTargets(parsed.words, { kinds });
    expect(targets.map(({ name }) => name)).toEqual(['data-0']);
    // The program takes the line too: what is missing here is the context.
    const { exitCode, stderr } = await runProgram([parsed.command?.id ?? '', ...parsed.words, '--context', 'none']);
    expect(exitCode, stderr).toBe(4);
  });
});
