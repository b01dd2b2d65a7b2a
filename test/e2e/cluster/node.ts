import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, runCommand } from './command.ts';
import type { ControlPlane } from './control-plane.ts';
import { makeImageArchive, pauseImage, shellImage } from './images.ts';
import type { Image } from './images.ts';
import type { Network } from './network.ts';
import { Registry } from './registry.ts';
import { freePorts } from './ports.ts';
import type { Processes, Running } from './processes.ts';
import { until } from './until.ts';

/** The node with a real kubelet, a real container runtime and real pods. */
export interface RealNode {
  readonly name: string;
  /** The kubelet's root: plugin sockets and mounts live under it. */
  readonly root: string;
  /** The address of the node, on a bridge of this machine. */
  readonly address: string;
  readonly bridge: string;
  kubelet: Running;
  readonly startKubelet: () => Running;
  readonly importImage: (image: Image) => Promise<void>;
  /** Imports an archive that docker, skopeo or a build of ours wrote. */
  readonly importArchive: (archive: string) => Promise<void>;
  readonly clean: () => Promise<void>;
}

export async function startNode(
  name: string,
  directory: string,
  network: Network,
  controlPlane: ControlPlane,
  binary: (name: string) => string,
  processes: Processes,
): Promise<RealNode> {
  const root = join(directory, 'kubelet');
  const runtime = join(directory, 'containerd');
  for (const path of [root, runtime, join(runtime, 'cni')]) mkdirSync(path, { recursive: true });
  // Drivers in pods mount volumes for the whole node, which needs a mount that is shared.
  await mustRun('mount', ['--bind', root, root]);
  await mustRun('mount', ['--make-shared', root]);
  await network.make();
  writeFileSync(join(runtime, 'cni/e2e.conflist'), network.configuration(join(runtime, 'addresses')));
  const socket = join(runtime, 'containerd.sock');
  const registry = await Registry.start(join(runtime, 'registries'));
  writeFileSync(join(runtime, 'config.toml'), runtimeConfiguration(runtime, socket));
  processes.start('containerd', 'containerd', ['--config', join(runtime, 'config.toml')]);
  const importArchive = async (archive: string): Promise<void> => {
    await mustRun('ctr', ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', archive]);
  };
  const importImage = async (image: Image): Promise<void> => {
    const archive = await makeImageArchive(join(directory, 'images'), image);
    await importArchive(archive);
    rmSync(archive);
  };
  await until('containerd', 30, async () => (await runCommand('ctr', ['--address', socket, 'version'])).code === 0);
  await importImage({ names: [shellImage, pauseImage] });

  const [serving, user] = await Promise.all([
    controlPlane.authority.issue(`${name}-serving`, `system:node:${name}`, ['system:nodes'], [network.address, name]),
    controlPlane.authority.issue(name, `system:node:${name}`, ['system:nodes']),
  ]);
  const kubeconfig = controlPlane.authority.writeKubeconfig(name, controlPlane.server, user);
  const [port] = await freePorts(1);
  const configuration = join(directory, 'kubelet.json');
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: network.address,
      port,
      healthzPort: 0,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: controlPlane.authority.certificate },
      },
      authorization: { mode: 'Webhook' },
      tlsCertFile: serving.certificate,
      tlsPrivateKeyFile: serving.key,
      containerRuntimeEndpoint: `unix://${socket}`,
      // What a small virtual machine with control groups of the old kind allows.
      failCgroupV1: false,
      failSwapOn: false,
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
      cgroupDriver: 'cgroupfs',
      makeIPTablesUtilChains: false,
      evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%', 'memory.available': '50Mi' },
      imageMaximumGCAge: '0s',
      imageGCHighThresholdPercent: 100,
      registerNode: true,
      nodeStatusUpdateFrequency: '4s',
      nodeLeaseDurationSeconds: 20,
      syncFrequency: '10s',
      volumeStatsAggPeriod: '10s',
      clusterDNS: ['10.231.78.10'],
      clusterDomain: 'cluster.local',
      resolvConf: '',
      volumePluginDir: join(root, 'volume-plugins'),
      podLogsDir: join(directory, 'pod-logs'),
    }),
  );
  const startKubelet = (): Running =>
    processes.start('kubelet', binary('kubelet'), [
      `--config=${configuration}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${root}`,
      `--cert-dir=${join(directory, 'kubelet-pki')}`,
      `--hostname-override=${name}`,
      `--node-ip=${network.address}`,
      `--node-labels=topology.kubernetes.io/zone=zone-a`,
    ]);
  const kubelet = startKubelet();
  await until(`node ${name} to be Ready`, 60, async () => {
    if (!kubelet.alive()) return false;
    const node = await controlPlane.api.get({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    return (node?.['status']?.conditions as { type: string; status: string }[] | undefined)?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    );
  });
  return {
    name,
    root,
    address: network.address,
    bridge: network.bridge,
    kubelet,
    startKubelet,
    importImage,
    importArchive,
    clean: () => {
      registry.stop();
      return cleanNode(directory, network);
    },
  };
}

function runtimeConfiguration(directory: string, socket: string): string {
  return `version = 2
root = "${directory}/root"
state = "${directory}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${directory}/registries"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
}

/** After the kubelet and containerd: the shims outlive both, and mounts and addresses outlive the shims. */
export async function cleanNode(directory: string, network: Network): Promise<void> {
  for (const pid of shimsOf(join(directory, 'containerd/containerd.sock'))) {
    for (const child of childrenOf(pid)) end(child);
    end(pid);
  }
  removeControlGroups(join(directory, 'containerd/state/io.containerd.runtime.v2.task/k8s.io'));
  await unmountBelow(directory);
  await network.remove();
}

/** One empty group for each container and controller; only those of our containers. */
function removeControlGroups(containers: string): void {
  const groups = '/sys/fs/cgroup';
  for (const id of existsSync(containers) ? readdirSync(containers) : []) {
    for (const controller of ['.', ...readdirSync(groups)]) {
      try {
        rmdirSync(join(groups, controller, 'k8s.io', id));
      } catch {
        /* Not there, or a process is still leaving it. */
      }
    }
  }
}

function shimsOf(socket: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const words = readOrNothing(`/proc/${pid}/cmdline`).split('\0');
      return words[0]?.includes('containerd-shim') === true && words.includes(socket);
    });
}

function childrenOf(pid: number): readonly number[] {
  return readOrNothing(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    /* It ended by itself. */
  }
}

async function unmountBelow(directory: string): Promise<void> {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((point) => point.startsWith(`${directory}/`));
  for (const point of points.reverse()) await runCommand('umount', ['--lazy', point.replaceAll('\\040', ' ')]);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The kubelet makes this directory under its default root whatever it is told; it is ours if it was not there before. */
export function defaultRootGuard(): () => void {
  const path = '/var/lib/kubelet';
  const wasThere = existsSync(path);
  return () => {
    if (!wasThere) rmSync(path, { recursive: true, force: true });
  };
}
