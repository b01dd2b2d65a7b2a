import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { EnvironmentError } from '../../src/core/kube/errors.ts';
import { Credentials } from '../../src/io/cluster/credentials.ts';
import { readPem } from '../../src/io/cluster/pem.ts';
import { findTarget } from '../../src/io/cluster/target.ts';

/** What a kubeconfig means to whoever connects with it. */
export interface Reading {
  readonly server?: string | undefined;
  readonly authority?: string | undefined;
  readonly isInsecure?: boolean;
  readonly serverName?: string | undefined;
  readonly proxy?: string | undefined;
  readonly namespace?: string;
  readonly authorization?: string | undefined;
  readonly impersonated?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** True for a kubeconfig that is not accepted at all. */
  readonly isRefused: boolean;
}

/** KUBECONFIG and HOME come from the environment, as for client-node, which takes them from nowhere else. */
export async function readByUs(): Promise<Reading> {
  try {
    const environment = { variables: process.env, serviceAccountDirectory: '/nonexistent' };
    const target = await findTarget({}, environment);
    const { cluster } = target;
    const { headers, certificate, key } = await new Credentials(target, environment).current();
    const authority = readPem(cluster['certificate-authority'], cluster['certificate-authority-data'], 'authority');
    return {
      server: cluster.server,
      authority: authority?.toString(),
      isInsecure: cluster['insecure-skip-tls-verify'] === true,
      serverName: cluster['tls-server-name'],
      proxy: cluster['proxy-url'],
      namespace: target.namespace,
      authorization: headers['authorization']?.toString(),
      impersonated: headers['Impersonate-User']?.toString(),
      certificate: certificate?.toString(),
      key: key?.toString(),
      isRefused: false,
    };
  } catch (error) {
    if (error instanceof EnvironmentError) return { isRefused: true };
    throw error;
  }
}

export async function readByClientNode(): Promise<Reading> {
  try {
    const config = new KubeConfig();
    config.loadFromDefault();
    const cluster = config.getCurrentCluster();
    if (cluster === null) return { isRefused: true };
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const basic =
      typeof options.auth === 'string' ? `Basic ${Buffer.from(options.auth).toString('base64')}` : undefined;
    const headers = new Headers(options.headers as Record<string, string> | undefined);
    return {
      server: cluster.server,
      authority: options.ca?.toString(),
      isInsecure: options.rejectUnauthorized === false,
      serverName: cluster.tlsServerName,
      proxy: cluster.proxyUrl,
      namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
      authorization: headers.get('authorization') ?? basic,
      impersonated: headers.get('impersonate-user') ?? undefined,
      certificate: options.cert?.toString(),
      key: options.key?.toString(),
      isRefused: false,
    };
  } catch {
    return { isRefused: true };
  }
}

export const parts = [
  'server',
  'authority',
  'isInsecure',
  'serverName',
  'proxy',
  'namespace',
  'authorization',
  'impersonated',
  'certificate',
  'key',
] as const;

export const refusedByBoth = 'refused by both';

export function differingParts(ours: Reading, theirs: Reading): string[] {
  if (ours.isRefused && theirs.isRefused) return [refusedByBoth];
  if (ours.isRefused || theirs.isRefused) return ['isRefused'];
  return parts.filter((part) => ours[part] !== theirs[part]);
}
