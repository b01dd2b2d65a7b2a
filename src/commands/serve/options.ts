import { UserError } from '../../core/kube/errors.ts';
import { parseDuration } from '../../cli/duration.ts';
import { isLoopback } from './addresses.ts';

export interface ServeFlags {
  readonly address?: string[] | undefined;
  readonly port: string;
  readonly 'base-path'?: string | undefined;
  readonly host?: string[] | undefined;
  readonly auth?: string | undefined;
  readonly 'tls-cert'?: string | undefined;
  readonly 'tls-key'?: string | undefined;
  readonly notify?: string | undefined;
  readonly 'notify-file'?: string | undefined;
  readonly 'notify-header-file'?: string | undefined;
  readonly 'notify-after': string;
  readonly state?: string | undefined;
  readonly lease?: string | undefined;
  readonly from?: string[] | undefined;
}

/** The flags, checked: nothing of it has been used yet. */
export interface ServeOptions {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Empty, or with a slash at its beginning and none at its end. */
  readonly basePath: string;
  readonly hosts: readonly string[];
  readonly auth: 'kubernetes' | 'none' | undefined;
  readonly notifyAfterMs: number;
  readonly lease?: { readonly namespace?: string; readonly name: string };
}

const leastStreams = 1;
const mostStreams = 10_000;

export function readOptions(flags: ServeFlags): ServeOptions {
  const addresses = [...new Set(flags.address ?? ['127.0.0.1'])];
  for (const address of addresses) refuseAddress(address);
  refuseOpenDoors(addresses, flags.auth);
  refuseContradictions(flags);
  const lease = leaseOf(flags.lease);
  return {
    addresses,
    port: portOf(flags.port),
    basePath: basePathOf(flags['base-path']),
    hosts: (flags.host ?? []).map(hostOf),
    auth: flags.auth as ServeOptions['auth'],
    notifyAfterMs: parseDuration('--notify-after', flags['notify-after'], 0),
    ...(lease !== undefined && { lease }),
  };
}

export function streamsOf(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < leastStreams || count > mostStreams)
    throw new UserError(`--max-pages must be a number from ${leastStreams} to ${mostStreams}, not "${text}"`);
  return count;
}

function refuseAddress(address: string): void {
  const plain = address.replace(/^\[|\]$/g, '');
  const isAddress =
    plain === 'localhost' || /^\d{1,3}(\.\d{1,3}){3}$/.test(plain) || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(plain);
  if (!isAddress)
    throw new UserError(`--address must be an IP address, not "${address}"`, 'Write for example --address 127.0.0.1');
}

/** The page shows names and messages of the whole cluster, so it is never served without a decision. */
function refuseOpenDoors(addresses: readonly string[], auth: string | undefined): void {
  const open = addresses.find((address) => !isLoopback(address));
  if (open !== undefined && auth === undefined)
    throw new UserError(
      `listening on ${open} needs --auth: others than this machine can reach it`,
      'Add --auth kubernetes to let callers in by their rights in the cluster, or --auth none to let everybody in',
    );
  if (open === undefined && auth === 'kubernetes')
    throw new UserError(
      '--auth kubernetes has no effect on addresses of this machine alone',
      'Add an --address that others can reach, or remove --auth',
    );
}

function refuseContradictions(flags: ServeFlags): void {
  const isDump = (flags.from ?? []).length > 0;
  const isNotifying = flags.notify !== undefined || flags['notify-file'] !== undefined;
  if (isDump && isNotifying)
    throw new UserError('--notify cannot be combined with --from', 'A dump does not change: there is no news');
  if (isDump && flags.lease !== undefined)
    throw new UserError('--lease cannot be combined with --from', 'A lease is in a cluster');
  if (isDump && flags.auth === 'kubernetes')
    throw new UserError(
      '--auth kubernetes cannot be combined with --from',
      'A dump knows no users: use --auth none, or only addresses of this machine',
    );
  if (flags.notify !== undefined && flags['notify-file'] !== undefined)
    throw new UserError('--notify cannot be combined with --notify-file', 'Remove one of them');
  for (const flag of ['notify-header-file', 'state', 'lease'] as const)
    if (flags[flag] !== undefined && !isNotifying) throw new UserError(`--${flag} needs --notify or --notify-file`);
  if (flags.state !== undefined && flags.lease !== undefined)
    throw new UserError(
      '--state cannot be combined with --lease',
      'The lease keeps what was announced: remove --state',
    );
  if ((flags['tls-cert'] === undefined) !== (flags['tls-key'] === undefined))
    throw new UserError('--tls-cert and --tls-key belong together', 'Add the other one');
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new UserError(`--port must be a number from 0 to 65535, not "${text}"`);
  return port;
}

function basePathOf(text = ''): string {
  const path = text.replace(/\/+$/, '');
  if (path === '') return '';
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path) || path.split('/').some((part) => part === '.' || part === '..'))
    throw new UserError(`--base-path must be a path such as /storage, not "${text}"`);
  return path;
}

function hostOf(text: string): string {
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) && !/^\[[0-9a-f:.]+\]$/i.test(text))
    throw new UserError(
      `--host must be a name without a port, not "${text}"`,
      'Write for example --host storage.example.com',
    );
  return text.toLowerCase();
}

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function leaseOf(text: string | undefined): ServeOptions['lease'] {
  if (text === undefined) return undefined;
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const namespace = parts.length === 2 ? parts[0] : undefined;
  const isName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name);
  if (parts.length > 2 || !isName || (namespace !== undefined && !label.test(namespace)))
    throw new UserError(`--lease must be NAME or NAMESPACE/NAME, not "${text}"`);
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** The address of the receiver. What is wrong with it is said without repeating it: it can be a secret. */
export function receiverOf(text: string, hasHeaders: boolean, where: string): string {
  const address = text.trim();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new UserError(
      `${where} must be an http or https address`,
      'Write for example --notify https://hooks.example.com/…',
    );
  if (url.username !== '' || url.password !== '')
    throw new UserError(`${where} holds a password`, 'Put it into a header, with --notify-header-file');
  if (url.protocol === 'http:' && hasHeaders && !isLoopback(url.hostname))
    throw new UserError('--notify-header-file would send its headers without encryption', `Use https:// in ${where}`);
  return address;
}

/** `Name: value`, a line each. */
export function headersOf(text: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([A-Za-z0-9!#$%&'*+.^_|~-]+):[ \t]*([\t -~]*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UserError(`line ${index + 1} of ${file} is not "Name: value"`);
    headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length === 0)
    throw new UserError(`${file} holds no header`, 'Write for example Authorization: Bearer TOKEN');
  return headers;
}
