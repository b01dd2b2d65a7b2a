import type { ConnectionFlags } from '../io/cluster/flags.ts';
import { UserError } from '../core/kube/errors.ts';
import type { ConnectionValues } from './open-source.ts';

/** The connection flags as the reader of a cluster takes them. */
export function connectionOf(flags: ConnectionValues & { readonly namespace?: string | undefined }): ConnectionFlags {
  const chunk = flags['chunk-size'];
  if (chunk !== undefined && !/^\d+$/.test(chunk)) throw new UserError(`--chunk-size is a number, not "${chunk}"`);
  const given = {
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    cluster: flags.cluster,
    user: flags.user,
    server: flags.server,
    token: flags.token,
    as: flags.as,
    asGroup: flags['as-group'],
    asUid: flags['as-uid'],
    requestTimeout: flags['request-timeout'],
    certificateAuthority: flags['certificate-authority'],
    clientCertificate: flags['client-certificate'],
    clientKey: flags['client-key'],
    tlsServerName: flags['tls-server-name'],
    insecureSkipTlsVerify: flags['insecure-skip-tls-verify'],
    chunkSize: chunk === undefined ? undefined : Number(chunk),
    // As in kubectl, an empty name is none.
    namespace: flags.namespace || undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ConnectionFlags;
}
