import { iscsiCode } from './exit-codes.ts';
import { anyOf } from './wordings.ts';

const unreachable = {
  connection: /connection (?:timed out|refused|reset)/,
  route: /no route to host|network is unreachable/,
  timeout: /i\/o timeout/,
  noSuchHost: /no such host/,
  words:
    /\b(?:host|server|portal|target|network(?: path)?|endpoint) (?:is |was )?(?:unreachable|not reachable|down)\b|actively refused|connection (?:was |has been )?(?:closed by|reset by|aborted|lost)|connect(?:ion)? time-?out|(?:could ?(?:not|n't)|cannot|can't|failed to|unable to) (?:connect to|reach) (?:the )?(?!(?:the )?(?:instance|volume|disk|device)\b)\S/,
  java: /\b(?:NoRouteToHost|Connect|SocketTimeout|ConnectTimeout|HttpHostConnect)Exception\b/,
  windows:
    /\b(?:System|WNet\w*|Win32) ?error (?:53|64|67|121|1231|10060|10061)\b|network (?:path|name) (?:was not found|cannot be found|is no longer available)|\bWSA(?:ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH)\b/,
  nodeJs: /\b(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/,
};

/** Go's crypto/x509, of the certificate of the server. */
export const certificateTexts =
  /x509: (?:certificate|cannot validate)|(?:certificate|cert) (?:has (?:expired|lapsed)|is (?:expired|not trusted|self[- ]signed|not yet valid)|verify failed|verification failed|signed by unknown authority)|CERTIFICATE_VERIFY_FAILED|PKIX path|(?:certificate|tls|ssl)\b.{0,60}\bmismatch|self[- ]signed certificate|SSLHandshakeException|unable to (?:get local issuer|verify the (?:first|leaf)) certificate/i;

/** The driver's controller does not reach the storage. */
export const networkTexts = anyOf(unreachable, {
  client: /connection error|dial (?:tcp|udp)|TLS handshake|x509:/,
  names: /server misbehaving|name resolution/,
  mount: /mount error\((?:11[0-3]|115)\)|\bhost is down\b/,
});

/** A node does not reach the storage; numbers are errno values. */
export const nodeNetworkTexts = anyOf(unreachable, {
  host: /host is (?:down|unreachable)/,
  lustre: /Is the MGS running/,
  numbers: /error\((?:110|111|112|113|115)\)/,
  iscsi: /login (?:to .{0,80})?(?:failed|timed out)|no portal|target .{0,60} not (?:found|reachable)/,
  iscsiCodes: iscsiCode(4, 8, 11),
});

/** The name of a server has no address where it is looked up; a firewall has nothing to do with it. */
export const unresolvedTexts = anyOf({
  mount: /failed to resolve (?:server )?"?[\w.-]+|name or service not known|temporary failure in name resolution/,
  java: /\bUnknownHostException\b/,
  dns: /\bNXDOMAIN\b|\bSERVFAIL\b|server misbehaving|getaddrinfo\b|(?:cannot|can't|unable to|failed to) (?:resolve|look ?up) (?:the )?(?:host|name|address|server|endpoint)/,
  resolver: /could not resolve (?:host|address|hostname)|no such host|\bENOTFOUND\b|\bEAI_AGAIN\b/,
});

/**
 * The same on a node, seen by the kubelet. "error reading server preface": the socket is open, and the process behind
 * it is frozen.
 */
export const nodeSocketTexts = anyOf({
  socket: /dial unix \S*/,
  transport: /connection error: desc|transport: (?:error|connection)|error reading from server: EOF/,
  unavailable: /code = Unavailable\b[^]*(?:connect|transport|EOF|socket)/,
});

/** The address that could not be reached, as Go, curl and most clients print it. */
export function addressIn(text: string): string | undefined {
  return (
    /\bdial (?:tcp|udp)[46]? ([\w.-]+:\d+|\[[0-9a-f:]+\]:\d+)/i.exec(text)?.[1] ??
    /\bE(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|TIMEDOUT) ([\w.-]+:\d+)/.exec(text)?.[1] ??
    /\bhttps?:\/\/([\w.-]+(?::\d+)?)/i.exec(text)?.[1] ??
    /\b(?:connect to|reach) (?:the )?(?:(?:host|server|address|portal|target) )?["']?([\w-]+(?:\.[\w-]+)+(?::\d+)?)/i.exec(
      text,
    )?.[1]
  );
}

/** The name that has no address. */
export function hostIn(text: string): string | undefined {
  return (
    /\blookup ([\w.-]+)/i.exec(text)?.[1] ??
    /\bresolve (?:(?:the )?(?:host|name|server|address|hostname)):? ["']?([\w.-]+)/i.exec(text)?.[1] ??
    /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/.exec(text)?.[1]
  );
}

/** The host answers that nothing listens there: the way to it is open. */
export const refusedText = /connection refused|actively refused|\bECONNREFUSED\b/i;

/** The provisioner calls the driver over a socket of the node: a connection over the network is the driver's own. */
export const overNetworkText = /\bdial (?:tcp|udp)/;

/** The name of a server that a node could not resolve. */
export const unresolvedNameText =
  /failed to resolve (?:server )?"?([\w.-]*[\w-])|(?:lookup|ENOTFOUND|EAI_AGAIN|resolve (?:host|address|hostname):?) "?([\w.-]*[\w-])/i;

/**
 * Installers give the DNS of the cluster the tenth address of the range for Services: it was asked, and knows no such
 * name.
 */
export const clusterDnsText = /lookup \S+ on \d+\.\d+\.\d+\.10:53: no such host/;

/** The socket of the driver does not exist. */
export const socketMissingTexts = /connect: no such file|no such file or directory/i;

/** No process listens on the socket of the driver. */
export const socketRefusedText = /connection refused/i;

/** The socket of the driver is open, and the process behind it does not answer. */
export const socketSilentText = /server preface/i;

/** The driver, by the path of its socket. */
export const driverOfSocketText = /\/plugins\/(?:kubernetes\.io\/csi\/)?([^/\s"']+)\/\S*sock/;

/** The host of an address that may be a Service of the cluster: `csp.hpe-storage`, `api.storage.svc`, `backend`. */
export interface ServiceHost {
  readonly service: string;
  readonly namespace: string | undefined;
  /** Written with `.svc`, so that it can be nothing else. */
  readonly isPlain: boolean;
}

export function serviceHostIn(text: string): ServiceHost | undefined {
  const [, service, namespace, suffix] =
    /\bhttps?:\/\/([a-z][a-z0-9-]*)(?:\.([a-z][a-z0-9-]*))?(\.svc(?:\.[a-z0-9.-]+)?)?(?::\d+)?(?=[/"' ]|$)/.exec(
      text,
    ) ?? [];
  if (service === undefined || service === 'localhost') return undefined;
  return { service, namespace, isPlain: suffix !== undefined };
}
