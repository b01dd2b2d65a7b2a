import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { askPlugin } from './exec-plugin.ts';
import type { PluginCredential } from './exec-plugin.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { Target } from './target.ts';

export interface Credential {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly certificate?: string | Buffer;
  readonly key?: string | Buffer;
}

/** How often client-go reads a token file again. */
const fileLifetime = 60_000;

/** The credentials for each request, remembered until they expire or are refused. */
export class Credentials {
  readonly #target: Target;
  readonly #environment: ConnectionEnvironment;
  #current: { readonly credential: Promise<Credential>; expires: number } | undefined;

  constructor(target: Target, environment: ConnectionEnvironment) {
    this.#target = target;
    this.#environment = environment;
  }

  current(): Promise<Credential> {
    if (!this.#current || Date.now() >= this.#current.expires) {
      const entry = { credential: this.#make(), expires: Number.POSITIVE_INFINITY };
      this.#current = entry;
      // A failure is not remembered: the next request tries again.
      entry.credential.catch(() => {
        if (this.#current === entry) this.#current = undefined;
      });
    }
    return this.#current.credential;
  }

  /** After a 401: true if the credentials may be different the next time. */
  renew(): boolean {
    const { exec, tokenFile, 'auth-provider': provider } = this.#target.user;
    if (exec === undefined && tokenFile === undefined && provider === undefined) return false;
    this.#current = undefined;
    return true;
  }

  async #make(): Promise<Credential> {
    const { user } = this.#target;
    const impersonation = impersonationHeaders(user);
    const certificate = await readPem(
      user['client-certificate'],
      user['client-certificate-data'],
      'client certificate',
    );
    const key = await readPem(user['client-key'], user['client-key-data'], 'client key');
    const own = { ...(certificate === undefined ? {} : { certificate }), ...(key === undefined ? {} : { key }) };
    if (user.exec && user.token === undefined) {
      const plugin = await askPlugin(user.exec, this.#target, this.#environment);
      this.#expireAt(plugin.expires);
      return { ...own, ...pluginPair(plugin), headers: { ...impersonation, ...bearer(plugin.token) } };
    }
    if (user['auth-provider'] && user.token === undefined) {
      const { askAuthProvider } = await import('./auth-provider.ts');
      this.#expireAt(Date.now() + fileLifetime);
      return { ...own, headers: { ...impersonation, ...(await askAuthProvider(this.#target)) } };
    }
    if (user.username !== undefined && user.username !== '') {
      const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
      return { ...own, headers: { ...impersonation, authorization: `Basic ${basic}` } };
    }
    return { ...own, headers: { ...impersonation, ...bearer(await this.#token()) } };
  }

  async #token(): Promise<string | undefined> {
    const { tokenFile, token } = this.#target.user;
    if (tokenFile === undefined || tokenFile === '') return token;
    this.#expireAt(Date.now() + fileLifetime);
    try {
      const text = readFileSync(tokenFile, 'utf8').trim();
      return text === '' ? token : text;
    } catch (error) {
      if (token !== undefined) return token;
      throw new EnvironmentError(
        `the token file ${tokenFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
        'repair the user of the kubeconfig, or pass --token',
        { cause: error },
      );
    }
  }

  #expireAt(moment: number | undefined): void {
    // Somewhat early, so that no request is under way when it expires.
    if (this.#current && moment !== undefined) this.#current.expires = Math.max(moment - 5000, Date.now() + 1000);
  }
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  if (token === undefined || token === '') return {};
  if (/[^\x21-\x7e]/.test(token.trim()))
    throw new EnvironmentError(
      'the token holds characters that no token has',
      'check --token or the user of the kubeconfig for a stray line break',
    );
  return { authorization: `Bearer ${token.trim()}` };
}

function pluginPair(plugin: PluginCredential): { readonly certificate?: string; readonly key?: string } {
  return plugin.certificate === undefined || plugin.key === undefined
    ? {}
    : { certificate: plugin.certificate, key: plugin.key };
}

function impersonationHeaders(user: Target['user']): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  if (user.as !== undefined && user.as !== '') headers['Impersonate-User'] = user.as;
  if (user['as-uid'] !== undefined && user['as-uid'] !== '') headers['Impersonate-Uid'] = user['as-uid'];
  if (user['as-groups'] !== undefined && user['as-groups'].length > 0) headers['Impersonate-Group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {}))
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = values;
  if (headers['Impersonate-User'] === undefined && Object.keys(headers).length > 0)
    throw new EnvironmentError('a group, uid or extra is to be impersonated, but no user', 'pass --as as well');
  return headers;
}

export async function readPem(
  path: string | undefined,
  data: string | undefined,
  what: string,
): Promise<Buffer | undefined> {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64');
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new EnvironmentError(
      `the ${what} ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      'repair the kubeconfig, or pass the right path',
      { cause: error },
    );
  }
}
