import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import type { RealNode } from '../cluster/node.ts';
import { until } from '../cluster/until.ts';

export const driverImage = 'kubectl-csi.test/hostpathplugin:v1.7.2';
const livenessImage = 'kubectl-csi.test/livenessprobe:stand-in';
export const registrarImage = 'kubectl-csi.test/csi-node-driver-registrar:stand-in';

export interface PoddedDriverOptions {
  readonly name: string;
  /** Also the name of its DaemonSet. */
  readonly namespace: string;
  /** Where the health endpoint listens: everywhere, or on loopback alone, which only a port-forward reaches. */
  readonly health?: 'everywhere' | 'loopback';
}

/** Makes the images of drivers that run in pods: the real driver with socat, as upstream's has it, and our stand-ins for two sidecars. */
export async function importDriverImages(node: RealNode, hostpathplugin: string): Promise<void> {
  await node.importImage({
    names: [driverImage],
    programs: {
      hostpathplugin,
      socat: '/usr/bin/socat',
      mount: '/usr/bin/mount',
      umount: '/usr/bin/umount',
      findmnt: '/usr/bin/findmnt',
    },
    files: { 'bin/keep': join(import.meta.dirname, 'keep.sh') },
  });
  const sources = ['csi-call.ts', 'wire.ts', 'registration.ts', 'livenessprobe.ts', 'registrar.ts'];
  await node.importImage({
    names: [livenessImage, registrarImage],
    programs: { node: process.execPath },
    files: Object.fromEntries(sources.map((file) => [`sidecar/${file}`, join(import.meta.dirname, file)])),
  });
}

/** A driver as it is deployed: a DaemonSet with the driver, a registrar and a health endpoint. */
export class PoddedDriver {
  readonly name: string;
  readonly namespace: string;
  /** The driver's socket on this machine. */
  readonly socket: string;
  readonly healthPort: number;
  readonly #api: Api;
  readonly #node: RealNode;
  readonly #set: KubernetesObject;

  private constructor(options: PoddedDriverOptions, api: Api, node: RealNode) {
    this.name = options.name;
    this.namespace = options.namespace;
    this.healthPort = options.health === 'loopback' ? 9899 : 9898;
    this.#api = api;
    this.#node = node;
    this.socket = join(node.root, 'plugins', options.name, 'csi.sock');
    this.#set = this.#daemonSet(options.health === 'loopback');
  }

