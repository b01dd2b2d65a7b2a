import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { basicAuthorization } from './address.ts';
import { askPlugin } from './exec-plugin.ts';
import { readPem } from './pem.ts';
import { isSecure } from './target.ts';
import type { AuthProvider } from './auth-provider.ts';
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
  #provider: AuthProvider | undefined;
  #current: { readonly credential: Promise<Credential>; expires: number } | undefined;

  constructor(target: Target, environment: ConnectionEnvironment) {
    this.#target = target;
    this.#environment = environment;
  }

  current(): Promise<Credential> {
    if (!this.#current || Date.now() >= this.#current.expires) {
      // Later, because it sets when this entry expires.
      const credential = Promise.resolve().then(() => this.#make());
      const entry = { credential, expires: Number.POSITIVE_INFINITY };
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
    if (!isSecure(this.#target)) return false;
    if (exec === undefined && tokenFile === undefined && provider === undefined) return false;
    this.#current = undefined;
    return true;
  }

  async #make(): Promise<Credential> {
    const { user, login } = this.#target;
    const impersonation = impersonationHeaders(user);
    // A server without TLS receives no credential, and no plugin is run for it.
    if (!isSecure(this.#target)) return { headers: impersonation };
    const { authorization, ...pair } = await this.#identify(user);
    const header = login ? basicAuthorization(login) : authorization;
    return { ...pair, headers: { ...impersonation, ...(header !== undefined && { authorization: header }) } };
  }

  /**
   * What comes first, as in client-go: token and token file, then name and password; a plugin is asked only without any
   * of these and without a client certificate (exec.Authenticator.UpdateTransportConfig), and an auth provider sets no
   * header that is set already.
   */
  async #identify(user: Target['user']): Promise<Identity> {
    const pair = readPair(user);
    const authorization = await this.#ownAuthorization(user);
    if (user.exec && authorization === undefined && pair.certificate === undefined) {
      const plugin = await askPlugin(user.exec, this.#target, this.#environment);
      this.#expireAt(plugin.expires);
      return { ...pluginPair(plugin), authorization: bearer(plugin.token) };
    }
    if (user['auth-provider'] && authorization === undefined) {
      const { AuthProvider } = await import('./auth-provider.ts');
      this.#provider ??= new AuthProvider(user['auth-provider'], this.#environment);
      const { token, expires } = await this.#provider.token();
      this.#expireAt(expires);
      return { ...pair, authorization: bearer(token) };
    }
    return { ...pair, authorization };
  }

  async #ownAuthorization({ username = '', password = '' }: Target['user']): Promise<string | undefined> {
    const token = await this.#token();
    if (token !== undefined || username === '') return bearer(token);
    return basicAuthorization({ username, password });
  }

  /**
   * The file wins over the token; the token is used while the file cannot be read or is empty
   * (transport.NewCachedFileTokenSource).
   */
  async #token(): Promise<string | undefined> {
    const { tokenFile = '', token = '' } = this.#target.user;
    if (tokenFile === '') return token === '' ? undefined : token;
    this.#expireAt(Date.now() + fileLifetime);
    let problem = 'is empty';
    try {
      const text = readFileSync(tokenFile, 'utf8').trim();
      if (text !== '') return text;
    } catch (error) {
      problem = `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
    }
    if (token !== '') return token;
    throw new EnvironmentError(
      `the token file ${tokenFile} ${problem}`,
      'Fix the user in the kubeconfig, or pass --token',
    );
  }

  #expireAt(moment: number | undefined): void {
    // Somewhat early, so that no request is under way when it expires.
    if (this.#current && moment !== undefined) this.#current.expires = Math.max(moment - 5000, Date.now() + 1000);
  }
}

interface Identity {
  readonly authorization: string | undefined;
  readonly certificate?: string | Buffer;
  readonly key?: string | Buffer;
}

function bearer(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  return headerValue(`Bearer ${token}`, 'the token', 'Check --token or the user in the kubeconfig');
}

/** Headers are bytes: Go writes them in UTF-8, Node in Latin-1. Control characters are refused by both. */
function headerValue(text: string, what: string, next: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(text))
    throw new EnvironmentError(`${what} contains a line break or another control character`, next);
  return Buffer.from(text).toString('latin1');
}

function pluginPair(plugin: PluginCredential): { readonly certificate?: string; readonly key?: string } {
  return plugin.certificate === undefined || plugin.key === undefined
    ? {}
    : { certificate: plugin.certificate, key: plugin.key };
}

/** A key without a certificate identifies no user and is not read. */
function readPair(user: Target['user']): Pick<Identity, 'certificate' | 'key'> {
  const certificate = readPem(user['client-certificate'], user['client-certificate-data'], 'client certificate');
  if (certificate === undefined) return {};
  const key = readPem(user['client-key'], user['client-key-data'], 'client key');
  return { certificate, ...(key && { key }) };
}

function impersonationHeaders(user: Target['user']): Record<string, string | readonly string[]> {
  const { as = '', 'as-uid': uid = '', 'as-groups': groups = [], 'as-user-extra': extra = {} } = user;
  if (as === '') return {};
  const value = (text: string): string =>
    headerValue(text, 'the user, uid, group or extra to impersonate', 'Check --as, --as-group and --as-uid');
  const extras = Object.entries(extra).filter(([, values]) => values.length > 0);
  return {
    'Impersonate-User': value(as),
    ...(uid !== '' && { 'Impersonate-Uid': value(uid) }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups.map(value) }),
    ...Object.fromEntries(extras.map(([key, values]) => [`Impersonate-Extra-${escapeKey(key)}`, values.map(value)])),
  };
}

/** Bytes that no header name may have are percent-encoded (client-go, transport.headerKeyEscape). */
function escapeKey(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replaceAll(
      /[^!#$&'*+\-.^_`|~\dA-Za-z]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
