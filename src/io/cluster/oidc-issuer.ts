import https from 'node:https';
import type { SecureContext } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { basicAuthorization, withoutLogin } from './address.ts';
import { proxyFor } from './proxy-choice.ts';
import { proxyAgent } from './proxy.ts';
import { trustFor } from './secure-context.ts';
import type { ConnectionEnvironment } from './flags.ts';

export interface RefreshedTokens {
  readonly idToken: string;
  readonly refreshToken?: string;
}

interface IssuerAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Part of tls.connect, which https.request passes it to; the types leave it out. */
interface SecureContextOption {
  readonly secureContext: SecureContext;
}

const limit = 30_000;
const mostBytes = 1_000_000;

/** The issuer of an oidc auth provider: finds its token endpoint and exchanges a refresh token for an id token. */
export class OidcIssuer {
  readonly #settings: Readonly<Record<string, string>>;
  readonly #environment: ConnectionEnvironment;

  constructor(settings: Readonly<Record<string, string>>, environment: ConnectionEnvironment) {
    this.#settings = settings;
    this.#environment = environment;
  }

  async refresh(refreshToken: string): Promise<RefreshedTokens> {
    const issuer = (this.#settings['idp-issuer-url'] ?? '').replace(/\/$/, '');
    const { status, body } = await this.#ask(`${issuer}/.well-known/openid-configuration`);
    const { token_endpoint: endpoint } = body;
    if (status !== 200 || typeof endpoint !== 'string') throw this.#refused(`has no token endpoint (status ${status})`);
    const answer = await this.#trade(endpoint, refreshToken);
    const { id_token: idToken, refresh_token: next, error } = answer.body;
    if (answer.status !== 200)
      throw this.#refused(
        `refuses the refresh token (${typeof error === 'string' ? error : `status ${answer.status}`})`,
      );
    if (typeof idToken !== 'string') throw this.#refused('returned no id_token');
    return { idToken, ...(typeof next === 'string' && next !== '' && { refreshToken: next }) };
  }

  /** The client is named in a header or, for issuers that refuse this, in the form: RFC 6749, section 2.3.1. */
  async #trade(endpoint: string, refreshToken: string): Promise<IssuerAnswer> {
    const { 'client-id': id = '', 'client-secret': secret = '' } = this.#settings;
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const login = { username: encodeURIComponent(id), password: encodeURIComponent(secret) };
    const first = await this.#ask(endpoint, grant, basicAuthorization(login));
    if (first.status < 400 || first.status >= 500) return first;
    return this.#ask(endpoint, { ...grant, client_id: id, ...(secret !== '' && { client_secret: secret }) });
  }

  async #ask(address: string, form?: Readonly<Record<string, string>>, authorization?: string): Promise<IssuerAnswer> {
    const url = URL.parse(address);
    if (url?.protocol !== 'https:')
      throw this.#refused(`has the address ${withoutLogin(address)}, which is not https: no token is sent to it`);
    const proxy = proxyFor(url, undefined, this.#environment.variables ?? process.env);
    const secureContext = trustFor({
      'certificate-authority': this.#settings['idp-certificate-authority'],
      'certificate-authority-data': this.#settings['idp-certificate-authority-data'],
    });
    const agent =
      proxy === undefined ? undefined : await proxyAgent(proxy, true, { rejectUnauthorized: true }, secureContext);
    const body = form && new URLSearchParams(form).toString();
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void =>
        reject(this.#refused(`cannot be reached (${error.code ?? error.message})`));
      const request = https.request(
        {
          host: url.hostname.replace(/^\[|\]$/g, ''),
          port: url.port || 443,
          path: `${url.pathname}${url.search}`,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json',
            ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
            ...(authorization !== undefined && { authorization }),
          },
          rejectUnauthorized: true,
          signal: AbortSignal.timeout(limit),
          agent: agent ?? new https.Agent({ secureContext }),
          ...({ secureContext } satisfies SecureContextOption),
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > mostBytes) request.destroy(new Error('its answer is too long'));
            chunks.push(chunk);
          });
          response.on('error', fail);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: parseObject(Buffer.concat(chunks).toString()) }),
          );
        },
      );
      request.on('error', fail);
      request.end(body);
    });
  }

  #refused(problem: string): EnvironmentError {
    const issuer = withoutLogin(this.#settings['idp-issuer-url'] ?? '');
    return new EnvironmentError(
      `the OIDC issuer ${issuer} of the kubeconfig ${problem}`,
      'Log in again, or correct the auth-provider of the user',
    );
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