  static async start(options: PoddedDriverOptions, api: Api, node: RealNode): Promise<PoddedDriver> {
    const driver = new PoddedDriver(options, api, node);
    mkdirSync(join(node.root, 'plugins', options.name), { recursive: true });
    await api.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: options.namespace, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    });
    await api.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: options.name },
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      },
    });
    await until('the default service account', 30, () =>
      api.get({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace: options.namespace },
      }),
    );
    await api.apply(driver.#set);
    await until(`the kubelet to register driver ${options.name}`, 90, async () => {
      const csiNode = await api.get({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: node.name },
      });
      return (csiNode?.['spec'].drivers as { name: string }[] | undefined)?.some(({ name }) => name === options.name);
    });
    return driver;
  }

  /** The pod that runs it now. */
  async pod(): Promise<string> {
    const pods = await this.#api.list('v1', 'Pod', this.namespace);
    const pod = pods.find(
      ({ metadata }) => (metadata['labels'] as Record<string, string> | undefined)?.['app'] === this.#set.metadata.name,
    );
    if (pod === undefined) throw new Error(`driver ${this.name} has no pod`);
    return pod.metadata.name;
  }

  /** The driver dies without a word and leaves its socket; its container goes on, so that nothing starts it again until it is revived. */
  kill(): void {
    this.#signal('SIGKILL');
  }
  /** The process stays, holds its socket, and answers nothing. */
  suspend(): void {
    this.#signal('SIGSTOP');
  }
  resume(): void {
    this.#signal('SIGCONT');
  }

  /** Starts it again after it was killed. */
  async revive(): Promise<void> {
    const keeper = processesWith((words) => words[1] === '/bin/keep' && words.includes(`--drivername=${this.name}`));
    for (const pid of keeper) process.kill(pid, 'SIGUSR1');
    await until(`driver ${this.name} to run again`, 20, () => Promise.resolve(this.#pids().length > 0));
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#api.remove(this.#set);
    await this.#api.remove({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: this.name } });
    await until(`the pod of driver ${this.name} to be gone`, 60, async () =>
      (await this.#api.list('v1', 'Pod', this.namespace)).every(
        ({ metadata }) =>
          (metadata['labels'] as Record<string, string> | undefined)?.['app'] !== this.#set.metadata.name,
      ),
    );
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids()) process.kill(pid, signal);
  }

  #pids(): readonly number[] {
    return processesWith((words) => words[0] === '/bin/hostpathplugin' && words.includes(`--drivername=${this.name}`));
  }

  #daemonSet(loopback: boolean): KubernetesObject {
    const name = `csi-${this.name.split('.')[0]}-plugin`;
    const plugin = join(this.#node.root, 'plugins', this.name);
    const port = this.healthPort;
    const common = { imagePullPolicy: 'Never' };
    return {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: this.namespace },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            terminationGracePeriodSeconds: 0,
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            nodeSelector: { 'kubernetes.io/hostname': this.#node.name },
            containers: [
              {
                ...common,
                name: 'hostpath',
                image: driverImage,
                command: ['/bin/sh', '/bin/keep', '/bin/hostpathplugin'],
                args: [
                  `--drivername=${this.name}`,
                  '--endpoint=$(CSI_ENDPOINT)',
                  '--nodeid=$(KUBE_NODE_NAME)',
                  '--statedir=/volumes',
                  '--v=4',
                ],
                env: [
                  { name: 'CSI_ENDPOINT', value: 'unix:///csi/csi.sock' },
                  { name: 'KUBE_NODE_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
                ],
                securityContext: { privileged: true },
                ...(!loopback && {
                  ports: [{ containerPort: port, name: 'healthz', protocol: 'TCP' }],
                  livenessProbe: {
                    httpGet: { path: '/healthz', port: 'healthz' },
                    failureThreshold: 1000,
                    periodSeconds: 10,
                    timeoutSeconds: 5,
                  },
                }),
                volumeMounts: [
                  { name: 'socket-dir', mountPath: '/csi' },
                  { name: 'volumes', mountPath: '/volumes' },
                ],
              },
              {
                ...common,
                name: 'node-driver-registrar',
                image: registrarImage,
                command: ['/bin/node', '/sidecar/registrar.ts'],
                args: ['--csi-address=/csi/csi.sock', `--kubelet-registration-path=${join(plugin, 'csi.sock')}`],
                securityContext: { privileged: true },
                volumeMounts: [
                  { name: 'socket-dir', mountPath: '/csi' },
                  { name: 'registration-dir', mountPath: '/registration' },
                ],
              },
              {
                ...common,
                name: 'liveness-probe',
                image: livenessImage,
                command: ['/bin/node', '/sidecar/livenessprobe.ts'],
                args: [
                  '--csi-address=/csi/csi.sock',
                  loopback ? `--http-endpoint=127.0.0.1:${port}` : `--health-port=${port}`,
                ],
                volumeMounts: [{ name: 'socket-dir', mountPath: '/csi' }],
              },
            ],
            volumes: [
              { name: 'socket-dir', hostPath: { path: plugin, type: 'DirectoryOrCreate' } },
              {
                name: 'registration-dir',
                hostPath: { path: join(this.#node.root, 'plugins_registry'), type: 'Directory' },
              },
              { name: 'volumes', emptyDir: {} },
            ],
          },
        },
      },
    };
  }
}

function processesWith(matches: (words: readonly string[]) => boolean): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        return matches(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
      } catch {
        return false;
      }
    });
}
