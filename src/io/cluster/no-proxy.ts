import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Whether NO_PROXY exempts a server, by the rules of Go (golang.org/x/net/http/httpproxy, config.init and useProxy):
 * addresses, ranges, names with their subdomains, `.name` and `*.name` for subdomains only, each of them with or
 * without a port, and `*` for everything.
 */
export function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === '*' || matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (/^[^/]+\/\d+$/.test(entry)) return isIP(host) !== 0 && inRange(host, entry);
  const { name, wantedPort } = splitPort(entry);
  if (name === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && inRange(host, `${name}/${isIPv6(name) ? 128 : 32}`);
  if (isIP(host) !== 0) return false;
  const suffix = name.startsWith('*.') ? name.slice(1) : name;
  if (suffix.startsWith('.')) return host.endsWith(suffix);
  return host === suffix || host.endsWith(`.${suffix}`);
}

/** `name:port`, `[address]:port`, or no port: an IPv6 address has colons of its own. */
function splitPort(entry: string): { readonly name: string; readonly wantedPort: string } {
  const [, bracketed, plain, wantedPort = ''] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain;
  return name === undefined ? { name: entry, wantedPort: '' } : { name, wantedPort };
}

function inRange(host: string, range: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  const family = isIPv6(base) ? 'ipv6' : 'ipv4';
  if (isIP(base) === 0 || Number(bits) > (family === 'ipv6' ? 128 : 32)) return false;
  if (isIPv6(host) !== (family === 'ipv6')) return false;
  const block = new BlockList();
  block.addSubnet(base, Number(bits), family);
  return block.check(host, family);
}
