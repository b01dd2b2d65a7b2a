import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';

/** Whom a server without an authority of its own is checked against: those of this machine, as kubectl does, and those that Node brings or is given. */
export function publicAuthorities(): string[] {
  const known = (['system', 'extra', 'bundled'] as const).flatMap((store) => getCACertificates(store));
  return [...known, ...addedAuthorities()];
}

/** The launcher keeps this variable from Node (bin/kubectl-csi). As with Node, a file that cannot be read adds nobody. */
function addedAuthorities(): readonly string[] {
  const { NODE_EXTRA_CA_CERTS: path } = process.env;
  if (path === undefined || path === '') return [];
  try {
    return readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    return [];
  }
}
