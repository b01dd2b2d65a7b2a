import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ConnectionFlags } from '../../src/io/cluster/flags.ts';
import { expiredToken, validToken } from './kubeconfig-lab.ts';
import type { Places } from './kubeconfig-lab.ts';

/** One kubeconfig, or several, with flags and variables: both programs list the pods of their namespace with it. */
export interface MatrixCase {
  readonly name: string;
  /** Written to the directory of the lab. */
  readonly files: Readonly<Record<string, string>>;
  /** KUBECONFIG; unless said otherwise, the files. */
  readonly listed?: readonly string[];
  readonly flags?: ConnectionFlags;
  readonly variables?: Readonly<Record<string, string>>;
}

type Entry = Readonly<Record<string, unknown>>;
interface Parts {
  readonly cluster: Entry;
  readonly user: Entry;
  readonly context?: Entry;
}

function config({ cluster, user, context }: Parts, name = 'east', current: string | undefined = name): Entry {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...(current !== undefined && { 'current-context': current }),
    clusters: [{ name, cluster }],
    users: [{ name: `jo-${name}`, user }],
    contexts: [{ name, context: { cluster: name, user: `jo-${name}`, ...context } }],
  };
}

/**
 * The matrix: every cluster with a few users, every user with a few clusters, and the cases that are neither. The short one leaves out
 * combinations, no cluster and no user.
 */
export function matrixOf(places: Places, isShort = false): readonly MatrixCase[] {
  const clusters = clustersOf(places);
  const users = usersOf(places);
  const common = (names: readonly string[]) => new Set(names);
  const someClusters = common(['TLS', 'plain', ...(isShort ? [] : ['no scheme', 'TLS behind an http proxy'])]);
  const someUsers = common(['a token', 'a plugin', ...(isShort ? [] : ['nobody', 'a certificate as data'])]);
  const namespaces: readonly Entry[] = [{ namespace: 'shop' }, {}, { namespace: '' }];
  const product = Object.entries(clusters).flatMap(([clusterName, cluster]) =>
    Object.entries(users).flatMap(([userName, user], at) => {
      if (!someClusters.has(clusterName) && !someUsers.has(userName)) return [];
      const text = stringify(config({ cluster, user, context: namespaces[at % 3]! }));
      return [{ name: `${clusterName} + ${userName}`, files: { config: text } }];
    }),
  );
  return [
    ...product,
    ...flagCases(places),
    ...typeCases(places),
    ...writingCases(places),
    ...mergeCases(places),
    ...proxyCases(places),
  ];
}

function encodedFile({ directory }: Places, name: string): string {
  return readFileSync(join(directory, name)).toString('base64');
}

