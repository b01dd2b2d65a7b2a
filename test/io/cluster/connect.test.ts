import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/io/cluster/connect.ts';
import { findTarget } from '../../../src/io/cluster/target.ts';
import { withoutLogin } from '../../../src/io/cluster/address.ts';
import { proxyFor } from '../../../src/io/cluster/proxy-choice.ts';
import { requestTimeout } from '../../../src/io/cluster/flags.ts';
import { Authority } from '../../e2e/cluster/certificates.ts';
import type { Certificate } from '../../e2e/cluster/certificates.ts';
import { listOf, startFakeApi, status } from '../../kit/fake-api.ts';

let authority: Authority;
let serving: Certificate;
beforeAll(async () => {
  authority = await Authority.create(mkdtempSync(join(tmpdir(), 'kubectl-csi-ca-')));
  serving = await authority.issue('serving', 'serving', [], ['127.0.0.1']);
});
afterAll(() => rmSync(authority.directory, { recursive: true, force: true }));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const config = (server: string, user = 'token: abc', name = 'east'): string => `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
- name: ${name}
  cluster:
    server: ${server}
    certificate-authority: ${authority.certificate}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: jo-${name}
    namespace: team-${name}
users:
- name: jo-${name}
  user:
    ${user}
`;

const failure = (promise: Promise<unknown>): Promise<{ name: string; message: string; next: string | undefined }> =>
  promise.then(
    () => ({ name: '', message: 'worked', next: undefined }),
    (error: { name: string; message: string; next: string | undefined }) => error,
  );

