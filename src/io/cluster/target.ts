import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { nearNames } from '../../core/kube/names.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import type { ConnectionEnvironment, ConnectionFlags } from './flags.ts';
import type { ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from './kubeconfig.ts';

/** Which server to talk to, and as whom: flags and kubeconfig put together, nothing read from the network yet. */
export interface Target {
  /** The context, or the address when there is none. */
  readonly name: string;
  readonly context: string | undefined;
  readonly userName: string | undefined;
  readonly namespace: string;
  readonly cluster: ClusterEntry & { readonly server: string };
  readonly user: UserEntry;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function findTarget(flags: ConnectionFlags, environment: ConnectionEnvironment): Promise<Target> {
  const variables = environment.variables ?? process.env;
  const config = await loadKubeconfig(flags.kubeconfig, variables);
  const contextName = flags.context ?? config.currentContext;
  if (flags.context === undefined && !saysWhere(config, flags, contextName)) {
    const inCluster = await findServiceAccount(variables, environment.serviceAccountDirectory ?? serviceAccount);
    if (inCluster) return override(inCluster, flags);
    throw nowhere(config, flags);
  }
  const context: ContextEntry =
    contextName === undefined
      ? {}
      : pick(
          'context',
          contextName,
          config.contexts,
          config,
          flags.context !== undefined ? '--context' : 'current-context',
        );
  const clusterName = flags.cluster ?? context.cluster;
  const userName = flags.user ?? context.user;
  const mayInvent = flags.server !== undefined && flags.cluster === undefined && contextName === undefined;
  const cluster =
    clusterName === undefined || clusterName === '' || mayInvent
      ? {}
      : pick(
          'cluster',
          clusterName,
          config.clusters,
          config,
          flags.cluster !== undefined ? '--cluster' : `context ${contextName}`,
        );
  const user =
    userName === undefined || userName === ''
      ? {}
      : pick('user', userName, config.users, config, flags.user !== undefined ? '--user' : `context ${contextName}`);
  const server = flags.server ?? cluster.server ?? '';
  if (server === '')
    throw new EnvironmentError(
      `the ${clusterName === undefined ? `context ${contextName}` : `cluster ${clusterName}`} of the kubeconfig names no server`,
      'set its server with kubectl config set-cluster, or pass --server',
    );
  return override(
    {
      name: contextName ?? server,
      context: contextName,
      userName,
      namespace: context.namespace ?? '',
      cluster: { ...cluster, server },
      user,
    },
    flags,
  );
}

function saysWhere(config: Kubeconfig, flags: ConnectionFlags, contextName: string | undefined): boolean {
  return (
    flags.server !== undefined ||
    flags.cluster !== undefined ||
    (contextName !== undefined && contextName !== '' && config.files.length > 0)
  );
}

function nowhere(config: Kubeconfig, flags: ConnectionFlags): EnvironmentError {
  const instead = 'or use --from FILE to read a dump';
  if (config.files.length === 0)
    return new EnvironmentError(
      'no kubeconfig found, and this is not a pod with a service account',
      `pass --kubeconfig, set KUBECONFIG, ${instead}`,
    );
  const known = [...config.contexts.keys()];
  const where = flags.kubeconfig ?? config.files.join(', ');
  if (known.length === 0)
    return new EnvironmentError(
      `the kubeconfig ${where} holds no context`,
      `pass another --kubeconfig, or --server, ${instead}`,
    );
  return new EnvironmentError(
    `the kubeconfig ${where} sets no current context`,
    `pass --context (${shorten(known)}) or choose one with kubectl config use-context`,
  );
}

function pick<T>(
  what: 'context' | 'cluster' | 'user',
  name: string,
  known: ReadonlyMap<string, T>,
  config: Kubeconfig,
  saidBy: string,
): T {
  const entry = known.get(name);
  if (entry !== undefined) return entry;
  const near = nearNames(name, [...known.keys()]);
  const names =
    near.length > 0
      ? `did you mean ${near.slice(0, 3).join(' or ')}?`
      : known.size > 0
        ? `the kubeconfig has ${shorten([...known.keys()])}`
        : `the kubeconfig has no ${what}s`;
  const where =
    config.files.length === 0 ? 'and there is no kubeconfig' : `which ${config.files.join(', ')} does not hold`;
  return fail(
    `${saidBy} names the ${what} ${JSON.stringify(name)}, ${where}`,
    config.files.length === 0 ? 'pass --kubeconfig or set KUBECONFIG' : names,
  );
}

function fail(what: string, next: string): never {
  throw new EnvironmentError(what, next);
}

function shorten(names: readonly string[]): string {
  return names.length <= 6 ? names.join(', ') : `${names.slice(0, 6).join(', ')} and ${names.length - 6} more`;
}

/** Flags have the last word. What they replace is dropped whole, so that no half of a certificate is left behind. */
function override(target: Target, flags: ConnectionFlags): Target {
  const { 'tls-server-name': tlsName, ...clusterRest } = target.cluster;
  let cluster: Target['cluster'] =
    flags.server === undefined ? target.cluster : { ...clusterRest, server: flags.server };
  if (flags.certificateAuthority !== undefined) {
    const { 'certificate-authority-data': _, ...rest } = cluster;
    cluster = { ...rest, 'certificate-authority': flags.certificateAuthority };
  }
  if (flags.insecureSkipTlsVerify === true) {
    const { 'certificate-authority-data': _, 'certificate-authority': __, ...rest } = cluster;
    cluster = { ...rest, 'insecure-skip-tls-verify': true };
  }
  const serverName = flags.tlsServerName ?? (flags.server === undefined ? tlsName : undefined);
  if (serverName !== undefined) cluster = { ...cluster, 'tls-server-name': serverName };
  return {
    ...target,
    namespace: flags.namespace ?? (target.namespace === '' ? 'default' : target.namespace),
    cluster: { ...cluster, server: address(cluster.server) },
    user: overrideUser(target.user, flags),
  };
}

function overrideUser(before: UserEntry, flags: ConnectionFlags): UserEntry {
  let user = before;
  if (flags.token !== undefined) {
    const { tokenFile: _, exec: __, 'auth-provider': ___, username: ____, password: _____, ...rest } = user;
    user = { ...rest, token: flags.token };
  }
  if (flags.clientCertificate !== undefined) {
    const { 'client-certificate-data': _, ...rest } = user;
    user = { ...rest, 'client-certificate': flags.clientCertificate };
  }
  if (flags.clientKey !== undefined) {
    const { 'client-key-data': _, ...rest } = user;
    user = { ...rest, 'client-key': flags.clientKey };
  }
  return {
    ...user,
    ...(flags.as === undefined ? {} : { as: flags.as }),
    ...(flags.asUid === undefined ? {} : { 'as-uid': flags.asUid }),
    ...(flags.asGroup === undefined || flags.asGroup.length === 0 ? {} : { 'as-groups': flags.asGroup }),
  };
}

/** kubectl takes `host:port` for http, as it always did. */
function address(server: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}`;
  try {
    const url = new URL(withScheme);
    if (url.protocol === 'http:' || url.protocol === 'https:') return withScheme.replace(/\/+$/, '');
  } catch {
    // Said below.
  }
  throw new EnvironmentError(
    `the server address ${JSON.stringify(server)} is not an http or https address`,
    'pass it as https://HOST:PORT',
  );
}

async function findServiceAccount(
  variables: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<Target | undefined> {
  const host = variables['KUBERNETES_SERVICE_HOST'];
  const port = variables['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || host === '' || port === undefined || port === '') return undefined;
  const tokenFile = join(directory, 'token');
  try {
    await readFile(tokenFile);
  } catch {
    return undefined;
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const namespace =
    variables['POD_NAMESPACE'] ?? (await readFile(join(directory, 'namespace'), 'utf8').catch(() => ''));
  return {
    name: 'in-cluster',
    context: undefined,
    userName: undefined,
    namespace: namespace.trim(),
    cluster: { server, 'certificate-authority': join(directory, 'ca.crt') },
    user: { tokenFile },
  };
}
