import { EnvironmentError } from '../../core/kube/errors.ts';
import { TooLarge } from './answer-body.ts';
import { Silence } from './transport.ts';
import type { Target } from './target.ts';
import type { Answer } from './answer-body.ts';

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
  // The SOCKS library keeps only the message.
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

/** A connection that failed, in the form that the explanations below need. */
interface FailedConnection {
  readonly error: unknown;
  readonly code: string;
  readonly words: string;
  readonly server: string;
  readonly hostname: string;
  readonly silence: number;
  readonly proxy: string | undefined;
}
interface Explanation {
  readonly applies: (failed: FailedConnection) => boolean;
  readonly what: (failed: FailedConnection) => string;
  readonly next: string | ((failed: FailedConnection) => string);
}

const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const checkProxy = 'Check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY';
const hasCode =
  (...codes: readonly string[]) =>
  ({ code }: FailedConnection): boolean =>
    codes.includes(code);

/** The first that applies explains the failure. */
const explanations: readonly Explanation[] = [
  {
    // With a proxy we connect to the proxy and to nothing else, so these are failures of the proxy.
    applies: ({ proxy, code }) => proxy !== undefined && unreachable.has(code),
    what: ({ proxy, server }) => `cannot reach the proxy ${proxy} on the way to ${server}`,
    next: checkProxy,
  },
  {
    applies: ({ error }) => error instanceof Silence && error.phase === 'body',
    what: ({ server, silence }) => `${server} did not finish its answer within ${durationText(silence)}`,
    next: 'Check the network and the load of the API server, or raise --request-timeout',
  },
  {
    applies: ({ error }) => error instanceof TooLarge,
    what: ({ server, words }) => `${server} sent an answer of ${words}`,
    next: 'Lower --chunk-size, and check any proxy in front of the API server',
  },
  {
    applies: ({ code }) => code.startsWith('Z_'),
    what: ({ server }) => `${server} sent a damaged compressed answer`,
    next: 'Check the proxy or load balancer in front of the API server',
  },
  {
    applies: ({ error, code }) => error instanceof Silence || code === 'ETIMEDOUT',
    what: ({ server, silence }) => `${server} did not answer within ${durationText(silence)}`,
    next: 'Check the network, VPN and firewall, or raise --request-timeout',
  },
  {
    applies: hasCode('ECONNREFUSED'),
    what: ({ server }) => `${server} refused the connection`,
    next: 'Check that the API server runs and that the address and port are right',
  },
  {
    applies: hasCode('ENOTFOUND', 'EAI_AGAIN'),
    what: ({ server }) => `cannot resolve the host name of ${server}`,
    next: ({ hostname }) => `Check ${hostname}, DNS and the VPN`,
  },
  {
    applies: hasCode('EHOSTUNREACH', 'ENETUNREACH'),
    what: ({ server }) => `cannot reach ${server} over the network`,
    next: 'Check the network, VPN and firewall',
  },
  {
    applies: ({ code }) => untrusted.has(code),
    what: ({ server }) => `the certificate of ${server} is not signed by the certificate authority in the kubeconfig`,
    next: 'Check that the kubeconfig belongs to this cluster, or pass --certificate-authority',
  },
  {
    applies: hasCode('CERT_HAS_EXPIRED'),
    what: ({ server }) => `the certificate of ${server} has expired`,
    next: 'Renew the certificate of the API server, or check the clock of this machine',
  },
  {
    applies: hasCode('CERT_NOT_YET_VALID'),
    what: ({ server }) => `the certificate of ${server} is not valid yet`,
    next: 'Check the clock of this machine',
  },
  {
    applies: hasCode('ERR_TLS_CERT_ALTNAME_INVALID'),
    what: ({ server }) => `the certificate of ${server} is for another name`,
    next: 'Use the name in the certificate, or pass --tls-server-name',
  },
  {
    applies: ({ code, words }) => code === 'EPROTO' && /wrong version number|packet length too long/i.test(words),
    what: ({ server }) => `${server} does not speak TLS`,
    next: 'Use http:// instead of https://, or another port',
  },
  {
    applies: ({ code, words }) =>
      /alert certificate required|alert bad certificate|alert unknown ca|certificate expired/i.test(words) ||
      code.startsWith('ERR_SSL_TLSV1'),
    what: ({ server }) => `${server} does not accept the client certificate`,
    next: 'Renew the client certificate of the kubeconfig user',
  },
  {
    applies: ({ code }) => code.startsWith('HPE_'),
    what: ({ server }) => `${server} does not answer in HTTP`,
    next: 'Check the address and port; a TLS server needs https://',
  },
  {
    applies: ({ words }) => /^Bad response: \d+$/.test(words),
    what: ({ server, words }) => `the proxy on the way to ${server} answered with status ${words.slice(14)}`,
    next: checkProxy,
  },
  {
    applies: ({ error }) => isWorthRetrying(error),
    what: ({ server }) => `${server} closed the connection`,
    next: 'Check the network and any proxy, and try again',
  },
];
const unexplained: Explanation = {
  applies: () => true,
  what: ({ server, code, words }) =>
    `the connection to ${server} failed (${code === '' ? words.split('\n', 1)[0] : code})`,
  next: 'Check the address and the network',
};

