import http from 'node:http';
import https from 'node:https';
import type { Agent } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { SecureContext } from 'node:tls';
import { checkServerIdentity } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { withoutLogin } from './address.ts';
import { PlainTunnelAgent, proxyHeaders, proxyPlace, SecureTunnelAgent } from './tunnel.ts';
import type { ProxyLine } from './tunnel.ts';

/**
 * What a proxy is reached with. As in Go's http.Transport, one with TLS is verified by the authorities of the cluster,
 * and by its tls-server-name where there is one.
 */
function lineTo(
  proxy: string,
  { rejectUnauthorized, servername }: Pick<AgentOptions, 'rejectUnauthorized' | 'servername'>,
  secureContext: SecureContext | undefined,
): ProxyLine {
  const url = URL.parse(proxy);
  if (!url)
    throw new EnvironmentError(
      `the proxy address ${JSON.stringify(withoutLogin(proxy))} is not valid`,
      'Fix proxy-url in the kubeconfig, or HTTPS_PROXY',
    );
  const name = servername ?? url.hostname.replace(/^\[|\]$/g, '');
  const tls: ProxyLine['tls'] = {
    rejectUnauthorized: rejectUnauthorized !== false,
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    ...(servername !== undefined && { servername }),
    ...(secureContext && { secureContext }),
  };
  return { url, tls };
}

const isHttp = ({ url }: ProxyLine): boolean => url.protocol === 'http:' || url.protocol === 'https:';

/** An agent that connects through the proxy. The library for SOCKS is loaded only if it is needed. */
export async function proxyAgent(
  proxy: string,
  isSecure: boolean,
  options: AgentOptions,
  secureContext?: SecureContext,
): Promise<Agent> {
  const line = lineTo(proxy, options, secureContext);
  if (isHttp(line)) return isSecure ? new SecureTunnelAgent(line, options) : new PlainTunnelAgent(line);
  if (line.url.protocol === 'socks5:' || line.url.protocol === 'socks5h:') {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    // As in Go, the proxy resolves the name.
    return new SocksProxyAgent(proxy.replace(/^socks5h?:/i, 'socks5h:'), options) as unknown as Agent;
  }
  throw new EnvironmentError(
    `the proxy address ${line.url.protocol}//${line.url.host} has a scheme that is not supported`,
    'Use http, https or socks5',
  );
}

/**
 * How to send a request for a server without TLS to an HTTP proxy: the proxy gets the whole address, and no tunnel is
 * opened.
 */
export interface Forwarding {
  readonly agent: Agent;
  readonly isTls: boolean;
  readonly place: { readonly host: string; readonly port: number };
  readonly headers: Readonly<Record<string, string>>;
}

export function forwardingTo(
  proxy: string,
  options: AgentOptions,
  secureContext: SecureContext | undefined,
): Forwarding | undefined {
  const isTls = /^https:/i.test(proxy);
  const line = lineTo(proxy, options, secureContext);
  if (!isHttp(line)) return undefined;
  return {
    agent: isTls ? new https.Agent({ keepAlive: true, ...line.tls }) : new http.Agent({ keepAlive: true }),
    isTls,
    place: proxyPlace(line),
    headers: proxyHeaders(line),
  };
}
