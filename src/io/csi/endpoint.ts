import { isAbsolute, resolve } from 'node:path';
import { UserError } from '../../core/kube/errors.ts';

export interface UnixEndpoint {
  readonly type: 'unix';
  readonly path: string;
  /** How an ambiguous spelling was read. */
  readonly note?: string;
}

interface TcpEndpoint {
  readonly type: 'tcp';
  readonly host: string;
  readonly port: number;
}

export type Endpoint = UnixEndpoint | TcpEndpoint;

/** A pattern for the sockets that match it. */
export interface EndpointPattern {
  readonly type: 'pattern';
  readonly pattern: string;
}

export function showEndpoint(endpoint: Endpoint): string {
  if (endpoint.type === 'unix') return `unix://${endpoint.path}`;
  return `tcp://${endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`;
}

const forms = 'Write unix:///path/csi.sock, a path, a pattern of paths or tcp://host:port';

/**
 * Reads an endpoint as people and manifests write it. The gRPC library would take a bare path for a host name and the
 * first directory of `unix://tmp/csi.sock` for an authority.
 */
export function parseEndpoint(word: string, workingDirectory: string): Endpoint | EndpointPattern {
  if (/[\u0000-\u001f\u007f]/.test(word)) throw new UserError('an endpoint cannot contain control characters', forms);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(word)?.[1]?.toLowerCase();
  if (scheme === 'unix') return parseUnix(word, workingDirectory);
  if (scheme === 'tcp') return parseTcp(word);
  if (word.startsWith('@') || scheme === 'unix-abstract')
    throw new UserError(`"${word}" is an abstract socket, which no CSI driver uses`, forms);
  if (word.includes('://')) throw new UserError(`"${word}" is not an endpoint of a CSI driver`, forms);
  if (word.includes('/') || word.endsWith('.sock')) return pathOrPattern(word, workingDirectory);
  if (/^(\[[^\]]+\]|[^:]+):\d+$/.test(word)) throw new UserError(`"${word}" has no scheme`, `Write tcp://${word}`);
  if (word === '') throw new UserError('an endpoint is empty', forms);
  throw new UserError(
    `"${word}" is neither an endpoint nor the name of a driver`,
    `${forms}, or ./${word} if it is a file`,
  );
}

function parseUnix(word: string, workingDirectory: string): Endpoint | EndpointPattern {
  const rest = word.slice('unix:'.length);
  if (!rest.startsWith('//')) return pathOrPattern(rest, workingDirectory);
  const path = rest.slice(2);
  if (path === '' || isAbsolute(path)) return pathOrPattern(path, workingDirectory);
  // Sidecars take this for a path in their working directory, most drivers for an absolute one; they agree where the
  // working directory is the root, which it is in a container.
  const read = pathOrPattern(`/${path}`, workingDirectory);
  return read.type === 'unix'
    ? {
        ...read,
        note: `"${word}" has two slashes and was read as ${read.path}; write unix://${read.path} to be clear`,
      }
    : read;
}

function pathOrPattern(path: string, workingDirectory: string): Endpoint | EndpointPattern {
  if (path === '') throw new UserError('an endpoint has no path', forms);
  const whole = isAbsolute(path) ? path : resolve(workingDirectory, path);
  return /[*?[{]/.test(path) ? { type: 'pattern', pattern: whole } : { type: 'unix', path: whole };
}

function parseTcp(word: string): TcpEndpoint {
  const match = /^tcp:(?:\/\/)?(?:\[([0-9A-Fa-f:.%]+)\]|([^:/[\]]+)):(\d{1,5})\/?$/i.exec(word);
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65_535)
    throw new UserError(
      `"${word}" is not of the form tcp://host:port`,
      'Write for example tcp://127.0.0.1:10000 or tcp://[::1]:10000',
    );
  return { type: 'tcp', host: match[1] ?? match[2] ?? '', port };
}

/** The default is /var/lib/cosi/cosi.sock, and the sidecars take a name that ends in .sock only. */
export function looksLikeCosi(endpoint: Endpoint): boolean {
  return endpoint.type === 'unix' && /\/cosi(?:[-.][^/]*)?\.sock$|\/cosi\/[^/]+\.sock$/.test(endpoint.path);
}

/** Kubelet takes every socket in this directory for a registration, and registrars name theirs like this. */
export function looksLikeRegistration(endpoint: Endpoint): boolean {
  return (
    endpoint.type === 'unix' &&
    (/-reg\.sock$/.test(endpoint.path) || endpoint.path.split('/').includes('plugins_registry'))
  );
}
