import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { Authority } from '../../e2e/cluster/certificates.ts';
import { differingParts, parts, readByClientNode, readByUs, refusedByBoth } from '../../kit/kubeconfig-readings.ts';
import type { Reading } from '../../kit/kubeconfig-readings.ts';

/** Which parts of a reading differ, and why; `isRefused` stands for all of them. */
type Differences = { readonly [part in keyof Reading]?: string };

interface Choice {
  readonly written: Readonly<Record<string, unknown>>;
  readonly differs?: Differences;
  /** Neither of the two goes on with it. */
  readonly isRefusedByBoth?: true;
  /** Which of the two does not go on with it, where they differ in that. */
  readonly refusedBy?: 'us' | 'client-node';
  /** We read it only for a server with TLS, as kubectl does. */
  readonly isOnlyForTls?: true;
  readonly isWithoutTls?: true;
}

const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-oracle-'));
const authority = await Authority.create(directory);
const certificate = await authority.issue('certificate', 'jo');
const otherAuthority = await Authority.create(join(directory, 'other'));
const sources: Readonly<Record<string, string>> = {
  ca: authority.certificate,
  'other-ca': otherAuthority.certificate,
  certificate: certificate.certificate,
  key: certificate.key,
};
const pem = (name: string): string => readFileSync(sources[name] ?? '', 'utf8');

beforeAll(() => {
  for (const name of Object.keys(sources)) write(`${name}.pem`, pem(name));
  write('token', 'token-of-file');
  const answer = (status: object): string =>
    JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });
  write('plugin', `#!/bin/sh\nprintf '${answer({ token: '%s-%s' })}' "$WHO" "$1"\n`);
  write('certificate-answer', answer({ clientCertificateData: pem('certificate'), clientKeyData: pem('key') }));
  write('certificate-plugin', `#!/bin/sh\ncat ${join(directory, 'certificate-answer')}\n`);
  write('failing-plugin', '#!/bin/sh\nexit 1\n');
  for (const name of ['plugin', 'certificate-plugin', 'failing-plugin']) chmodSync(join(directory, name), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function write(name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function expectedParts(...choices: readonly Choice[]): string[] {
  const isWithoutTls = choices.some((choice) => choice.isWithoutTls);
  if (choices.some((choice) => choice.isRefusedByBoth && !(isWithoutTls && choice.isOnlyForTls)))
    return [refusedByBoth];
  if (new Set(choices.flatMap(({ refusedBy }) => refusedBy ?? [])).size > 1) return [refusedByBoth];
  const listed = choices.flatMap((choice) => Object.keys(choice.differs ?? {}));
  return listed.includes('isRefused') ? ['isRefused'] : parts.filter((part) => listed.includes(part));
}

const clusters: Readonly<Record<string, Choice>> = {
  plain: { written: { server: 'https://east.example:6443' } },
  'a trailing slash': { written: { server: 'https://east.example/' } },
  'a path': { written: { server: 'https://rancher.example/k8s/clusters/c-1' } },
  'an authority as data': {
    written: { server: 'https://east.example', 'certificate-authority-data': base64(pem('ca')) },
  },
  'an authority in a file beside it': {
    written: { server: 'https://east.example', 'certificate-authority': 'ca.pem' },
  },
  'an authority in a file elsewhere': {
    written: { server: 'https://east.example', 'certificate-authority': join(directory, 'ca.pem') },
  },
  'an authority that is not there': {
    isRefusedByBoth: true,
    written: { server: 'https://east.example', 'certificate-authority': 'gone.pem' },
  },
  'an authority both ways': {
    written: {
      server: 'https://east.example',
      'certificate-authority': 'other-ca.pem',
      'certificate-authority-data': base64(pem('ca')),
    },
    refusedBy: 'us',
    differs: { isRefused: 'kubectl refuses both (clientcmd, validateClusterInfo); client-node takes the file' },
  },
  'no verification': { written: { server: 'https://east.example', 'insecure-skip-tls-verify': true } },
  'a name for TLS': { written: { server: 'https://10.0.0.1', 'tls-server-name': 'east.example' } },
  'an HTTP proxy': { written: { server: 'https://east.example', 'proxy-url': 'http://proxy.example:3128' } },
  'a SOCKS proxy': { written: { server: 'https://east.example', 'proxy-url': 'socks5://proxy.example:1080' } },
  'plain HTTP': {
    isWithoutTls: true,
    written: { server: 'http://127.0.0.1:8080' },
    refusedBy: 'client-node',
    differs: { isRefused: 'client-node refuses HTTP unless verification is off; kubectl speaks it, to kubectl proxy' },
  },
  'no server': { isRefusedByBoth: true, written: { 'certificate-authority': 'ca.pem' } },
};

const token = (claims: object): string =>
  ['{}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
const nextCentury = token({ exp: 4_000_000_000 });

const exec = (command: string, rest: object = {}): Readonly<Record<string, unknown>> => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command, ...rest },
});