describe('the kubeconfig', () => {
  it('is found in the home directory, with its namespace', async () => {
    write('.kube/config', config('https://east.example'));
    expect(await findTarget({}, { variables: { HOME: directory } })).toMatchObject({
      name: 'east',
      namespace: 'team-east',
      userName: 'jo-east',
      cluster: { server: 'https://east.example' },
      user: { token: 'abc' },
    });
  });

  it('of several files is merged so that the first wins, and files that are not there are passed over', async () => {
    write('a/ca.pem', readFileSync(authority.certificate, 'utf8'));
    const first = write(
      'a/first',
      'current-context: west\nclusters:\n- name: east\n  cluster: {server: "https://first.example", certificate-authority: ca.pem}\n',
    );
    const second = write('b/second', config('https://second.example'));
    const third = write('c/third', config('https://west.example', 'tokenFile: token', 'west'));
    const variables = {
      HOME: '/nonexistent',
      KUBECONFIG: [first, join(directory, 'gone'), second, third].join(delimiter),
    };
    expect(await findTarget({}, { variables })).toMatchObject({
      name: 'west',
      cluster: { server: 'https://west.example' },
      user: { tokenFile: join(directory, 'c', 'token') },
    });
    expect(await findTarget({ context: 'east' }, { variables })).toMatchObject({
      cluster: { server: 'https://first.example', 'certificate-authority': join(directory, 'a', 'ca.pem') },
      user: { token: 'abc' },
    });
  });

  it('gives way to flags', async () => {
    const kubeconfig = write('config', config('https://east.example'));
    expect(
      await findTarget(
        {
          kubeconfig,
          server: 'https://other.example/base/',
          token: 'new',
          namespace: 'here',
          insecureSkipTlsVerify: true,
        },
        { variables: {} },
      ),
    ).toMatchObject({
      namespace: 'here',
      cluster: { server: 'https://other.example/base', 'insecure-skip-tls-verify': true },
      user: { token: 'new' },
    });
  });

  it('names near names when a context, cluster or user is not in it', async () => {
    const kubeconfig = write('config', config('https://east.example'));
    expect(await failure(findTarget({ kubeconfig, context: 'eats' }, { variables: {} }))).toMatchObject({
      name: 'EnvironmentError',
      message: `--context refers to the context "eats", which does not exist in ${kubeconfig}`,
      next: 'Did you mean "east"?',
    });
    expect((await failure(findTarget({ kubeconfig, user: 'someone-else' }, { variables: {} }))).message).toContain(
      '--user refers to the user "someone-else"',
    );
    expect((await failure(findTarget({ kubeconfig, cluster: 'north' }, { variables: {} }))).message).toContain(
      '--cluster refers to the cluster "north"',
    );
  });

  it('that is broken is named with its line', async () => {
    const kubeconfig = write('config', 'apiVersion: v1\nclusters:\n- name: "east\n  cluster: x\n');
    expect((await failure(findTarget({ kubeconfig }, { variables: {} }))).message).toMatch(
      /config is not valid YAML at line \d+$/,
    );
  });

  it('that is not there is said, and what to do', async () => {
    expect(await failure(findTarget({}, { variables: { HOME: directory } }))).toMatchObject({
      name: 'EnvironmentError',
      message: 'no kubeconfig was found, and this is not a pod with a service account',
      next: 'Pass --kubeconfig, set KUBECONFIG, or read a dump with --from FILE',
    });
    expect((await failure(findTarget({ kubeconfig: '/nonexistent/config' }, { variables: {} }))).message).toBe(
      'the kubeconfig /nonexistent/config does not exist',
    );
  });

  it('without a current context lists those it has', async () => {
    const kubeconfig = write('config', config('https://east.example').replace('current-context: east\n', ''));
    expect((await failure(findTarget({ kubeconfig }, { variables: {} }))).next).toContain('--context (east)');
  });

  it('is not needed in a pod', async () => {
    write('sa/token', 'from-file');
    write('sa/namespace', 'csi-system');
    const environment = {
      variables: { HOME: '/nonexistent', KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
      serviceAccountDirectory: join(directory, 'sa'),
    };
    expect(await findTarget({}, environment)).toMatchObject({
      name: 'in-cluster',
      namespace: 'csi-system',
      cluster: { server: 'https://10.0.0.1:443' },
    });
    const api = await startFakeApi(() => listOf([]), serving);
    const reader = await connect(
      { server: api.url, kubeconfig: write('config', config('http://x', 'tokenFile: sa/token')) },
      environment,
    );
    await reader.list('Pod', {});
    expect(api.requests[0]?.headers.authorization).toBe('Bearer from-file');
    reader.close();
    await api.close();
  });
});

describe('a credential plugin', () => {
  const plugin = (script: string): string => {
    const path = write('plugin', `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const exec = (command: string): string =>
    `exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: ${command}\n      args: [--flag]\n      env:\n      - name: WHO\n        value: jo\n      interactiveMode: Never\n      provideClusterInfo: true`;

  it('gives the token, is asked once, and again after a 401', async () => {
    plugin(`echo x >> ${directory}/asked; n=$(wc -l < ${directory}/asked | tr -d ' '); case "$KUBERNETES_EXEC_INFO" in *'"server":"http'*) ;; *) exit 3;; esac
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s%s%s"}}' "$WHO" "$1" "$n"`);
    const api = await startFakeApi(
      ({ headers }, count) =>
        count === 3
          ? status(401, 'Unauthorized', 'Unauthorized')
          : listOf([{ metadata: { name: headers.authorization } }]),
      serving,
    );
    const kubeconfig = write('config', config(api.url, exec('./plugin')));
    const reader = await connect({ kubeconfig });
    const seen = async (): Promise<unknown> => {
      const result = await reader.list('Node', {});
      return 'objects' in result ? result.objects[0]?.metadata.name : result;
    };
    expect([await seen(), await seen(), await seen()]).toEqual([
      'Bearer jo--flag1',
      'Bearer jo--flag1',
      'Bearer jo--flag2',
    ]);
    reader.close();
    await api.close();
  });

  it.each([
    ['is not installed', '', 'no-such-plugin', /^the credential plugin no-such-plugin was not found$/],
    [
      'fails',
      'echo "token expired, run: login" >&2; exit 2',
      './plugin',
      /plugin failed with exit code 2: token expired, run: login$/,
    ],
    ['prints garbage', 'echo hello', './plugin', /plugin printed something other than a credential$/],
    ['never stops printing', 'yes', './plugin', /plugin failed \(more output than a credential has\)$/],
    [
      'gives nothing',
      `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}'`,
      './plugin',
      /plugin returned neither a token nor a certificate$/,
    ],
  ])('that %s is one sentence', async (_, script, command, sentence) => {
    plugin(script);
    const reader = await connect({ kubeconfig: write('config', config('https://127.0.0.1:1', exec(command))) });
    expect((await failure(reader.list('Pod', {}))).message).toMatch(sentence);
  });
});