function clustersOf(places: Places): Readonly<Record<string, Entry>> {
  const server = `https://127.0.0.1:${places.tls}`;
  const ca = { 'certificate-authority-data': encodedFile(places, 'ca.crt') };
  const plain = `http://127.0.0.1:${places.plain}`;
  const tls = { server, ...ca };
  return {
    TLS: tls,
    plain: { server: plain },
    'no scheme': { server: `127.0.0.1:${places.plain}` },
    'TLS behind an http proxy': { ...tls, 'proxy-url': `http://127.0.0.1:${places.httpProxy}` },
    'no scheme, with a CA': { server: `127.0.0.1:${places.plain}`, ...ca },
    'no scheme, no verification': { server: `127.0.0.1:${places.plain}`, 'insecure-skip-tls-verify': true },
    'no scheme, a path': { server: `127.0.0.1:${places.plain}/base`, ...ca },
    'scheme in capitals': { ...tls, server: server.replace('https', 'HTTPS') },
    'another scheme': { ...tls, server: server.replace('https', 'ftp') },
    'a trailing slash': { ...tls, server: `${server}/` },
    'a path': { ...tls, server: `${server}/base` },
    'a path and a slash': { ...tls, server: `${server}/base/` },
    'a path and a query': { ...tls, server: `${server}/base?x=y#z` },
    'a space before it': { ...tls, server: ` ${server}` },
    localhost: { ...tls, server: `https://localhost:${places.tls}` },
    'an empty server': { ...tls, server: '' },
    'no server': ca,
    'an empty cluster': {},
    'a login in the address': { ...tls, server: server.replace('//', '//url-user:url-pass@') },
    'a login in a plain address': { server: plain.replace('//', '//url-user:url-pass@') },
    'a CA in a file': { server, 'certificate-authority': 'ca.crt' },
    'a CA in an absolute file': { server, 'certificate-authority': join(places.directory, 'ca.crt') },
    'a CA in a file that is missing': { server, 'certificate-authority': 'gone.crt' },
    'a missing CA file, plain': { server: plain, 'certificate-authority': 'gone.crt' },
    'a CA as data and in a file': { ...tls, 'certificate-authority': 'other/ca.crt' },
    'a CA as data and a missing file, plain': { server: plain, ...ca, 'certificate-authority': 'gone.crt' },
    'the CA of somebody else': { server, 'certificate-authority': 'other/ca.crt' },
    'a CA that is no certificate': { server, 'certificate-authority': 'garbage.pem' },
    'a CA that is no base64': { server, 'certificate-authority-data': '%%%' },
    'a CA without padding': { server, 'certificate-authority-data': 'YQ' },
    'a CA in broken lines': {
      server,
      'certificate-authority-data': ca['certificate-authority-data'].replace(/.{64}/g, '$&\n'),
    },
    'no CA': { server },
    'no verification': { server, 'insecure-skip-tls-verify': true },
    'no verification, a CA as data': { ...tls, 'insecure-skip-tls-verify': true },
    'no verification, a CA in a file': { server, 'certificate-authority': 'ca.crt', 'insecure-skip-tls-verify': true },
    'no verification, a CA, plain': { server: plain, ...ca, 'insecure-skip-tls-verify': true },
    'no verification, said to be false': { ...tls, 'insecure-skip-tls-verify': false },
    'a name for TLS': { ...tls, 'tls-server-name': 'api.lab.example' },
    'a wrong name for TLS': { ...tls, 'tls-server-name': 'other.lab.example' },
    'no compression': { ...tls, 'disable-compression': true },
    'no compression, plain': { server: plain, 'disable-compression': true },
    'TLS behind an https proxy': { ...tls, 'proxy-url': `https://127.0.0.1:${places.httpsProxy}` },
    'TLS behind an https proxy, no verification': {
      server,
      'insecure-skip-tls-verify': true,
      'proxy-url': `https://127.0.0.1:${places.httpsProxy}`,
    },
    'TLS behind an https proxy that nobody signed': {
      server,
      'certificate-authority': 'other/ca.crt',
      'proxy-url': `https://127.0.0.1:${places.httpsProxy}`,
    },
    'TLS with a name behind an https proxy': {
      ...tls,
      'tls-server-name': 'api.lab.example',
      'proxy-url': `https://127.0.0.1:${places.httpsProxy}`,
    },
    'TLS behind a SOCKS proxy': { ...tls, 'proxy-url': `socks5://127.0.0.1:${places.socksProxy}` },
    'TLS behind a SOCKS proxy, by name': {
      ...tls,
      server: `https://api.lab.example:${places.tls}`,
      'proxy-url': `socks5://127.0.0.1:${places.socksProxy}`,
    },
    'TLS by name behind an http proxy': {
      ...tls,
      server: `https://api.lab.example:${places.tls}`,
      'proxy-url': `http://127.0.0.1:${places.httpProxy}`,
    },
    'TLS behind a socks5h proxy': { ...tls, 'proxy-url': `socks5h://127.0.0.1:${places.socksProxy}` },
    'a proxy with a login': { ...tls, 'proxy-url': `http://me:p%40ss@127.0.0.1:${places.httpProxy}` },
    'a proxy without a scheme': { ...tls, 'proxy-url': `127.0.0.1:${places.httpProxy}` },
    'a proxy of another scheme': { ...tls, 'proxy-url': `ftp://127.0.0.1:${places.httpProxy}` },
    'an empty proxy': { ...tls, 'proxy-url': '' },
    'plain behind an http proxy': { server: plain, 'proxy-url': `http://127.0.0.1:${places.httpProxy}` },
    'plain behind an http proxy with a login': {
      server: plain,
      'proxy-url': `http://me:pass@127.0.0.1:${places.httpProxy}`,
    },
    'plain behind a SOCKS proxy': { server: plain, 'proxy-url': `socks5://127.0.0.1:${places.socksProxy}` },
  };
}

const exec = (command: string, rest: Entry = {}): Entry => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    command: `./plugins/${command}`,
    ...rest,
  },
});

