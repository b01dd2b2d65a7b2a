import { EnvironmentError } from '../../core/kube/errors.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** An address for messages: without a name and password, even if it cannot be parsed. */
export function withoutLogin(address: string): string {
  const end = /^(?:[a-z][a-z0-9+.-]*:)?\/*[^/?#]*/i.exec(address)?.[0].length ?? 0;
  const at = address.lastIndexOf('@', URL.canParse(address) ? end : address.length);
  if (at < 0) return address;
  return `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? ''}${address.slice(at + 1)}`;
}

/** The name and password of an address; undefined if it has none. */
export function loginOf(url: URL): Login | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return { username: decode(url.username), password: decode(url.password) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function basicAuthorization({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

export interface ServerAddress {
  /** Without login, query, fragment and slashes at the end. */
  readonly server: string;
  readonly login?: Login;
}

/**
 * The address of a server as client-go reads it (rest.DefaultServerURL): without a scheme it is http, and may then have
 * no path. A query and a fragment are dropped.
 */
export function readServer(written: string): ServerAddress {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(written);
  const full = hasScheme ? written : `http://${written}`;
  const url = /\s/.test(written) ? null : URL.parse(full);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || (!hasScheme && url.pathname !== '/'))
    throw new EnvironmentError(
      `the server address ${JSON.stringify(withoutLogin(written))} is not an http or https address`,
      'Write it as https://HOST:PORT',
    );
  const login = loginOf(url);
  const server = withoutLogin(full)
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '');
  return { server, ...(login && { login }) };
}
