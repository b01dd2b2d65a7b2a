import { EnvironmentError } from '../../core/kube/errors.ts';
import { Silence } from './transport.ts';
import type { Target } from './target.ts';

const untrusted: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);
const brokenOff: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

export function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : undefined;
  if (inner !== undefined) return codeOf(inner);
  // The SOCKS library keeps only the words.
  return error instanceof Error ? (/^\w+ (E[A-Z]{4,})\b/.exec(error.message)?.[1] ?? '') : '';
}

/** A connection that broke off may work the second time; a refused one will not. */
export function isWorthRetrying(error: unknown): boolean {
  return brokenOff.has(codeOf(error)) || (error instanceof Error && error.message === 'aborted');
}

function place(target: Target): string {
  return target.context === undefined
    ? `the server ${target.cluster.server}`
    : `the server ${target.cluster.server} of context ${target.context}`;
}

/** Why the server cannot be talked to, in one sentence. */
export function explainConnection(error: unknown, target: Target, silence: number, proxy?: string): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const options = { cause: error };
  const server = place(target);
  const code = codeOf(error);
  const words = error instanceof Error ? error.message : String(error);
  const url = new URL(target.cluster.server);
  // Through a proxy we connect to the proxy and nothing else: these are its failures.
  if (proxy !== undefined && /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return new EnvironmentError(
      `the proxy ${proxy} on the way to ${server} cannot be reached`,
      'check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY',
      options,
    );
  if (error instanceof Silence || code === 'ETIMEDOUT')
    return new EnvironmentError(
      `${server} did not answer within ${silence < 1000 ? `${silence} ms` : `${Math.round(silence / 1000)} s`}`,
      'check the network, VPN or firewall on the way, or raise --request-timeout',
      options,
    );
  if (code === 'ECONNREFUSED')
    return new EnvironmentError(
      `${server} refuses connections`,
      'check that the API server runs and that the address and port are right',
      options,
    );
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new EnvironmentError(
      `${server} has a name that cannot be resolved`,
      `check ${url.hostname}, DNS or the VPN`,
      options,
    );
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return new EnvironmentError(
      `${server} cannot be reached over the network`,
      'check the network, VPN or firewall on the way',
      options,
    );
  if (untrusted.has(code))
    return new EnvironmentError(
      `${server} shows a certificate that its authority in the kubeconfig did not sign`,
      'check that the kubeconfig belongs to this cluster, or pass --certificate-authority',
      options,
    );
  if (code === 'CERT_HAS_EXPIRED')
    return new EnvironmentError(
      `${server} shows a certificate that has expired`,
      'renew the certificate of the API server, or check the clock of this machine',
      options,
    );
  if (code === 'CERT_NOT_YET_VALID')
    return new EnvironmentError(
      `${server} shows a certificate that is not valid yet`,
      'check the clock of this machine',
      options,
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new EnvironmentError(
      `${server} shows a certificate for another name`,
      'use the name in the certificate, or pass --tls-server-name',
      options,
    );
  if (code === 'EPROTO' && /wrong version number|packet length too long/i.test(words))
    return new EnvironmentError(
      `${server} does not speak TLS`,
      `use http:// in place of https://, or another port`,
      options,
    );
  if (
    /alert certificate required|alert bad certificate|alert unknown ca|certificate expired/i.test(words) ||
    code.startsWith('ERR_SSL_TLSV1')
  )
    return new EnvironmentError(
      `${server} does not take the client certificate`,
      'renew the client certificate of the kubeconfig user',
      options,
    );
  if (code.startsWith('HPE_'))
    return new EnvironmentError(
      `${server} does not answer in HTTP`,
      'check the address and port; a TLS server needs https://',
      options,
    );
  if (/^Bad response: \d+$/.test(words))
    return new EnvironmentError(
      `the proxy on the way to ${server} answers with status ${words.slice(14)}`,
      'check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY',
      options,
    );
  if (isWorthRetrying(error))
    return new EnvironmentError(
      `${server} breaks off the connection`,
      'check the network or the proxy on the way, and try again',
      options,
    );
  return new EnvironmentError(
    `${server} cannot be talked to (${code === '' ? words.split('\n', 1)[0] : code})`,
    'check the address and the network',
    options,
  );
}

export function explainUnauthorized(target: Target): EnvironmentError {
  const who = target.userName === undefined ? '' : ` of the user ${target.userName}`;
  return new EnvironmentError(
    `${place(target)} does not accept the credentials${who}`,
    'the token or certificate may have expired: log in again, or choose another --context or --user',
  );
}

export function explainStranger(target: Target, body: Buffer, contentType: string): EnvironmentError {
  const opening = body.toString('utf8', 0, 400);
  if (/HTTP request to an HTTPS server/i.test(opening))
    return new EnvironmentError(`${place(target)} wants TLS`, 'use https:// in place of http://');
  const what =
    /html/i.test(contentType) || /^\s*</.test(opening) ? 'with a web page' : 'but not as a Kubernetes API server does';
  return new EnvironmentError(
    `${place(target)} answers ${what}`,
    'check the address: it may be a login page, a proxy or another service',
  );
}
