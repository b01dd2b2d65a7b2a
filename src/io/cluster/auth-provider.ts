import { setDefaultCACertificates } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { publicAuthorities } from './authorities.ts';
import type { Target } from './target.ts';

/**
 * The auth providers of old kubeconfigs (oidc, gcp, azure). An OIDC token that is still valid is used as it is; client-node
 * is loaded only to refresh one, since that takes most of a second.
 */
export async function askAuthProvider(target: Target): Promise<Record<string, string>> {
  const provider = target.user['auth-provider'] ?? {};
  const token = provider.config?.['id-token'];
  if (provider.name === 'oidc' && token !== undefined && expiry(token) > Date.now() + 10_000)
    return { authorization: `Bearer ${token}` };
  try {
    const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
    // client-node uses Node's default authorities, and the launcher starts Node without any.
    setDefaultCACertificates(publicAuthorities());
    const config = new KubeConfig();
    const { server } = target.cluster;
    config.loadFromClusterAndUser(
      { name: 'cluster', server, skipTLSVerify: false },
      { name: 'user', authProvider: { name: provider.name, config: { ...provider.config } } },
    );
    const options: { headers: Record<string, string> } = { headers: {} };
    await config.applyToHTTPSOptions(options as never);
    const authorization = options.headers['Authorization'];
    if (authorization === undefined) throw new Error('it gave no token');
    return { authorization };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new EnvironmentError(
      `the auth provider ${provider.name ?? ''} of the kubeconfig gave no credential: ${words.split('\n', 1)[0] ?? ''}`,
      'log in again; kubectl has given up auth providers for exec plugins',
      { cause: error },
    );
  }
}

function expiry(token: string): number {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly exp?: unknown;
    };
    return typeof payload.exp === 'number' ? payload.exp * 1000 : 0;
  } catch {
    return 0;
  }
}
