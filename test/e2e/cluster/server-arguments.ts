import type { Authority } from './certificates.ts';

/** An etcd of one member on loopback, which need not survive a power cut. */
export function etcdArguments(data: string, clientPort: number, peerPort: number): string[] {
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=http://127.0.0.1:${clientPort}`,
    `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    '--unsafe-no-fsync',
  ];
}

interface ApiServerPlace {
  readonly etcdPort: number;
  readonly port: number;
  readonly authority: Authority;
  readonly serving: Awaited<ReturnType<Authority['issue']>>;
  readonly accounts: Awaited<ReturnType<Authority['signingKey']>>;
}

/** What every kube-apiserver on loopback needs; the mode of authorization is up to the caller. */
export function apiServerArguments({ etcdPort, port, authority, serving, accounts }: ApiServerPlace): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // A loopback address cannot be an endpoint of the kubernetes service, which nothing here uses.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.231.78.0/24',
    `--client-ca-file=${authority.certificate}`,
    `--tls-cert-file=${serving.certificate}`,
    `--tls-private-key-file=${serving.key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${accounts.publicKey}`,
    `--service-account-signing-key-file=${accounts.privateKey}`,
    '--allow-privileged=true',
    '--profiling=false',
  ];
}
