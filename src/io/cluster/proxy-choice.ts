import { isIPv4 } from 'node:net';
import { isExempt } from './no-proxy.ts';

/**
 * The proxy for a server: the cluster's proxy-url, or the one of the environment by the rules of Go
 * (httpproxy.FromEnvironment).
 */
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
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}
