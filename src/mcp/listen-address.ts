import { isIP } from 'node:net';
import { UserError } from '../core/kube/errors.ts';

/** Where to listen for HTTP. */
export interface ListenAddress {
  readonly host: string;
  /** The same as it is written in an address and in the Host header. */
  readonly hostName: string;
  readonly port: number;
  /** Only this machine can connect. */
  readonly isLoopback: boolean;
}

export const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const;

const example = 'Write for example --http 127.0.0.1:8931';

/** `ADDRESS:PORT`, `[ADDRESS]:PORT` or `:PORT`, which is the loopback address. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const host = bracketed ?? (plain === '' ? '127.0.0.1' : plain);
  if (digits === '' || port > 65_535) throw new UserError(`--http needs ADDRESS:PORT, not "${text}"`, example);
  if (host !== 'localhost' && isIP(host) === 0)
    throw new UserError(`--http needs the IP address to listen on, not "${host}"`, example);
  return {
    host,
    hostName: isIP(host) === 6 ? `[${host}]` : host,
    port,
    isLoopback: host === 'localhost' || host === '::1' || /^127\./.test(host),
  };
}
