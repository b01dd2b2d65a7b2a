import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../../core/kube/errors.ts';

/** A certificate or key, from its data or else from its file; undefined if there is neither. */
export function readPem(path: string | undefined, data: string | undefined, what: string): Buffer | undefined {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64');
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new EnvironmentError(
      `the ${what} ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      'Fix the kubeconfig, or pass the right path',
      { cause: error },
    );
  }
}

/**
 * The blocks that are marked as certificates. As in Go (x509.CertPool.AppendCertsFromPEM), those that are none are
 * skipped.
 */
export function certificatesIn(pem: Buffer): string[] {
  return pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
}

export function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
