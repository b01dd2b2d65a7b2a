import { getCACertificates } from 'node:tls';

/** Whom a server without an authority of its own is checked against: those of this machine, as kubectl does, and those that Node brings. */
export function publicAuthorities(): string[] {
  return (['system', 'extra', 'bundled'] as const).flatMap((store) => getCACertificates(store));
}
