/** Whether only programs on this machine reach an address. */
export function isLoopback(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(plain);
}

/** `127.0.0.1:80`, `[::1]:80`. */
export function authority(address: string, port: number): string {
  const plain = address.replace(/^\[|\]$/g, '');
  return `${plain.includes(':') ? `[${plain}]` : plain}:${port}`;
}

/**
 * Whether a Host header names this server. A name of another site means that a page of that site had its name resolve
 * to this machine, so as to read what is served here (DNS rebinding). The port is not compared: port-forward chooses
 * its own.
 */
export function isOwnHost(header: string | undefined, allowed: readonly string[]): boolean {
  if (header === undefined) return false;
  const name = /^(\[[0-9a-f:.]+\]|[^:@/\s]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return isLoopback(name) || allowed.includes(name);
}