function usersOf(places: Places): Readonly<Record<string, Entry>> {
  const certificate = {
    'client-certificate-data': encodedFile(places, 'jo.crt'),
    'client-key-data': encodedFile(places, 'jo.key'),
  };
  const certificateFiles = { 'client-certificate': 'jo.crt', 'client-key': 'jo.key' };
  const basic = { username: 'jo', password: 'secret' };
  const token = { token: 'abc' };
  const oidc = (settings: Entry = {}, variant = 'basic'): Entry => ({
    'auth-provider': {
      name: 'oidc',
      config: {
        'idp-issuer-url': `https://127.0.0.1:${places.issuer}/${variant}`,
        'idp-certificate-authority': join(places.directory, 'ca.crt'),
        'client-id': 'kubernetes',
        'client-secret': 's3cret',
        'refresh-token': 'refresh-me',
        ...settings,
      },
    },
  });
  return {
    nobody: {},
    'a token': token,
    'an empty token': { token: '' },
    'a token with a line break': { token: 'abc\n' },
    'a token with a break inside': { token: 'abc\ndef' },
    'a token with a space': { token: 'ab c' },
    'a token with umlauts': { token: 'äbc' },
    'a token file': { tokenFile: 'token' },
    'a token file that is missing': { tokenFile: 'gone' },
    'a token file that is empty': { tokenFile: 'empty-token' },
    'a token and a token file': { ...token, tokenFile: 'token' },
    'a token and a missing token file': { ...token, tokenFile: 'gone' },
    'a token and an empty token file': { ...token, tokenFile: 'empty-token' },
    'a name and a password': basic,
    'a name without a password': { username: 'jo' },
    'a password without a name': { password: 'secret' },
    'a name and a token': { ...basic, ...token },
    'a name and a token file': { ...basic, tokenFile: 'token' },
    'a certificate as data': certificate,
    'a certificate in files': certificateFiles,
    'a certificate both ways': { ...certificate, ...certificateFiles },
    'a certificate as data with its key in a file': { ...certificate, 'client-key': 'jo.key', 'client-key-data': '' },
    'a certificate that is missing': { 'client-certificate': 'gone.crt', 'client-key': 'jo.key' },
    'a certificate without a key': { 'client-certificate': 'jo.crt' },
    'a key without a certificate': { 'client-key': 'jo.key' },
    'a certificate with the key of another': { 'client-certificate': 'jo.crt', 'client-key': 'kim.key' },
    'a certificate that is none': { 'client-certificate': 'garbage.pem', 'client-key': 'jo.key' },
    'a certificate and a token': { ...certificate, ...token },
    'a certificate and a name': { ...certificate, ...basic },
    'a certificate and a plugin': { ...certificate, ...exec('token') },
    'a token and a plugin': { ...token, ...exec('token') },
    'a token file and a plugin': { tokenFile: 'token', ...exec('token') },
    'a name and a plugin': { ...basic, ...exec('token') },
    'a plugin': exec('token'),
    'a plugin with arguments': exec('arguments', { args: ['--flag', '2'], env: [{ name: 'WHO', value: 'jo' }] }),
    'a plugin that is told the cluster': exec('token', { provideClusterInfo: true }),
    'a plugin of v1beta1': exec('beta', { apiVersion: 'client.authentication.k8s.io/v1beta1' }),
    'a plugin of v1beta1 without a mode': {
      exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: './plugins/beta' },
    },
    'a plugin of v1alpha1': exec('alpha', { apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    'a plugin of no version': { exec: { command: './plugins/token', interactiveMode: 'Never' } },
    'a plugin without a mode': { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugins/token' } },
    'a plugin of a mode that nobody knows': exec('token', { interactiveMode: 'Sometimes' }),
    'a plugin that wants a terminal': exec('token', { interactiveMode: 'Always' }),
    'a plugin that may have a terminal': exec('token', { interactiveMode: 'IfAvailable' }),
    'a plugin that reads': exec('reading', { interactiveMode: 'IfAvailable' }),
    'a plugin without a command': { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' } },
    'a plugin with a variable without a name': exec('token', { env: [{ name: '', value: 'x' }] }),
    'a plugin that is missing': exec('gone', { installHint: 'install it' }),
    'a plugin that is not executable': exec('not-executable'),
    'a plugin that gives a certificate': exec('certificate'),
    'a plugin that gives both': exec('both'),
    ...Object.fromEntries(
      [
        'only-certificate',
        'only-key',
        'bad-certificate',
        'no-version',
        'no-kind',
        'other-kind',
        'other-group',
        'no-status',
        'empty-status',
        'empty-token',
        'number-token',
        'bad-time',
        'expired',
        'expires',
        'yaml',
        'garbage',
        'nothing',
        'failing',
        'talkative',
        'beta',
      ].map((plugin) => [`a plugin: ${plugin}`, exec(plugin)]),
    ),
    'a plugin and an auth provider': { ...exec('token'), ...oidc({ 'id-token': validToken }) },
    'OIDC, a valid token': oidc({ 'id-token': validToken }),
    'OIDC, an expired token': oidc({ 'id-token': expiredToken }),
    'OIDC, no token': oidc(),
    'OIDC, a client that logs in with the form': oidc({}, 'form'),
    'OIDC, an issuer without id tokens': oidc({}, 'bare'),
    'OIDC, no refresh token': oidc({ 'id-token': expiredToken, 'refresh-token': '' }),
    'OIDC, a token that is none': oidc({ 'id-token': 'abc' }),
    'OIDC, a wrong secret': oidc({ 'client-secret': 'wrong' }),
    'OIDC, a CA as data': oidc({
      'idp-certificate-authority': '',
      'idp-certificate-authority-data': encodedFile(places, 'ca.crt'),
    }),
    'OIDC, the CA of somebody else': oidc({ 'idp-certificate-authority': join(places.directory, 'other', 'ca.crt') }),
    'OIDC, no issuer': oidc({ 'idp-issuer-url': '', 'id-token': validToken }),
    'OIDC, no client': oidc({ 'client-id': '', 'id-token': validToken }),
    'OIDC and a token': { ...oidc({ 'id-token': validToken }), ...token },
    'OIDC and a name': { ...oidc({ 'id-token': validToken }), ...basic },
    'OIDC and a certificate': { ...oidc({ 'id-token': validToken }), ...certificate },
    'the auth provider gcp': {
      'auth-provider': {
        name: 'gcp',
        config: {
          'cmd-path': join(places.directory, 'plugins', 'token'),
          'access-token': 'x',
          expiry: '2091-01-01T00:00:00Z',
        },
      },
    },
    'the auth provider azure': { 'auth-provider': { name: 'azure', config: { 'access-token': 'x' } } },
    'an auth provider that nobody knows': { 'auth-provider': { name: 'other' } },
    'another user to act as': { ...token, as: 'jane' },
    'another user with everything': {
      ...token,
      as: 'jäne 中',
      'as-uid': 'ü-1',
      'as-groups': ['öps', 'dev'],
      'as-user-extra': { 'example.com/Scopes': ['ä', 'b'], '50%': ['x'], ключ: ['z'], none: [] },
    },
    'another user with a line break': { ...token, as: 'jane\nadmin' },
    'a group without a user': { ...token, 'as-groups': ['ops'] },
    'a uid without a user': { ...token, 'as-uid': '1' },
    'an extra without a user': { ...token, 'as-user-extra': { a: ['b'] } },
  };
}

function flagCases(places: Places): readonly MatrixCase[] {
  const { directory } = places;
  const server = `https://127.0.0.1:${places.tls}`;
  const plain = `http://127.0.0.1:${places.plain}`;
  const file = (name: string): string => join(directory, name);
  const tls = { server, 'certificate-authority-data': encodedFile(places, 'ca.crt') };
  const certificate = {
    'client-certificate-data': encodedFile(places, 'jo.crt'),
    'client-key-data': encodedFile(places, 'jo.key'),
  };
  const make = (name: string, parts: Parts, flags: ConnectionFlags): MatrixCase => ({
    name: `flags: ${name}`,
    files: { config: stringify(config(parts)) },
    flags,
  });
  const user = { token: 'abc' };
  const kim = { clientCertificate: file('kim.crt'), clientKey: file('kim.key') };
  return [
    make('--token over a token', { cluster: tls, user }, { token: 'flag' }),
    make('--token over a token file', { cluster: tls, user: { tokenFile: 'token' } }, { token: 'flag' }),
    make('--token over a name', { cluster: tls, user: { username: 'jo', password: 'x' } }, { token: 'flag' }),
    make('--token over a plugin', { cluster: tls, user: exec('token') }, { token: 'flag' }),
    make('--token over a certificate', { cluster: tls, user: certificate }, { token: 'flag' }),
    make('--token, plain', { cluster: { server: plain }, user: {} }, { token: 'flag' }),
    make('--token, no scheme', { cluster: { server: plain.slice(7) }, user: {} }, { token: 'flag' }),
    make('--server plain over TLS', { cluster: tls, user }, { server: plain }),
    make('--server without a scheme over TLS', { cluster: tls, user }, { server: plain.slice(7) }),
    make('--server over a name for TLS', { cluster: { ...tls, 'tls-server-name': 'other.example' }, user }, { server }),
    make('--server with a login', { cluster: tls, user }, { server: server.replace('//', '//url-user:url-pass@') }),
    make('--tls-server-name', { cluster: tls, user }, { tlsServerName: 'api.lab.example' }),
    make('--tls-server-name that is wrong', { cluster: tls, user }, { tlsServerName: 'other.example' }),
    make('--insecure over a CA', { cluster: tls, user }, { insecureSkipTlsVerify: true }),
    make(
      '--insecure with a CA flag',
      { cluster: tls, user },
      { insecureSkipTlsVerify: true, certificateAuthority: file('ca.crt') },
    ),
    make(
      'a CA flag over no verification',
      { cluster: { server, 'insecure-skip-tls-verify': true }, user },
      { certificateAuthority: file('ca.crt') },
    ),
    make(
      'a wrong CA flag over no verification',
      { cluster: { server, 'insecure-skip-tls-verify': true }, user },
      { certificateAuthority: file('other/ca.crt') },
    ),
    make(
      'a CA flag over CA data',
      { cluster: { server, 'certificate-authority-data': encodedFile(places, 'other/ca.crt') }, user },
      { certificateAuthority: file('ca.crt') },
    ),
    make('a CA flag that is missing', { cluster: tls, user }, { certificateAuthority: file('gone.crt') }),
    make('a certificate by flags', { cluster: tls, user: {} }, kim),
    make('a certificate by flags over a token', { cluster: tls, user }, kim),
    make(
      'a certificate by flags over files',
      { cluster: tls, user: { 'client-certificate': 'jo.crt', 'client-key': 'jo.key' } },
      kim,
    ),
    make('a certificate by flags over data', { cluster: tls, user: certificate }, kim),
    make('a certificate by flags over a plugin', { cluster: tls, user: exec('token') }, kim),
    make('a certificate flag without a key', { cluster: tls, user: {} }, { clientCertificate: file('kim.crt') }),
    make('a key flag without a certificate', { cluster: tls, user: {} }, { clientKey: file('kim.key') }),
    make('a certificate by flags, plain', { cluster: { server: plain }, user: {} }, kim),
    make('--as', { cluster: tls, user }, { as: 'jane' }),
    make('--as, plain', { cluster: { server: plain }, user }, { as: 'jane' }),
    make('--as over as', { cluster: tls, user: { ...user, as: 'june', 'as-groups': ['a'] } }, { as: 'jane' }),
    make(
      '--as-group over as-groups',
      { cluster: tls, user: { ...user, as: 'june', 'as-groups': ['a'] } },
      { asGroup: ['b', 'c'] },
    ),
    make('--as-group alone', { cluster: tls, user }, { asGroup: ['b'] }),
    make('--as-uid', { cluster: tls, user }, { as: 'jane', asUid: '7' }),
    make('--as in UTF-8', { cluster: tls, user }, { as: 'jäne', asGroup: ['中'] }),
    make('--context that is missing', { cluster: tls, user }, { context: 'gone' }),
    make('--cluster that is missing', { cluster: tls, user }, { cluster: 'gone' }),
    make('--user that is missing', { cluster: tls, user }, { user: 'gone' }),
    make('--namespace', { cluster: tls, user, context: { namespace: 'shop' } }, { namespace: 'web' }),
    ...[
      '5',
      '+5',
      '5s',
      '1m30s',
      '1.5h',
      '.5m',
      '20000ms',
      '9e9ns',
      '30000000us',
      '30000000µs',
      '1h2m3s',
      '0',
      '0s',
      '5 s',
      '5d',
      '-5',
      '-5s',
      '5S',
      'soon',
      '1.5',
    ].map((time) => make(`--request-timeout ${time}`, { cluster: tls, user }, { requestTimeout: time })),
  ];
}

/** Values of another type than clientcmd/api/v1 has. */
function typeCases(places: Places): readonly MatrixCase[] {
  const tls = {
    server: `https://127.0.0.1:${places.tls}`,
    'certificate-authority-data': encodedFile(places, 'ca.crt'),
  };
  const good = config({ cluster: tls, user: { token: 'abc' }, context: { namespace: 'shop' } });
  const [cluster] = good['clusters'] as Entry[];
  const make = (name: string, text: string): MatrixCase => ({ name: `types: ${name}`, files: { config: text } });
  const inContext = (extra: Entry): string =>
    stringify({ ...good, contexts: [{ name: 'east', context: { cluster: 'east', user: 'jo-east', ...extra } }] });
  const inUser = (user: unknown): string => stringify({ ...good, users: [{ name: 'jo-east', user }] });
  const inCluster = (extra: Entry): string =>
    stringify({ ...good, clusters: [{ name: 'east', cluster: { ...tls, ...extra } }] });
  return [
    make('a namespace that is a number', inContext({ namespace: 2024 })),
    make('a namespace that is a boolean', inContext({ namespace: true })),
    make('a namespace that is null', inContext({ namespace: null })),
    make('a namespace that is a list', inContext({ namespace: ['a'] })),
    make(
      'a namespace that YAML 1.1 reads as a boolean',
      inContext({ namespace: 'X' }).replace('namespace: X', 'namespace: on'),
    ),
    make(
      'a namespace that looks like a date',
      inContext({ namespace: 'X' }).replace('namespace: X', 'namespace: 2024-01-02'),
    ),
    make(
      'a namespace that looks like an octal number',
      inContext({ namespace: 'X' }).replace('namespace: X', 'namespace: 0o17'),
    ),
    make(
      'a namespace that looks like a number with underscores',
      inContext({ namespace: 'X' }).replace('namespace: X', 'namespace: 1_000'),
    ),
    make(
      'a namespace that looks like a time',
      inContext({ namespace: 'X' }).replace('namespace: X', 'namespace: 12:30:45'),
    ),
    make('a user that is a number', inContext({ user: 1 })),
    make('a cluster that is a number', inContext({ cluster: 1 })),
    make('a token that is a number', inUser({ token: 123456 })),
    make('a token that is a float', inUser({ token: 1.5 })),
    make('a password that is a number', inUser({ username: 'jo', password: 1234 })),
    make('a user that is a text', inUser('jo')),
    make('a user that is null', inUser(null)),
    make('a user that is a list', inUser([])),
    make('no verification as a text', inCluster({ 'insecure-skip-tls-verify': 'true' })),
    make(
      'no verification as a YAML 1.1 boolean',
      inCluster({ 'insecure-skip-tls-verify': 'X' }).replace(
        'insecure-skip-tls-verify: X',
        'insecure-skip-tls-verify: no',
      ),
    ),
    make('compression as a number', inCluster({ 'disable-compression': 1 })),
    make('a CA that is a number', inCluster({ 'certificate-authority-data': 5 })),
    make('a server that is a number', inCluster({ server: 5 })),
    make('a proxy that is a list', inCluster({ 'proxy-url': [] })),
    make('extensions that are a map', inCluster({ extensions: {} })),
    make('groups that are a text', inUser({ token: 'abc', as: 'jane', 'as-groups': 'ops' })),
    make('groups that are numbers', inUser({ token: 'abc', as: 'jane', 'as-groups': [1] })),
    make('extras that are a text', inUser({ token: 'abc', as: 'jane', 'as-user-extra': { a: 'b' } })),
    make('arguments that are numbers', inUser(exec('arguments', { args: [5] }))),
    make('arguments that are a text', inUser(exec('arguments', { args: '--flag' }))),
    make('a variable that is a number', inUser(exec('arguments', { env: [{ name: 'WHO', value: 5 }] }))),
    make('variables that are a map', inUser(exec('arguments', { env: { WHO: 'jo' } }))),
    make(
      'a setting of an auth provider that is a number',
      inUser({ 'auth-provider': { name: 'oidc', config: { 'client-id': 5 } } }),
    ),
    make('contexts that are a map', stringify({ ...good, contexts: { east: {} } })),
    make('clusters that are null', stringify({ ...good, clusters: null })),
    make('a cluster among nulls', stringify({ ...good, clusters: [null, cluster] })),
    make('a current context that is a number', stringify({ ...good, 'current-context': 5 })),
    make('a name that is a number', stringify({ ...good, clusters: [{ ...cluster, name: 5 }] })),
    make('another kind', stringify({ ...good, kind: 'Pod' })),
    make('another version', stringify({ ...good, apiVersion: 'v2' })),
    make('no kind and no version', stringify({ ...good, kind: undefined, apiVersion: undefined })),
    make('a kind that is a number', stringify({ ...good, kind: 5 })),
    make(
      'a wrong type in a user that is not used',
      stringify({ ...good, users: [...(good['users'] as Entry[]), { name: 'other', user: { token: 5 } }] }),
    ),
    make('fields in capitals', stringify(good).replace('token: abc', 'Token: abc')),
    make('preferences that are a text', stringify({ ...good, preferences: 'none' })),
    make('preferences of a colour', stringify({ ...good, preferences: { colors: true } })),
  ];
}

/** How the same kubeconfig can be written. */
function writingCases(places: Places): readonly MatrixCase[] {
  const tls = {
    server: `https://127.0.0.1:${places.tls}`,
    'certificate-authority-data': encodedFile(places, 'ca.crt'),
  };
  const good = config({ cluster: tls, user: { token: 'abc' }, context: { namespace: 'shop' } });
  const block = stringify(good);
  const make = (name: string, text: string): MatrixCase => ({ name: `written: ${name}`, files: { config: text } });
  const withExtension = {
    ...config({
      cluster: {
        ...tls,
        extensions: [
          { name: 'client.authentication.k8s.io/exec', extension: { audience: 'abc', depth: [1, { a: true }] } },
          { name: 'other', extension: 5 },
        ],
      },
      user: exec('token', { provideClusterInfo: true }),
    }),
  };
  const asFile = config({
    cluster: {
      server: tls.server,
      'certificate-authority': 'ca.crt',
      'tls-server-name': 'api.lab.example',
      'disable-compression': true,
    },
    user: exec('token', { provideClusterInfo: true }),
  });
  const [user] = good['users'] as Entry[];
  const [context] = good['contexts'] as Entry[];
  return [
    make('flow style', stringify(good, { collectionStyle: 'flow' })),
    make('JSON', JSON.stringify(good)),
    make('JSON over several lines', JSON.stringify(good, undefined, 2)),
    make('a document start', `---\n${block}`),
    make('two documents', `${block}---\n${stringify({ ...good, 'current-context': 'other' })}`),
    make('a byte order mark', `\uFEFF${block}`),
    make('CRLF', block.replaceAll('\n', '\r\n')),
    make('comments', `# by hand\n${block.replaceAll('\n', ' # why\n')}`),
    make(
      'anchors',
      block.replace('current-context: east', 'current-context: &name east').replace('cluster: east', 'cluster: *name'),
    ),
    make(
      'a merge key in a user',
      stringify({ ...good, users: undefined }) +
        `users:\n- name: base\n  user: &base\n    token: merged\n    as: jane\n- name: jo-east\n  user:\n    <<: *base\n    as: june\n`,
    ),
    make(
      'a merge key with a list',
      stringify({ ...good, users: undefined }) +
        `users:\n- name: a\n  user: &a {token: one}\n- name: b\n  user: &b {token: two, as: jane}\n- name: jo-east\n  user:\n    <<: [*a, *b]\n`,
    ),
    make(
      'a merge key in a cluster',
      stringify({ ...good, clusters: undefined }) +
        `clusters:\n- name: base\n  cluster: &base\n    server: ${tls.server}\n    certificate-authority-data: ${tls['certificate-authority-data']}\n- name: east\n  cluster:\n    <<: *base\n    tls-server-name: api.lab.example\n`,
    ),
    make('a key twice', block.replace('token: abc', 'token: abc\n      token: def')),
    make('a tab', block.replace('      token', '\ttoken')),
    make('a broken quote', block.replace('token: abc', 'token: "abc')),
    make('nothing', ''),
    make('spaces', ' \n'),
    make('a comment only', '# nothing\n'),
    make('null', 'null\n'),
    make('a list', '- a\n'),
    make('a text', 'hello\n'),
    make('unknown fields', `${block}colour: red\nextensions:\n- name: x\n  extension: {a: [1, 2]}\n`),
    make('a plugin with settings of the cluster', stringify(withExtension)),
    make('a plugin with a CA in a file', stringify(asFile)),
    make(
      'a cluster twice',
      stringify({
        ...good,
        clusters: [
          { name: 'east', cluster: tls },
          { name: 'east', cluster: { server: 'https://127.0.0.1:1' } },
        ],
      }),
    ),
    make('a user twice', stringify({ ...good, users: [user, { name: 'jo-east', user: { token: 'second' } }] })),
    make(
      'a context twice',
      stringify({ ...good, contexts: [context, { name: 'east', context: { cluster: 'east', namespace: 'second' } }] }),
    ),
    make('no current context', stringify({ ...good, 'current-context': undefined })),
    make('a current context that is missing', stringify({ ...good, 'current-context': 'gone' })),
    make(
      'a cluster that is missing',
      stringify({ ...good, contexts: [{ name: 'east', context: { cluster: 'gone', user: 'jo-east' } }] }),
    ),
    make(
      'a user that is missing',
      stringify({ ...good, contexts: [{ name: 'east', context: { cluster: 'east', user: 'gone' } }] }),
    ),
    make('no user', stringify({ ...good, contexts: [{ name: 'east', context: { cluster: 'east' } }] })),
    make('an entry without a name', stringify({ ...good, users: [{ user: { token: 'nameless' } }, user] })),
  ];
}

/** Lists in KUBECONFIG. */
function mergeCases(places: Places): readonly MatrixCase[] {
  const ca = encodedFile(places, 'ca.crt');
  const at = (path: string): Entry => ({
    server: `https://127.0.0.1:${places.tls}${path}`,
    'certificate-authority-data': ca,
  });
  const east = { cluster: at(''), user: { token: 'east' }, context: { namespace: 'shop' } };
  const west = { cluster: at('/base'), user: { token: 'west' }, context: { namespace: 'web' } };
  const text = (...given: Parameters<typeof config>): string => stringify(config(...given));
  const make = (name: string, files: MatrixCase['files'], listed?: readonly string[]): MatrixCase => ({
    name: `files: ${name}`,
    files,
    ...(listed && { listed }),
  });
  return [
    make('both name a context', { a: text(east), b: text(west, 'west') }),
    make('the second names the context', { a: text(east, 'east', ''), b: text(west, 'west') }),
    make('the first names a context of the second', { a: text(east, 'east', 'west'), b: text(west, 'west', '') }),
    make('the same names', { a: text(east), b: text(west) }),
    make('the same user with other fields', { a: text({ ...east, user: { as: 'jane' } }), b: text(east) }),
    make('an empty name between', { a: text(east), b: text(west, 'west') }, ['a', '', 'b']),
    make('one twice', { a: text(east) }, ['a', 'a']),
    make('one is missing', { a: text(east) }, ['gone', 'a']),
    make('all are missing', {}, ['gone', 'gone-too']),
    make('only empty names', { 'home/.kube/config': text(east) }, ['', '']),
    make('in the home directory', { 'home/.kube/config': text(east) }, []),
    make('one is broken', { a: text(east), b: 'clusters: 5\n' }),
    make('one is not YAML', { a: text(east), b: '{' }),
    make('one is a directory', { a: text(east) }, ['a', 'plugins']),
    make('one is under a file', { a: text(east) }, ['a', 'a/config']),
    make('one is empty', { a: '', b: text(east) }),
    make('files next to theirs', {
      'one/a': text(
        { ...east, cluster: { server: at('')['server'], 'certificate-authority': '../ca.crt' } },
        'east',
        '',
      ),
      'two/b': stringify({
        'current-context': 'both',
        contexts: [{ name: 'both', context: { cluster: 'east', user: 'jo-west' } }],
        users: [{ name: 'jo-west', user: { tokenFile: '../token' } }],
      }),
    }),
    make('a plugin next to its file', {
      'two/b': text({
        cluster: at(''),
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            interactiveMode: 'Never',
            command: '../plugins/token',
          },
        },
      }),
    }),
    make('a plugin that is in no directory of PATH', {
      a: text({
        cluster: at(''),
        user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command: 'token' } },
      }),
    }),
    {
      ...make('a plugin in PATH', {
        a: text({
          cluster: at(''),
          user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command: 'token' } },
        }),
      }),
      variables: { PATH: `${join(places.directory, 'plugins')}:${process.env['PATH'] ?? ''}` },
    },
    {
      ...make('a plugin in a PATH of its own', {
        a: text({
          cluster: at(''),
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              interactiveMode: 'Never',
              command: 'token',
              env: [{ name: 'PATH', value: `${join(places.directory, 'plugins')}:${process.env['PATH'] ?? ''}` }],
            },
          },
        }),
      }),
    },
    {
      ...make('--kubeconfig over KUBECONFIG', { a: text(east), b: text(west, 'west') }, ['a']),
      flags: { kubeconfig: join(places.directory, 'b') },
    },
    {
      ...make('--kubeconfig that is missing', { a: text(east) }, ['a']),
      flags: { kubeconfig: join(places.directory, 'gone') },
    },
  ];
}

