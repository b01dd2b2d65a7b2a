import { anyOf } from './wordings.ts';

const unreachable = {
  connection: /connection (?:timed out|refused|reset)/,
  route: /no route to host|network is unreachable/,
  timeout: /i\/o timeout/,
  noSuchHost: /no such host/,
  nodeJs: /\b(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/,
};

/** Go's crypto/x509, of the certificate of the server. */
export const certificateTexts =
  /x509: (?:certificate|cannot validate)|certificate (?:has expired|verify failed|signed by unknown authority)/i;

/** librados: ETIMEDOUT. */
export const cephTimeoutText = /rados: ret=-110\b/;

/** The driver's controller does not reach the storage. */
export const networkTexts = anyOf(unreachable, {
  client: /connection error|dial (?:tcp|udp)|TLS handshake|x509:/,
  names: /server misbehaving|name resolution/,
});

/** A node does not reach the storage; numbers are errno values. */
export const nodeNetworkTexts = anyOf(unreachable, {
  host: /host is (?:down|unreachable)/,
  lustre: /Is the MGS running/,
  numbers: /error\((?:110|111|112|113|115)\)/,
  iscsi: /login (?:to .{0,80})?(?:failed|timed out)|no portal|target .{0,60} not (?:found|reachable)/,
});

/** The name of a server has no address where it is looked up; a firewall has nothing to do with it. */
export const unresolvedTexts = anyOf({
  mount: /failed to resolve (?:server )?"?[\w.-]+|name or service not known|temporary failure in name resolution/,
  resolver: /could not resolve (?:host|address|hostname)|no such host|\bENOTFOUND\b|\bEAI_AGAIN\b/,
});

/** No process listens on the socket beside the provisioner: the driver's container does not run or hangs. */
export const controllerSocketTexts = /dial unix \S*sock|connect(?:ion)? .{0,40}csi\.sock/i;

/** The same on a node, seen by the kubelet. "error reading server preface": the socket is open, and the process behind it is frozen. */
export const nodeSocketTexts = anyOf({
  socket: /dial unix \S*/,
  transport: /connection error: desc|transport: (?:error|connection)|error reading from server: EOF/,
  unavailable: /code = Unavailable\b[^]*(?:connect|transport|EOF|socket)/,
});