describe('a credential plugin that hangs', () => {
  it('is ended, with what it started, although it ignores signals', async () => {
    const path = write('plugin', '#!/bin/sh\ntrap "" TERM INT\nsleep 600 &\nwait\nsleep 600\n');
    chmodSync(path, 0o755);
    const exec = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}`;
    const reader = await connect(
      { kubeconfig: write('config', config('https://127.0.0.1:1', exec)) },
      { pluginLimitMs: 300, hasTerminal: false },
    );
    expect((await failure(reader.list('Pod', {}))).message).toMatch(/plugin failed \(no answer within 0.3 s\)$/);
  });
});

describe('a name and password in an address', () => {
  it('are in no error, name or server, and are sent over TLS only', async () => {
    for (const server of [
      'https://me:hunter2@',
      'https://me:hunter2@:x',
      'https://me:hun/ter2@host',
      'ftp://me:hunter2@h',
    ])
      expect(JSON.stringify(await failure(findTarget({ server }, { variables: {} })))).not.toMatch(/hunter2|ter2/);
    const target = await findTarget({ server: 'http://me:hunter2@127.0.0.1:1' }, { variables: { HOME: directory } });
    expect([target.name, target.cluster.server]).toEqual(['http://127.0.0.1:1', 'http://127.0.0.1:1']);
    const proxied = config('https://127.0.0.1:1').replace(
      '    server:',
      '    proxy-url: http://me:hunter2@127.0.0.1:1\n    server:',
    );
    const reader = await connect({ kubeconfig: write('config', proxied) }, { variables: {} });
    const refused = await failure(reader.list('Pod', {}));
    expect(refused.message).toContain('the proxy http://127.0.0.1:1');
    expect(JSON.stringify(refused)).not.toContain('hunter2');
    const api = await startFakeApi(() => listOf([]), serving);
    const kubeconfig = write('config', config(api.url.replace('//', '//me:hunter2@')));
    const other = await connect({ kubeconfig }, { variables: {} });
    await other.list('Pod', {});
    expect([other.name, other.server]).toEqual(['east', api.url]);
    expect(api.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:hunter2').toString('base64')}`);
    other.close();
    await api.close();
  });

  it('are told from an address with an @ in its path', () => {
    expect(withoutLogin('https://host/a@b')).toBe('https://host/a@b');
    expect(withoutLogin('https://u:p@host/a@b')).toBe('https://host/a@b');
    expect(withoutLogin('u:p@host:1')).toBe('host:1');
  });
});

