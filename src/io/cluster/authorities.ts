import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';

/**
 * Authorities for a server whose kubeconfig names none: those of this machine, as in kubectl, and those that Node
 * brings or is given.
 */
export function publicAuthorities(): string[] {
  const known = (['system', 'extra', 'bundled'] as const).flatMap((store) => getCACertificates(store));
  return [...known, ...extraAuthorities()];
}

/**
 * The launcher hides this variable from Node (bin/kubectl-csi). As in Node, a file that cannot be read adds no
 * authority.
 */
function extraAuthorities(): readonly string[] {
  const { NODE_EXTRA_CA_CERTS: path } = process.env;
  if (path === undefined || path === '') return [];
  try {
    return readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    return [];
  }
}
