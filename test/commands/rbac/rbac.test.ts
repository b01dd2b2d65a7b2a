import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { AccessReport } from '../../../src/core/kube/access-right.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly roleRef?: unknown;
  readonly subjects?: readonly unknown[];
}

const rolesOf = (yaml: string): Role[] => parseAllDocuments(yaml).map((document) => document.toJS() as Role);

async function serve(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(new Date()), options);
  onTestFinished(() => server.close());
  return server;
}

/** A server that allows what the roles say, as the real authorizer does. */
function allowing(roles: readonly Role[]): NonNullable<NonNullable<ApiServerOptions['faults']>['deny']> {
  return (kind, verb, namespace) => {
    const resource = resources.find((known) => known.kind === kind);
    return !roles.some(
      (role) =>
        (role.kind === 'ClusterRole' || role.metadata.namespace === namespace) &&
        role.rules?.some(
          (rule) =>
            rule.apiGroups.includes(resource?.group ?? '') &&
            rule.resources.includes(resource?.name ?? kind) &&
            rule.verbs.includes(verb),
        ) === true,
    );
  };
}

describe('rbac', () => {
  it('prints one ClusterRole that says of each rule what it is for', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['rbac', 'why-pending']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^# The rights that kubectl csi why-pending needs, and no more\.\napiVersion: rbac.authorization.k8s.io\/v1\nkind: ClusterRole\nmetadata:\n {2}name: kubectl-csi\n/,
    );
    expect(stdout).toContain(
      '  # which claims exist and whether they are bound\n  - apiGroups: [""]\n    resources: [persistentvolumeclaims]\n    verbs: [get, list, watch]\n',
    );
    expect(stdout).toContain(
      '  # whether a secret that the class names exists\n  # only the metadata is read, never the contents\n  - apiGroups: [""]\n    resources: [secrets]\n    verbs: [get]\n',
    );
    const [role, ...others] = rolesOf(stdout);
    expect(others).toEqual([]);
    expect(new Set(role?.rules?.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
  });

  it.each([
    ['why-pending', '-A'],
    ['why', '-A'],
    ['status'],
    ['check'],
    ['get', 'pvc,pv,sc,csinodes,attachments,drivers,snapshots,capacity', '-A', '-o', 'wide'],
    ['trace', 'pvc/cart', '-n', 'shop'],
    ['capture', '-A', '--dry-run'],
  ])('gives all that %s %s needs: nothing is refused', async (...words) => {
    const { stdout } = await runProgram(['rbac', words[0] as string]);
    const { url, requests } = await serve({ faults: { deny: allowing(rolesOf(stdout)) } });
    const answer = await runProgram([...words, '-s', url]);
    expect(requests.length).toBeGreaterThan(3);
    // Logs are tried where they may be read, and are in the role only with --logs (docs/logs.md).
    const isLog = (path: string): boolean => /\/pods\/[^/]+\/log\b/.test(path);
    expect(requests.filter(({ status, path }) => status === 403 && !isLog(path)).map(({ path }) => path)).toEqual([]);
    expect(answer.stdout + answer.stderr).not.toContain('could not read');
  });

  it('takes the flags of serve that need rights as serve does', async () => {
    const kindsOf = async (...words: string[]): Promise<string[]> => {
      const { stdout, exitCode } = await runProgram(['rbac', 'serve', ...words]);
      expect(exitCode).toBe(0);
      const rules = rolesOf(stdout).flatMap((role) => role.rules ?? []);
      return rules
        .filter(({ verbs }) => verbs.includes('create'))
        .flatMap(({ resources }) => resources ?? [])
        .sort();
    };
    expect(await kindsOf('--auth', 'kubernetes')).toEqual(['subjectaccessreviews', 'tokenreviews']);
    expect(await kindsOf('--auth', 'none', '--lease', 'ops/csi')).toEqual(['leases']);
  });

  it('gives no more: without one of its rules, that one is named as missing', async () => {
    const [role] = rolesOf((await runProgram(['rbac', 'why'])).stdout);
    const rules = role?.rules?.filter((rule) => !rule.resources.includes('storageclasses')) ?? [];
    const { url } = await serve({ faults: { deny: allowing([{ ...(role as Role), rules }]) } });
    const why = await runProgram(['why', 'pvc/cart', '-n', 'shop', '-s', url]);
    expect(why.stdout).toMatch(/could not read storageclasses \(forbidden\)/);
    expect(why.stdout).toContain(`List the missing rights:\n    $ kubectl csi rbac --check --server ${url}\n`);
    const check = await runProgram(['rbac', '--check', 'why', '-s', url, '-o', 'json']);
    const report = JSON.parse(check.stdout) as AccessReport;
    expect(
      report.items.filter(({ allowed }) => allowed !== true).map(({ resource, verb }) => `${verb} ${resource}`),
    ).toEqual(['get storageclasses', 'list storageclasses']);
    expect(check.exitCode).toBe(1);
  });

  it('makes a Role of what is namespaced with -n, once for each namespace', async () => {
    const { stdout } = await runProgram(['rbac', 'why', '-n', 'shop', '-n', 'kube-system']);
    const roles = rolesOf(stdout);
    expect(roles.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['ClusterRole', undefined],
      ['Role', 'shop'],
      ['Role', 'kube-system'],
    ]);
    const namesOf = (role: Role | undefined): string[] => role?.rules?.flatMap((rule) => rule.resources) ?? [];
    expect(namesOf(roles[0])).toContain('persistentvolumes');
    expect(namesOf(roles[0])).not.toContain('pods');
    expect(namesOf(roles[1])).toContain('pods');
    expect(stdout).toMatch(/^# .*in other namespaces:\n# .*\bpods\b.*\bleases\b/m);
  });

  it('binds the role to whoever is named', async () => {
    const { stdout } = await runProgram([
      'rbac',
      'get',
      '--name',
      'storage-viewer',
      '--bind',
      'user:jane@example.org',
      '--bind',
      'group:oidc:storage',
      '--bind',
      'serviceaccount:ci:checks',
    ]);
    const [role, binding] = rolesOf(stdout);
    expect(role?.metadata.name).toBe('storage-viewer');
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'storage-viewer' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane@example.org' },
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'oidc:storage' },
        { kind: 'ServiceAccount', namespace: 'ci', name: 'checks' },
      ],
    });
  });

  it('leaves secrets out when asked to, and says what is then not known', async () => {
    const yaml = await runProgram(['rbac', '--without-secrets']);
    expect(rolesOf(yaml.stdout)[0]?.rules?.flatMap((rule) => rule.resources)).not.toContain('secrets');
    expect(yaml.stdout).toContain(
      '# Without secrets: whether a secret that a class or a volume refers to exists is then not known.\n',
    );
    const json = await runProgram(['rbac', '--without-secrets', '-o', 'json']);
    expect(json.stdout).not.toContain('secrets');
    expect(json.stderr).toContain('Without secrets: ');
  });

  it('lets nobody into pods who did not ask for probe, or run anything without its flag', async () => {
    const namesOf = async (...words: readonly string[]): Promise<string[]> =>
      rolesOf((await runProgram(['rbac', ...words])).stdout).flatMap(
        (role) => role.rules?.flatMap((rule) => rule.resources.map((name) => `${name} ${rule.verbs.join(' ')}`)) ?? [],
      );
    expect((await namesOf()).filter((name) => name.includes('/'))).toEqual([]);
    expect(await namesOf('probe')).toContain('pods/proxy get');
    expect((await namesOf('probe')).filter((name) => name.startsWith('pods/exec'))).toEqual([]);
    expect(await namesOf('probe', '--exec')).toContain('pods/exec create get');
    expect(await namesOf('probe', '--create-pods')).toContain('pods create delete');
  });

  it.each([
    [['whi'], 'Command "whi" does not exist'],
    [['why', '--exec'], '--exec needs probe'],
    [['--bind', 'jane'], '--bind jane is not a user, group or service account'],
    [['--bind', 'serviceaccount:ci'], '--bind serviceaccount:ci is not a service account'],
    [['-n', 'Shop'], '"Shop" is not a valid name for a namespace'],
    [['--name', 'a/b'], '"a/b" is not a valid name for a role'],
    [['-o', 'text'], '-o text needs --check'],
    [['--check', '--bind', 'user:jane'], '--bind cannot be combined with --check'],
  ])('refuses %j in one sentence', async (words, sentence) => {
    const { exitCode, stdout, stderr } = await runProgram(['rbac', ...words]);
    expect(stderr.split('\n')[0]).toBe(`error: ${sentence}.`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it('says that a command without a cluster needs no rights', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['rbac', 'explain']);
    expect(stderr).toBe('No rights are needed: explain does not read a cluster.\n');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  });
});

