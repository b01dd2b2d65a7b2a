/** One Go command, pinned by the go.mod and go.sum of a module of ours that holds nothing else. */
export interface Binary {
  /** Its file name in the cache. */
  readonly name: string;
  /** The module under test/e2e/modules that pins it. */
  readonly module: string;
  readonly package: string;
  readonly version: string;
  /** How long it takes on two cores when those before it are in the build cache and nothing else. */
  readonly coldSeconds: number;
}

/** The newest stable minor first; messages drift from one to the next, so an older one can be chosen. */
export const kubernetesVersions = { '1.37': 'v1.37.1', '1.36': 'v1.36.4' } as const;
export type KubernetesMinor = keyof typeof kubernetesVersions;
export const newestMinor: KubernetesMinor = '1.37';

export function binariesFor(minor: KubernetesMinor): readonly Binary[] {
  const module = `kubernetes-${minor}`;
  const version = kubernetesVersions[minor];
  return [
    { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', version: 'v3.6.5', coldSeconds: 50 },
    { name: 'kube-apiserver', module, package: 'k8s.io/kubernetes/cmd/kube-apiserver', version, coldSeconds: 500 },
    {
      name: 'kube-controller-manager',
      module,
      package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
      version,
      coldSeconds: 150,
    },
    { name: 'kube-scheduler', module, package: 'k8s.io/kubernetes/cmd/kube-scheduler', version, coldSeconds: 20 },
    { name: 'kubelet', module, package: 'k8s.io/kubernetes/cmd/kubelet', version, coldSeconds: 60 },
    {
      name: 'hostpathplugin',
      module: 'csi-driver-host-path',
      package: 'github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin',
      version: 'v1.7.2',
      coldSeconds: 25,
    },
    {
      name: 'csi-provisioner',
      module: 'external-provisioner',
      package: 'github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner',
      version: 'v5.1.0',
      coldSeconds: 260,
    },
    {
      name: 'csi-resizer',
      module: 'external-resizer',
      package: 'github.com/kubernetes-csi/external-resizer/cmd/csi-resizer',
      version: 'v1.14.0',
      coldSeconds: 180,
    },
    {
      name: 'csi-snapshotter',
      module: 'external-snapshotter',
      package: 'github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter',
      version: 'v8.3.0',
      coldSeconds: 20,
    },
    {
      name: 'snapshot-controller',
      module: 'external-snapshotter',
      package: 'github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller',
      version: 'v8.3.0',
      coldSeconds: 15,
    },
  ];
}

/** What our own probe is measured against. */
export const grpcurl: Binary = {
  name: 'grpcurl',
  module: 'grpcurl',
  package: 'github.com/fullstorydev/grpcurl/cmd/grpcurl',
  version: 'v1.9.4',
  coldSeconds: 60,
};

/** What users install the releases with. */
export const installers: readonly Binary[] = [
  { name: 'krew', module: 'krew', package: 'sigs.k8s.io/krew/cmd/krew', version: 'v0.5.0', coldSeconds: 60 },
  { name: 'helm', module: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0', coldSeconds: 240 },
];

/** The module that carries the snapshot CRDs as YAML, beside the client that the snapshotter is built with. */
export const snapshotDefinitions = {
  module: 'external-snapshotter',
  path: 'github.com/kubernetes-csi/external-snapshotter/client/v8',
  directory: 'config/crd',
  version: 'v8.2.0',
} as const;

/** What comes from Debian: the package, and the file that shows that it is there. */
export const debianPackages = [
  { package: 'containerd', file: '/usr/bin/containerd' },
  { package: 'runc', file: '/usr/sbin/runc' },
  { package: 'containernetworking-plugins', file: '/usr/lib/cni/bridge' },
  { package: 'busybox-static', file: '/bin/busybox' },
  { package: 'openssl', file: '/usr/bin/openssl' },
  { package: 'iproute2', file: '/usr/sbin/ip' },
  { package: 'socat', file: '/usr/bin/socat' },
] as const;