/** 0.0.0.0 leads to this machine, but is not a loopback address for the rules of proxies. */
function proxyCases(places: Places): readonly MatrixCase[] {
  const ca = { 'certificate-authority-data': encodedFile(places, 'ca.crt') };
  const tls = { server: `https://0.0.0.0:${places.tls}`, ...ca };
  const plain = { server: `http://0.0.0.0:${places.plain}` };
  const proxy = `http://127.0.0.1:${places.httpProxy}`;
  const make = (name: string, cluster: Entry, variables: MatrixCase['variables']): MatrixCase => ({
    name: `variables: ${name}`,
    files: { config: stringify(config({ cluster, user: { token: 'abc' } })) },
    ...(variables && { variables }),
  });
  const without = (list: string): MatrixCase[] => [
    make(`NO_PROXY ${list}`, tls, { HTTPS_PROXY: proxy, NO_PROXY: list.replaceAll('PORT', String(places.tls)) }),
    make(`NO_PROXY ${list}, plain`, plain, {
      HTTP_PROXY: proxy,
      NO_PROXY: list.replaceAll('PORT', String(places.plain)),
    }),
  ];
  return [
    make('HTTPS_PROXY', tls, { HTTPS_PROXY: proxy }),
    make('https_proxy', tls, { https_proxy: proxy }),
    make('HTTPS_PROXY without a scheme', tls, { HTTPS_PROXY: proxy.slice(7) }),
    make('HTTPS_PROXY over https', tls, { HTTPS_PROXY: `https://127.0.0.1:${places.httpsProxy}` }),
    make('HTTPS_PROXY over SOCKS', tls, { HTTPS_PROXY: `socks5://127.0.0.1:${places.socksProxy}` }),
    make('HTTPS_PROXY with a login', tls, { HTTPS_PROXY: proxy.replace('//', '//me:pass@') }),
    make('HTTP_PROXY for TLS', tls, { HTTP_PROXY: proxy }),
    make('HTTP_PROXY', plain, { HTTP_PROXY: proxy }),
    make('HTTPS_PROXY for plain', plain, { HTTPS_PROXY: proxy }),
    make('ALL_PROXY', tls, { ALL_PROXY: proxy }),
    make('HTTPS_PROXY for loopback', { ...tls, server: `https://127.0.0.1:${places.tls}` }, { HTTPS_PROXY: proxy }),
    make('HTTPS_PROXY for localhost', { ...tls, server: `https://localhost:${places.tls}` }, { HTTPS_PROXY: proxy }),
    make(
      'HTTPS_PROXY for a name',
      { ...tls, server: `https://api.lab.example:${places.tls}` },
      {
        HTTPS_PROXY: proxy,
        NO_PROXY:
          'lab.example.org,b.example,.api.lab.example,*.api.lab.example,api.lab.example:1,10.0.0.0/8,[::1]:443,:443',
      },
    ),
    make('NO_PROXY for a proxy-url', { ...tls, 'proxy-url': proxy }, { NO_PROXY: '*' }),
    make(
      'HTTPS_PROXY and a proxy-url',
      { ...tls, 'proxy-url': `socks5://127.0.0.1:${places.socksProxy}` },
      { HTTPS_PROXY: proxy },
    ),
    ...[
      '0.0.0.0',
      '0.0.0.0/8',
      '0.0.0.0/33',
      '10.0.0.0/8',
      '0.0.0.0:PORT',
      '0.0.0.0:1',
      '*',
      ' 0.0.0.0 , x',
      '0.0.0',
      '.0.0.0.0',
      '::/0',
      '*.0.0',
      'x,*',
    ].flatMap(without),
  ];
}
