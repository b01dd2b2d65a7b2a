import type { Agent } from 'node:http';
import type { AgentOptions } from 'node:https';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { publicAuthorities } from './authorities.ts';

/** The proxy for a server: the cluster's proxy-url, or the one of the environment by the rules of Go (httpproxy.FromEnvironment). */
export function proxyFor(
  server: URL,
  proxyUrl: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (proxyUrl !== undefined && proxyUrl !== '') return proxyUrl;
  const named = (name: string): string | undefined => variables[name] || variables[name.toLowerCase()] || undefined;
  const proxy = server.protocol === 'https:' ? named('HTTPS_PROXY') : named('HTTP_PROXY');
  if (proxy === undefined || isLoopback(server.hostname) || isExempt(server, named('NO_PROXY') ?? '')) return undefined;
  return /^[a-z0-9+.-]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.toLowerCase();
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      if (entry.includes('/')) return inRange(host, entry);
      const [name = '', port] = entry.split(':');
      if (port !== undefined && port !== server.port) return false;
      const bare = name.replace(/^\*?\./, '');
      return host === bare ? !name.startsWith('.') || name === bare : host.endsWith(`.${bare}`);
    });
}

/** Whether an IPv4 address is in a range such as 10.0.0.0/8. */
function inRange(host: string, range: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  const left = addressNumber(host);
  const right = addressNumber(base);
  const width = Number(bits);
  if (left === undefined || right === undefined || !Number.isInteger(width) || width < 0 || width > 32) return false;
  const size = 2 ** (32 - width);
  return Math.floor(left / size) === Math.floor(right / size);
}

function addressNumber(text: string): number | undefined {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** An agent that connects through the proxy. Its libraries are loaded only if there is one. */
export async function proxyAgent(proxy: string, isSecure: boolean, options: AgentOptions): Promise<Agent> {
  let url: URL;
  try {
    url = new URL(proxy);
  } catch (error) {
    throw new EnvironmentError(
      `the proxy address ${JSON.stringify(proxy)} is not an address`,
      'repair proxy-url in the kubeconfig, or HTTPS_PROXY',
      { cause: error },
    );
  }
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    const { HttpProxyAgent, HttpsProxyAgent } = await import('hpagent');
    const all = {
      ...options,
      proxy: url,
      ...(url.protocol === 'https:' && { proxyRequestOptions: { ca: publicAuthorities() } }),
    };
    return isSecure ? new HttpsProxyAgent(all) : new HttpProxyAgent(all);
  }
  if (url.protocol === 'socks5:' || url.protocol === 'socks5h:') {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    // As in Go, the proxy resolves the name.
    url = new URL(proxy.replace(/^socks5h?:/i, 'socks5h:'));
    return new SocksProxyAgent(url, options) as unknown as Agent;
  }
  throw new EnvironmentError(
    `the proxy address ${url.protocol}//${url.host} has a scheme that is not supported`,
    'use http, https or socks5',
  );
}