const users: Readonly<Record<string, Choice>> = {
  nobody: { written: {} },
  'a token': { written: { token: 'abc' } },
  'a token file': {
    written: { tokenFile: join(directory, 'token') },
    differs: {
      authorization: 'client-node looks for token-file, which no kubeconfig has (clientcmd/api/v1: tokenFile)',
    },
  },
  'a token and a token file': {
    written: { token: 'abc', tokenFile: join(directory, 'token') },
    differs: { authorization: 'as above: client-go prefers the file (clientcmd/api.AuthInfo.TokenFile)' },
  },
  'a name and a password': { written: { username: 'jo', password: 'secret' } },
  'a certificate as data': {
    written: { 'client-certificate-data': base64(pem('certificate')), 'client-key-data': base64(pem('key')) },
  },
  'a certificate in files beside it': { written: { 'client-certificate': 'certificate.pem', 'client-key': 'key.pem' } },
  'a certificate both ways': {
    written: {
      'client-certificate': 'ca.pem',
      'client-certificate-data': base64(pem('certificate')),
      'client-key': 'ca.pem',
      'client-key-data': base64(pem('key')),
    },
    refusedBy: 'us',
    differs: { isRefused: 'kubectl refuses both (clientcmd, validateAuthInfo); client-node takes the files' },
  },
  'a certificate that is not there': {
    isRefusedByBoth: true,
    written: { 'client-certificate': 'gone.pem', 'client-key': 'gone.pem' },
  },
  'a certificate and a token': {
    written: {
      token: 'abc',
      'client-certificate-data': base64(pem('certificate')),
      'client-key-data': base64(pem('key')),
    },
  },
  'another user to act as': { written: { token: 'abc', as: 'jane' } },
  'a plugin': {
    written: exec(join(directory, 'plugin'), { args: ['--flag'], env: [{ name: 'WHO', value: 'jo' }] }),
  },
  'a plugin beside it': {
    written: exec('./plugin', { args: ['--flag'], env: [{ name: 'WHO', value: 'jo' }] }),
    refusedBy: 'client-node',
    differs: { isRefused: 'client-node looks from where it runs; clientcmd resolves the path from the kubeconfig' },
  },
  'a plugin with a certificate': { written: exec(join(directory, 'certificate-plugin')) },
  'a plugin that fails': {
    isRefusedByBoth: true,
    isOnlyForTls: true,
    written: exec(join(directory, 'failing-plugin')),
  },
  'a plugin that is not there': {
    isRefusedByBoth: true,
    isOnlyForTls: true,
    written: exec(join(directory, 'no-plugin')),
  },
  'a plugin and a token': {
    written: { ...exec(join(directory, 'plugin'), { env: [{ name: 'WHO', value: 'jo' }] }), token: 'abc' },
  },
  'an OIDC token': {
    written: {
      'auth-provider': {
        name: 'oidc',
        config: { 'id-token': nextCentury, 'idp-issuer-url': 'https://issuer.example', 'client-id': 'a' },
      },
    },
  },
};

