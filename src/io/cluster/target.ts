import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { nearNames } from '../../core/kube/names.ts';
import { readServer } from './address.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { refuseUnusable } from './usable.ts';
import type { ConnectionEnvironment, ConnectionFlags } from './flags.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import type { ClusterEntry, ContextEntry, UserEntry } from './kubeconfig-content.ts';
import type { Login } from './address.ts';

/** Which server to talk to, and as whom, from flags and kubeconfig; nothing is read from the network yet. */
export interface Target {
  /** The context, or the address when there is none. */
  readonly name: string;
  readonly context: string | undefined;
  readonly userName: string | undefined;
  readonly namespace: string;
  readonly clusterName: string | undefined;
  /** The server is without the login of its address, so that no message, report or capture shows it. */
  readonly cluster: ClusterEntry & { readonly server: string };
  /** The name and password of the server's address. */
  readonly login?: Login;
  readonly user: UserEntry;
}

/**
 * Only a server with TLS receives credentials, as in client-go (clientcmd: "only try to read the auth information if we
 * are secure").
 */
export function isSecure({ cluster }: Target): boolean {
  return /^https:/i.test(cluster.server);
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function findTarget(flags: ConnectionFlags, environment: ConnectionEnvironment): Promise<Target> {
  const variables = environment.variables ?? process.env;
  const config = environment.kubeconfig ?? (await loadKubeconfig(flags.kubeconfig, variables));
  const contextName = flags.context ?? config.currentContext;
  if (flags.context === undefined && !saysWhere(config, flags, contextName)) {
    const inCluster = await findServiceAccount(variables, environment.serviceAccountDirectory ?? serviceAccount);
    if (inCluster) return override(inCluster, flags);
    throw nowhere(config, flags);
  }
  return override(targetOfContext(config, contextName, flags), flags);
}

function targetOfContext(config: Kubeconfig, contextName: string | undefined, flags: ConnectionFlags): Target {
  const contextFrom = flags.context !== undefined ? '--context' : 'current-context';
  const context: ContextEntry =
    contextName === undefined ? {} : pick('context', contextName, config.contexts, config, contextFrom);
  const clusterName = flags.cluster ?? context.cluster;
  const userName = flags.user ?? context.user;
  const needsNoCluster = flags.server !== undefined && flags.cluster === undefined && contextName === undefined;
  const clusterFrom = flags.cluster !== undefined ? '--cluster' : `context ${contextName}`;
  const userFrom = flags.user !== undefined ? '--user' : `context ${contextName}`;
  const cluster = needsNoCluster ? {} : pickNamed('cluster', clusterName, config.clusters, config, clusterFrom);
  const user = pickNamed('user', userName, config.users, config, userFrom);
  const server = flags.server ?? cluster.server ?? '';
  if (server === '')
    throw new EnvironmentError(
      `the ${clusterName === undefined ? `context ${contextName}` : `cluster ${clusterName}`} of the kubeconfig has no server`,
      'Set its server with kubectl config set-cluster, or pass --server',
    );
  return {
    name: contextName ?? '',
    context: contextName,
    userName,
    clusterName,
    namespace: context.namespace ?? '',
    cluster: { ...cluster, server },
    user,
  };
}

function pickNamed<T extends object>(
  what: 'cluster' | 'user',
  name: string | undefined,
  known: ReadonlyMap<string, T>,
  config: Kubeconfig,
  namedBy: string,
): T | Record<string, never> {
  return name === undefined || name === '' ? {} : pick(what, name, known, config, namedBy);
}

function saysWhere(config: Kubeconfig, flags: ConnectionFlags, contextName: string | undefined): boolean {
  return (
    flags.server !== undefined ||
    flags.cluster !== undefined ||
    (contextName !== undefined && contextName !== '' && config.files.length > 0)
  );
}

function nowhere(config: Kubeconfig, flags: ConnectionFlags): EnvironmentError {
  const instead = 'or read a dump with --from FILE';
  if (config.files.length === 0 && config.missing.length > 0)
    return new EnvironmentError(
      `KUBECONFIG points to ${config.missing.join(' and ')}, which ${config.missing.length === 1 ? 'does' : 'do'} not exist`,
      `Correct KUBECONFIG, pass --kubeconfig, ${instead}`,
    );
  if (config.files.length === 0)
    return new EnvironmentError(
      'no kubeconfig was found, and this is not a pod with a service account',
      `Pass --kubeconfig, set KUBECONFIG, ${instead}`,
    );
  const known = [...config.contexts.keys()];
  const where = flags.kubeconfig ?? config.files.join(', ');
  if (known.length === 0)
    return new EnvironmentError(
      `the kubeconfig ${where} has no context`,
      `Pass another --kubeconfig, or --server, ${instead}`,
    );
  return new EnvironmentError(
    `the kubeconfig ${where} has no current context`,
    `Pass --context (${shorten(known)}), or set one with kubectl config use-context`,
  );
}

function pick<T>(
  what: 'context' | 'cluster' | 'user',
  name: string,
  known: ReadonlyMap<string, T>,
  config: Kubeconfig,
  namedBy: string,
): T {
  const entry = known.get(name);
  if (entry !== undefined) return entry;
  const named = `${namedBy} refers to the ${what} ${JSON.stringify(name)}`;
  if (config.files.length === 0)
    throw new EnvironmentError(`${named}, and there is no kubeconfig`, 'Pass --kubeconfig or set KUBECONFIG');
  throw new EnvironmentError(
    `${named}, which does not exist in ${config.files.join(', ')}`,
    suggestion(what, name, [...known.keys()]),
  );
}

function suggestion(what: string, name: string, known: readonly string[]): string {
  const near = nearNames(name, known);
  if (near.length > 0)
    return `Did you mean ${near
      .slice(0, 3)
      .map((name) => `"${name}"`)
      .join(' or ')}?`;
  return known.length > 0 ? `The kubeconfig has ${shorten(known)}` : `The kubeconfig has no ${what}s`;
}

function shorten(names: readonly string[]): string {
  return names.length <= 6 ? names.join(', ') : `${names.slice(0, 6).join(', ')} and ${names.length - 6} more`;
}

/** Flags win. What they replace is dropped as a whole, so that no certificate is left without its key. */
function override(target: Target, flags: ConnectionFlags): Target {
  const { server, login } = readServer(flags.server ?? target.cluster.server);
  const result: Target = {
    ...target,
    name: target.name === '' ? server : target.name,
    namespace: flags.namespace ?? (target.namespace === '' ? 'default' : target.namespace),
    cluster: { ...overrideCluster(target.cluster, flags), server },
    ...(login && { login }),
    user: overrideUser(target.user, flags),
  };
  refuseUnusable(result, isSecure(result));
  return result;
}

/**
 * clientcmd (DirectClientConfig.getCluster): one flag about trust replaces all settings about trust in the kubeconfig.
 */
function overrideCluster(before: ClusterEntry, flags: ConnectionFlags): ClusterEntry {
  let cluster = before;
  if (flags.insecureSkipTlsVerify === true || flags.certificateAuthority !== undefined) {
    const {
      'certificate-authority-data': _,
      'certificate-authority': __,
      'insecure-skip-tls-verify': ___,
      ...rest
    } = cluster;
    cluster = {
      ...rest,
      ...(flags.insecureSkipTlsVerify === true && { 'insecure-skip-tls-verify': true }),
      ...(flags.certificateAuthority !== undefined && { 'certificate-authority': flags.certificateAuthority }),
    };
  }
  if (flags.server !== undefined || flags.tlsServerName !== undefined) {
    const { 'tls-server-name': _, ...rest } = cluster;
    cluster = { ...rest, ...(flags.tlsServerName !== undefined && { 'tls-server-name': flags.tlsServerName }) };
  }
  return cluster;
}

function overrideUser(before: UserEntry, flags: ConnectionFlags): UserEntry {
  let user = before;
  if (flags.token !== undefined) {
    const { tokenFile: _, ...rest } = user;
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
  const authority = join(directory, 'ca.crt');
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const namespace =
    variables['POD_NAMESPACE'] ?? (await readFile(join(directory, 'namespace'), 'utf8').catch(() => ''));
  return {
    name: 'in-cluster',
    context: undefined,
    userName: undefined,
    clusterName: undefined,
    namespace: namespace.trim(),
    // As in client-go (rest.InClusterConfig), the server is verified with the public authorities if there is no
    // authority.
    cluster: { server, ...(existsSync(authority) && { 'certificate-authority': authority }) },
    user: { tokenFile },
  };
}