describe('rbac --check', () => {
  it('ends well when all is allowed', async () => {
    const { url } = await serve();
    const { exitCode, stdout, stderr } = await runProgram(['rbac', '--check', '-s', url]);
    expect(stdout).toMatch(/^RESOURCE\s+ALLOWED\n/);
    expect(stdout).toMatch(/\nall \d+ rights are granted\n$/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('names what is missing and what is then not known', async () => {
    const { url } = await serve({
      faults: {
        deny: (kind, verb, namespace) =>
          kind === 'CSINode' || verb === 'watch' || (kind === 'Pod' && namespace === undefined),
      },
    });
    const { exitCode, stdout } = await runProgram(['rbac', '--check', 'why', '-s', url]);
    expect(stdout).toMatch(/^csinodes\s+✖ get list\n {4}needed for: on which nodes the driver is registered\n/m);
    expect(stdout).toMatch(/^persistentvolumeclaims\s+✔ get list\s+✖ watch\n {4}needed for: immediate updates/m);
    expect(stdout).toMatch(/^pods\s+✖ get list watch\n/m);
    expect(stdout).toContain('kubectl csi rbac why prints the role to request');
    expect(exitCode).toBe(1);
    const inOne = await runProgram(['rbac', '--check', 'why', '-n', 'shop', '-s', url]);
    expect(inOne.stdout).toMatch(/^pods\s+✔ get list\s+✖ watch\n/m);
  });

  it('does not take silence for a right', async () => {
    const { url } = await serve({
      faults: { serverErrors: { first: 10_000, code: 403, paths: /selfsubjectaccessreviews/ } },
    });
    const { exitCode, stdout } = await runProgram(['rbac', '--check', 'get', '-s', url]);
    expect(stdout).toMatch(/UNKNOWN/);
    expect(stdout).toMatch(/gave no answer about \d+ of \d+ rights/);
    expect(exitCode).toBe(3);
  });

  it('ends with 4 when no server answers', async () => {
    const { exitCode, stderr } = await runProgram(['rbac', '--check', '-s', 'http://127.0.0.1:1']);
    expect(stderr).toMatch(/^error: The server http:\/\/127.0.0.1:1 refused the connection\.\n/);
    expect(exitCode).toBe(4);
  });
});