const namespaces: readonly Readonly<Record<string, unknown>>[] = [{ namespace: 'shop' }, {}, { namespace: '' }];

interface Entries {
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly user: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
}

function config({ cluster, user, context }: Entries, name = 'east', current: string | undefined = name): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...(current !== undefined && { 'current-context': current }),
    clusters: [{ name, cluster }],
    users: [{ name: `jo-${name}`, user }],
    contexts: [{ name, context: { cluster: name, user: `jo-${name}`, ...context } }],
  };
}

/** The file names become KUBECONFIG; the home directory is empty. */
async function compare(files: Readonly<Record<string, string>>, listed = Object.keys(files)): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) write(name, text);
  vi.stubEnv('HOME', join(directory, 'home'));
  vi.stubEnv('KUBECONFIG', listed.map((name) => (name === '' ? '' : join(directory, name))).join(delimiter));
  const [ours, theirs] = [await readByUs(), await readByClientNode()];
  return differingParts(ours, theirs);
}

/**
 * The same kubeconfigs read by us and by the `KubeConfig` of client-node: same server, same authority, same credentials.
 * Where the two differ, the choice says so and why: client-node differs from kubectl there.
 */
describe('client-node reads from a kubeconfig what we read', () => {
  it.each(Object.keys(clusters))('of a cluster with %s, whoever the user is', async (clusterName) => {
    const cluster = clusters[clusterName]!;
    const found: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    for (const [at, [userName, user]] of Object.entries(users).entries()) {
      const context = namespaces[at % namespaces.length]!;
      const entries = { cluster: cluster.written, user: user.written, context };
      found[userName] = await compare({ config: stringify(config(entries)) });
      expected[userName] = expectedParts(cluster, user);
    }
    expect(found).toEqual(expected);
  });

  const east = { cluster: { server: 'https://east.example' }, user: { token: 'abc' }, context: { namespace: 'shop' } };
  const west = { cluster: { server: 'https://west.example' }, user: { token: 'xyz' }, context: { namespace: 'web' } };
  const block = stringify(config(east));

  it.each<[string, string]>([
    ['block style', block],
    ['flow style', stringify(config(east), { collectionStyle: 'flow' })],
    ['JSON', JSON.stringify(config(east))],
    ['JSON over several lines', JSON.stringify(config(east), undefined, 2)],
    ['a document start', `---\n${block}`],
    ['a byte order mark', `\uFEFF${block}`],
    ['lines that end with CRLF', block.replaceAll('\n', '\r\n')],
    ['comments', `# made by hand\n${block.replaceAll('\n', ' # why\n')}`],
    ['quoted words', stringify(config(east), { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_SINGLE' })],
    ['lists that are indented', stringify(config(east), { indentSeq: true })],
    ['lists that are not', stringify(config(east), { indentSeq: false })],
    [
      'anchors',
      block.replace('current-context: east', 'current-context: &name east').replace('cluster: east', 'cluster: *name'),
    ],
    ['a folded token', block.replace('token: abc', 'token: >-\n        abc')],
    ['fields nobody knows', `${block}preferences: {colors: true}\nextensions:\n- name: x\n  extension: {a: [1, 2]}\n`],
  ])('written in %s', async (_, text) => {
    expect(await compare({ config: text })).toEqual([]);
  });

  it('written with a token that is a number, which kubectl refuses and client-node takes', async () => {
    expect(await compare({ config: block.replace('abc', '123456') })).toEqual(['isRefused']);
  });

  it.each<[string, string]>([
    ['no context', 'current-context: ""\n'],
    ['nothing', ''],
    ['something that is no YAML', '{'],
    ['a list', '- a\n- b\n'],
  ])('that holds %s', async (_, text) => {
    expect(await compare({ config: text })).toEqual([refusedByBoth]);
  });

  const lastWins = 'client-node takes the last current-context, kubectl the first (clientcmd.ClientConfigLoadingRules)';
  const noMerge = 'client-node gives up at a name that it has seen; in kubectl the first file to name something wins';

  it.each<[string, Readonly<Record<string, string>>, Differences, string[]?]>([
    ['the first names the context', { a: stringify(config(east)), b: stringify(config(west, 'west', '')) }, {}],
    [
      'the second names the context',
      { a: stringify(config(east, 'east', '')), b: stringify(config(west, 'west')) },
      {},
    ],
    [
      'the first names a context of the second',
      { a: stringify(config(east, 'east', 'west')), b: stringify(config(west, 'west', '')) },
      {},
    ],
    ['both name the same context', { a: stringify(config(east)), b: stringify(config(west, 'west', 'east')) }, {}],
    [
      'both name a context',
      { a: stringify(config(east)), b: stringify(config(west, 'west')) },
      { server: lastWins, namespace: lastWins, authorization: lastWins },
    ],
    ['both have the same names', { a: stringify(config(east)), b: stringify(config(west)) }, { isRefused: noMerge }],
    [
      'an empty name stands between them',
      { a: stringify(config(east)), b: stringify(config(west, 'west', '')) },
      {},
      ['a', '', 'b'],
    ],
    ['one is listed twice', { a: stringify(config(east)) }, { isRefused: noMerge }, ['a', 'a']],
    [
      'one is not there',
      { a: stringify(config(east)) },
      { isRefused: 'client-node needs every file; kubectl passes over those that are missing' },
      ['a', 'gone'],
    ],
    [
      'files are in different directories',
      {
        'one/a': stringify(config(east, 'east', 'west')),
        'two/b': stringify(
          config({ ...west, cluster: { ...west.cluster, 'certificate-authority': '../ca.pem' } }, 'west', ''),
        ),
      },
      {},
    ],
  ])('merged from several files: %s', async (_, files, differs, listed = Object.keys(files)) => {
    expect(await compare(files, listed)).toEqual(Object.keys(differs));
  });

  it.each<[string, object, readonly string[]]>([
    [
      'names a cluster that is not there',
      { contexts: [{ name: 'east', context: { cluster: 'gone', user: 'jo-east' } }] },
      [refusedByBoth],
    ],
    ['is not there itself', { contexts: [] }, [refusedByBoth]],
    [
      'names a user that is not there, so that client-node goes on as nobody and kubectl refuses',
      { contexts: [{ name: 'east', context: { cluster: 'east', user: 'gone' } }] },
      ['isRefused'],
    ],
    ['names no user', { contexts: [{ name: 'east', context: { cluster: 'east' } }] }, []],
    [
      'is there twice, which kubectl refuses',
      {
        contexts: [
          { name: 'east', context: { cluster: 'east', user: 'jo-east', namespace: 'first' } },
          { name: 'east', context: { cluster: 'east', user: 'jo-east', namespace: 'second' } },
        ],
      },
      ['isRefused'],
    ],
    [
      'has a cluster that is there twice, which kubectl refuses',
      {
        clusters: [
          { name: 'east', cluster: { server: 'https://first.example' } },
          { name: 'east', cluster: { server: 'https://second.example' } },
        ],
      },
      ['isRefused'],
    ],
    [
      'has a user that is there twice, which kubectl refuses',
      {
        users: [
          { name: 'jo-east', user: { token: 'first' } },
          { name: 'jo-east', user: { token: 'second' } },
        ],
      },
      ['isRefused'],
    ],
  ])('whose context %s', async (_, changed, differs) => {
    expect(await compare({ config: stringify({ ...config(east), ...changed }) })).toEqual(differs);
  });

  it('in the home directory', async () => {
    write('home/.kube/config', block);
    expect(await compare({}, [])).toEqual([]);
    vi.stubEnv('HOME', join(directory, 'home'));
    expect(await readByUs()).toMatchObject({ server: 'https://east.example', authorization: 'Bearer abc' });
  });
});