/** Why the server cannot be talked to, in one sentence. */
export function explainConnection(error: unknown, target: Target, silence: number, proxy?: string): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const failed: FailedConnection = {
    error,
    code: codeOf(error),
    words: error instanceof Error ? error.message : String(error),
    server: place(target),
    hostname: new URL(target.cluster.server).hostname,
    silence,
    proxy,
  };
  const { what, next } = explanations.find(({ applies }) => applies(failed)) ?? unexplained;
  return new EnvironmentError(what(failed), typeof next === 'string' ? next : next(failed), { cause: error });
}

function durationText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 1000)} s`;
}

export function explainUnauthorized(target: Target): EnvironmentError {
  if (/^http:/i.test(target.cluster.server))
    return new EnvironmentError(
      `${place(target)} requires credentials, which are never sent over plain http`,
      'Use the https:// address of the API server',
    );
  const who = target.userName === undefined ? '' : ` of the user ${target.userName}`;
  return new EnvironmentError(
    `${place(target)} does not accept the credentials${who}`,
    'The token or certificate may have expired: log in again, or choose another --context or --user',
  );
}

/** Why an answer is not that of an API server. */
export function explainStranger(
  target: Target,
  { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>,
  parsed: unknown,
): EnvironmentError {
  const opening = body.toString('utf8', 0, 400);
  if (/HTTP request to an HTTPS server/i.test(opening))
    return new EnvironmentError(`${place(target)} requires TLS`, 'Use https:// instead of http://');
  if (status >= 300 && status < 400)
    return new EnvironmentError(
      `${place(target)} redirects to ${originOf(headers.location)} (status ${status}); redirects are not followed`,
      'Check the address: it may be a login page, a proxy or another service',
    );
  if (status >= 500 || status === 429)
    return new EnvironmentError(
      `${place(target)} answered with status ${status}`,
      'Check the API server and any proxy in front of it, and try again',
    );
  return new EnvironmentError(
    `${place(target)} answered ` +
      `${strangeness(body, opening, headers['content-type'] ?? '', parsed)}${status === 200 ? '' : ` (status ${status})`}`,
    'Check the address: it may be a login page, a proxy or another service',
  );
}

function strangeness(body: Buffer, opening: string, contentType: string, parsed: unknown): string {
  if (body.length === 0) return 'with an empty body';
  if (/html/i.test(contentType) || /^\s*</.test(opening)) return 'with a web page';
  if (parsed === undefined && /^\s*\{/.test(opening)) return 'with JSON that is damaged or cut off';
  return 'but not like a Kubernetes API server';
}

/** Without the path and query, which may carry what a login page needs. */
function originOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  try {
    return new URL(location).origin;
  } catch {
    return 'another path';
  }
}