describe('an OIDC issuer', () => {
  const oidc = (issuer: string, token = ''): string =>
    `auth-provider: {name: oidc, config: {idp-issuer-url: '${issuer}', client-id: a, client-secret: hunter2, refresh-token: r, id-token: '${token}'}}`;

  it('without TLS receives no token', async () => {
    const issuer = await startFakeApi(() => ({ body: { token_endpoint: 'http://x' } }));
    const kubeconfig = write('config', config('https://127.0.0.1:1', oidc(issuer.url)));
    const reader = await connect({ kubeconfig }, { variables: {} });
    expect((await failure(reader.list('Pod', {}))).message).toMatch(/which is not https: no token is sent to it$/);
    expect(issuer.requests).toEqual([]);
    await issuer.close();
  });

  it('that replaces the refresh token is mentioned, and the new one is used', async () => {
    const jwt = (exp: number): string => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
    const issuer = await startFakeApi(
      ({ path, headers }) =>
        path.endsWith('openid-configuration')
          ? { body: { token_endpoint: `https://${headers.host}/token` } }
          : { body: { id_token: jwt(4_000_000_000), refresh_token: 'second' } },
      serving,
    );
    const api = await startFakeApi(() => listOf([]), serving);
    const user = oidc(issuer.url, jwt(1)).replace(
      '{idp',
      `{idp-certificate-authority: '${authority.certificate}', idp`,
    );
    const messages: string[] = [];
    const reader = await connect(
      { kubeconfig: write('config', config(api.url, user)) },
      { variables: {}, onPluginMessage: (text) => messages.push(text) },
    );
    await reader.list('Pod', {});
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${jwt(4_000_000_000)}`);
    expect(messages.join('')).toMatch(/^warning: The OIDC issuer replaced the refresh token/);
    reader.close();
    await Promise.all([api.close(), issuer.close()]);
  });
});

describe('connection flags', () => {
  it('take durations as Go writes them', () => {
    expect([undefined, '0', '5', '1m30s', '250ms'].map(requestTimeout)).toEqual([
      undefined,
      undefined,
      5000,
      90_000,
      250,
    ]);
    expect(
      ['+5', '.5m', '1.s', '2000us', '2000µs', '2000μs', '3000000ns', '1h2m3s', '0s', '999999h'].map(requestTimeout),
    ).toEqual([5000, 30_000, 1000, 2, 2, 2, 3, 3_723_000, undefined, 2 ** 31 - 1]);
    for (const wrong of ['-5s', '-5', '5d', '5 s', '1.5', '5S', 's', '.s', '']) {
      if (wrong !== '') expect(() => requestTimeout(wrong), wrong).toThrow('is not a duration');
    }
    expect(() => requestTimeout('soon')).toThrow('--request-timeout "soon" is not a duration');
  });

  it('go through a proxy unless the server is exempt', () => {
    const server = new URL('https://api.east.example:6443');
    const variables = { HTTPS_PROXY: 'proxy:3128', NO_PROXY: 'other.example,10.0.0.0/8' };
    expect(proxyFor(server, undefined, variables)).toBe('http://proxy:3128');
    expect(proxyFor(server, 'socks5://own:1080', variables)).toBe('socks5://own:1080');
    expect(proxyFor(new URL('https://10.1.2.3'), undefined, variables)).toBeUndefined();
    expect(proxyFor(new URL('https://api.other.example'), undefined, variables)).toBeUndefined();
    expect(proxyFor(new URL('https://127.0.0.1:6443'), undefined, variables)).toBeUndefined();
  });

  // Held against golang.org/x/net/http/httpproxy, whose rules these are.
  it.each<[string, string, boolean]>([
    ['https://api.lab.example', 'lab.example', true],
    ['https://lab.example', 'lab.example', true],
    ['https://lab.example', '.lab.example', false],
    ['https://api.lab.example', '.lab.example', true],
    ['https://lab.example', '*.lab.example', false],
    ['https://api.lab.example', '*.lab.example', true],
    ['https://apilab.example', 'lab.example', false],
    ['https://API.lab.example', 'LAB.example', true],
    ['https://api.lab.example', 'api.lab.example:443', true],
    ['https://api.lab.example:6443', 'api.lab.example:6443', true],
    ['https://api.lab.example:6443', 'api.lab.example:443', false],
    ['http://api.lab.example', 'lab.example:80', true],
    ['https://api.lab.example', ':443', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', true],
    ['https://10.1.2.3:6443', '10.1.2.3:1', false],
    ['https://10.1.2.3', '10.1.2', false],
    ['https://10.1.2.3', '0.0.0.0/33', false],
    ['https://[fd00::5]:6443', 'fd00::5', true],
    ['https://[fd00::5]:6443', '[fd00::5]', false],
    ['https://[fd00::5]:6443', '[fd00::5]:6443', true],
    ['https://[fd00::5]:6443', '[fd00::5]:1', false],
    ['https://[fd00::5]', 'fd00::/8', true],
    ['https://[fd00::5]', 'fe80::/10', false],
    ['https://[fd00:0:0::5]', 'fd00:0::5', true],
    ['https://10.1.2.3', '::/0', false],
    ['https://anything', '*', true],
    ['https://anything', ' , x , * ', true],
    ['https://anything', '', false],
  ])('exempt %s by NO_PROXY=%s: %s', (server, list, isExempt) => {
    const proxy = proxyFor(new URL(server), undefined, { HTTP_PROXY: 'p:1', HTTPS_PROXY: 'p:1', NO_PROXY: list });
    expect(proxy === undefined).toBe(isExempt);
  });
});
