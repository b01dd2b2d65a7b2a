import { devNull } from 'node:os';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { publicAuthorities } from './authorities.ts';
import { readPem } from './credentials.ts';
import type { Credential } from './credentials.ts';
import type { Target } from './target.ts';

/** The authorities and the client certificate of a cluster, shared by all connections to it. */
export async function secureContextFor(cluster: Target['cluster'], credential: Credential): Promise<SecureContext> {
  const own = await readPem(
    cluster['certificate-authority'],
    cluster['certificate-authority-data'],
    'certificate authority',
  );
  if (own !== undefined && !own.includes('-----BEGIN'))
    throw new EnvironmentError(
      'the certificate authority of the cluster is not a PEM certificate',
      'repair certificate-authority-data in the kubeconfig, or pass --certificate-authority',
    );
  return withoutDefaultAuthorities(() => makeContext(own ?? otherAuthorities(cluster), credential));
}

function otherAuthorities(cluster: Target['cluster']): string[] {
  return cluster['insecure-skip-tls-verify'] === true ? [] : publicAuthorities();
}

/**
 * Before Node adds the authorities that it is given, it reads those of SSL_CERT_FILE or of this machine (SecureContext::AddCACert makes
 * the default store). They are not used, so for that moment there are none: 7 ms less where that file is a whole bundle.
 */
function withoutDefaultAuthorities<T>(make: () => T): T {
  const { SSL_CERT_FILE: before } = process.env;
  process.env['SSL_CERT_FILE'] = devNull;
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env['SSL_CERT_FILE'];
    else process.env['SSL_CERT_FILE'] = before;
  }
}

function makeContext(ca: string[] | Buffer, { certificate, key }: Credential): SecureContext {
  if (certificate === undefined && key === undefined) return createSecureContext({ ca });
  if (certificate === undefined || key === undefined)
    throw new EnvironmentError(
      `the user has a client ${certificate === undefined ? 'key but no client certificate' : 'certificate but no client key'}`,
      'repair the user of the kubeconfig, or pass both --client-certificate and --client-key',
    );
  try {
    return createSecureContext({ ca, cert: certificate, key });
  } catch (error) {
    // OpenSSL's own message for a bad certificate explains nothing.
    throw new EnvironmentError(
      'the client certificate and key of the user cannot be used together',
      'check that both are PEM and belong to each other',
      { cause: error },
    );
  }
}
