import { EnvironmentError } from '../../core/kube/errors.ts';
import { OidcIssuer } from './oidc-issuer.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { UserEntry } from './kubeconfig-content.ts';

export interface ProvidedToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Removed from client-go in 1.26, with the plugins that took their place. They are never run. */
const removed: Readonly<Record<string, string>> = {
  gcp: 'Install gke-gcloud-auth-plugin and run gcloud container clusters get-credentials again',
  azure: 'Install kubelogin and run kubelogin convert-kubeconfig',
};

/** client-go takes a token for expired this much earlier. */
const margin = 10_000;

/** The auth-provider of a user. Of those that kubectl once had, oidc is left. */
export class AuthProvider {
  readonly #settings: Readonly<Record<string, string>>;
  readonly #environment: ConnectionEnvironment;
  #idToken: string;
  #refreshToken: string;

  constructor({ name = '', config = {} }: NonNullable<UserEntry['auth-provider']>, environment: ConnectionEnvironment) {
    if (name !== 'oidc') throw unknownProvider(name);
    for (const field of ['idp-issuer-url', 'client-id'])
      if ((config[field] ?? '') === '') throw refused(`has no ${field}`, 'Add it to the kubeconfig');
    this.#settings = config;
    this.#environment = environment;
    this.#idToken = config['id-token'] ?? '';
    this.#refreshToken = config['refresh-token'] ?? '';
  }

  async token(): Promise<ProvidedToken> {
    const expires = this.#idToken === '' ? 0 : expiryOf(this.#idToken);
    if (expires > Date.now() + margin) return { token: this.#idToken, expires };
    if (this.#refreshToken === '')
      throw refused('has an id-token that has expired, and no refresh-token', 'Log in again');
    const { idToken, refreshToken } = await new OidcIssuer(this.#settings, this.#environment).refresh(
      this.#refreshToken,
    );
    this.#idToken = idToken;
    if (refreshToken !== undefined && refreshToken !== this.#refreshToken) {
      this.#refreshToken = refreshToken;
      this.#environment.onPluginMessage?.(
        'warning: The OIDC issuer replaced the refresh token, and kubectl csi never writes to a kubeconfig. ' +
          'If kubectl is refused, log in again.\n',
      );
    }
    return { token: idToken, expires: expiryOf(idToken) };
  }
}

function unknownProvider(name: string): EnvironmentError {
  const instead = removed[name];
  return instead === undefined
    ? new EnvironmentError(
        `the auth provider ${JSON.stringify(name)} does not exist`,
        'Use oidc or a credential plugin',
      )
    : new EnvironmentError(`the auth provider ${name} was removed from kubectl in 1.26`, instead);
}

function refused(problem: string, next: string): EnvironmentError {
  return new EnvironmentError(`the auth provider oidc of the kubeconfig ${problem}`, next);
}

function expiryOf(token: string): number {
  const parts = token.split('.');
  try {
    const payload = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString()) as { readonly exp?: unknown };
    if (parts.length === 3) return typeof payload.exp === 'number' ? payload.exp * 1000 : 0;
  } catch {
    // The error below covers it.
  }
  throw refused('has an id-token that is not a JWT', 'Log in again');
}
