import { devNull } from 'node:os';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { publicAuthorities } from './authorities.ts';
import { certificatesIn, isCertificate, readPem } from './pem.ts';
import type { Credential } from './credentials.ts';
import type { ClusterEntry } from './kubeconfig-content.ts';
import type { Target } from './target.ts';

type Trust = Pick<ClusterEntry, 'certificate-authority' | 'certificate-authority-data' | 'insecure-skip-tls-verify'>;

/** The authorities and the client certificate of a cluster, shared by all connections to it. */
export async function secureContextFor(cluster: Target['cluster'], credential: Credential): Promise<SecureContext> {
  return trustFor(cluster, credential);
}

export function trustFor(
  trust: { readonly [field in keyof Trust]: Trust[field] | undefined },
  credential: Pick<Credential, 'certificate' | 'key'> = {},
): SecureContext {
  const own = readPem(trust['certificate-authority'], trust['certificate-authority-data'], 'certificate authority');
  const authorities = own === undefined || own.length === 0 ? undefined : certificatesIn(own).filter(isCertificate);
  if (authorities?.length === 0)
    throw new EnvironmentError(
      'the certificate authority of the cluster is not a PEM certificate',
      'Fix certificate-authority-data in the kubeconfig, or pass --certificate-authority',
    );
  const others = trust['insecure-skip-tls-verify'] === true ? [] : undefined;
  return withoutDefaultAuthorities(() => makeContext(authorities ?? others ?? publicAuthorities(), credential));
}

/**
 * Before Node adds the authorities that it is given, it reads those of SSL_CERT_FILE or of this machine
 * (SecureContext::AddCACert makes the default store). They are not used, so for that moment there are none: 7 ms less
 * where that file is a whole bundle.
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

function makeContext(ca: string[], { certificate, key }: Pick<Credential, 'certificate' | 'key'>): SecureContext {
  if (certificate === undefined && key === undefined) return createSecureContext({ ca });
  if (certificate === undefined || key === undefined)
    throw new EnvironmentError(
      `the user has a client ${certificate === undefined ? 'key but no client certificate' : 'certificate but no client key'}`,
      'Fix the user in the kubeconfig, or pass both --client-certificate and --client-key',
    );
  try {
    return createSecureContext({ ca, cert: certificate, key });
  } catch (error) {
    // OpenSSL's own message for a bad certificate explains nothing.
    throw new EnvironmentError(
      'the client certificate and key of the user do not belong together',
      'Check that both are PEM and belong together',
      { cause: error },
    );
  }
}
