import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from './api.ts';
import { Authority } from './certificates.ts';
import { freePorts } from './ports.ts';
import type { Processes, Running } from './processes.ts';
import { apiServerArguments, etcdArguments } from './server-arguments.ts';
import { until } from './until.ts';

export interface ControlPlane {
  readonly api: Api;
  readonly authority: Authority;
  readonly server: string;
  /** The kubeconfig of each user: admin, csi (the sidecars), viewer (the built-in role view), nobody. */
  readonly kubeconfigs: Readonly<Record<'admin' | 'csi' | 'viewer' | 'nobody', string>>;
  readonly startScheduler: () => Running;
  readonly startControllerManager: () => Running;
  readonly controllers: { scheduler: Running; controllerManager: Running };
}

/** Short leases: who takes over, or that nobody does, shows in seconds. */
const election = [
  '--leader-elect-lease-duration=6s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];

export async function startControlPlane(
  directory: string,
  binary: (name: string) => string,
  processes: Processes,
): Promise<ControlPlane> {
  const [etcdPort, etcdPeerPort, apiPort, managerPort, schedulerPort] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const server = `https://127.0.0.1:${apiPort}`;
  const etcdData = join(directory, 'etcd');
  mkdirSync(etcdData, { recursive: true, mode: 0o700 });
  processes.start('etcd', binary('etcd'), etcdArguments(etcdData, etcdPort, etcdPeerPort));

  const authority = await Authority.create(join(directory, 'pki'));
  const [serving, accounts, admin, csi, viewer, nobody, manager, scheduling] = await Promise.all([
    authority.issue(
      'apiserver',
      'kube-apiserver',
      ['system:masters'],
      ['127.0.0.1', '10.231.78.1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ),
    authority.signingKey(),
    authority.issue('admin', 'admin', ['system:masters']),
    authority.issue('csi', 'csi-sidecars'),
    authority.issue('viewer', 'viewer'),
    authority.issue('nobody', 'nobody'),
    authority.issue('controller-manager', 'system:kube-controller-manager'),
    authority.issue('scheduler', 'system:kube-scheduler'),
  ]);
  const configured = (file: string, certificate: Parameters<Authority['writeKubeconfig']>[2]): string =>
    authority.writeKubeconfig(file, server, certificate);
  const managerConfig = configured('controller-manager', manager);
  const schedulerConfig = configured('scheduler', scheduling);
  const kubeconfigs = {
    admin: configured('admin', admin),
    csi: configured('csi', csi),
    viewer: configured('viewer', viewer),
    nobody: configured('nobody', nobody),
  };

  processes.start('kube-apiserver', binary('kube-apiserver'), [
    ...apiServerArguments({ etcdPort, port: apiPort, authority, serving, accounts }),
    '--authorization-mode=Node,RBAC',
    `--kubelet-certificate-authority=${authority.certificate}`,
    `--kubelet-client-certificate=${serving.certificate}`,
    `--kubelet-client-key=${serving.key}`,
    '--kubelet-preferred-address-types=InternalIP',
    // The resizer asks for attributes classes in their beta version; claims across namespaces are an alpha.
    '--runtime-config=storage.k8s.io/v1beta1=true',
    '--feature-gates=CrossNamespaceVolumeDataSource=true',
    '--enable-admission-plugins=NodeRestriction',
    '--event-ttl=2h',
  ]);
  const api = Api.connect(apiPort, authority, admin);
  await until('the API server', 90, async () => (await api.call('GET', '/readyz')) === 'ok');

  const startControllerManager = (): Running =>
    processes.start('kube-controller-manager', binary('kube-controller-manager'), [
      `--kubeconfig=${managerConfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${managerPort}`,
      `--service-account-private-key-file=${accounts.privateKey}`,
      `--root-ca-file=${authority.certificate}`,
      '--use-service-account-credentials=true',
      '--node-monitor-grace-period=24s',
      ...election,
    ]);
  const startScheduler = (): Running =>
    processes.start('kube-scheduler', binary('kube-scheduler'), [
      `--kubeconfig=${schedulerConfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
      ...election,
    ]);
  const controllers = { scheduler: startScheduler(), controllerManager: startControllerManager() };
  await until('the roles that the API server makes', 60, () =>
    api.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'view' } }),
  );
  for (const [name, role, user] of [
    ['e2e-csi', 'cluster-admin', 'csi-sidecars'],
    ['e2e-viewer', 'view', 'viewer'],
  ] as const) {
    await api.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
  return { api, authority, server, kubeconfigs, startScheduler, startControllerManager, controllers };
}
