import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../cluster/control-plane.ts';
import type { RealNode } from '../cluster/node.ts';
import type { Processes, Running } from '../cluster/processes.ts';
import { until } from '../cluster/until.ts';
import { Attacher } from './attacher.ts';
import { ControllerDeployment } from './controller-deployment.ts';
import type { SidecarImages, SidecarName } from './controller-deployment.ts';
import { FaultProxy } from './faults.ts';
import { PluginSet, pluginProcesses } from './plugin-pod.ts';
import type { PluginPlace } from './plugin-pod.ts';
import { Registration } from './registration.ts';

export interface DriverOptions {
  readonly name: string;
  /** Words for the hostpath driver, such as --maxvolumespernode=1. */
  readonly words?: readonly string[];
  /** Fields of the CSIDriver object beside the usual ones. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** The provisioner publishes CSIStorageCapacity. */
  readonly publishesCapacity?: boolean;
  readonly provisioner?: boolean;
  readonly resizer?: boolean;
  readonly snapshotter?: boolean;
  /** Volumes can be modified, and the resizer is told to do it. */
  readonly modifies?: boolean;
  /** The provisioner takes sources from other namespaces, where a grant allows it. */
  readonly acrossNamespaces?: boolean;
  /** The sidecars run in a Deployment of this namespace instead of as processes. */
  readonly deployedIn?: string;
  /** The driver itself runs in a pod too: of a DaemonSet, or next to its sidecars. */
  readonly pluginIn?: 'daemonSet' | 'deployment';
  /** Nothing stands between the driver in its pod and its callers; its calls cannot be made to fail. */
  readonly isDirect?: boolean;
  /** The attacher has no right but those of this user. */
  readonly attacherUser?: string;
  /** The attacher serves a driver of this name instead, as where the driver in the controller was given another name. */
  readonly attacherServes?: string;
}

export interface DriverSurroundings {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly node: RealNode;
  readonly binary: (name: string) => string;
  readonly processes: Processes;
  readonly images: SidecarImages;
  /** Makes the images of drivers that run in pods. */
  readonly importDriverImages: () => Promise<void>;
}

/** A hostpath driver with its sidecars, each a process of its own that can be stopped and started again. */
export class Driver {
  readonly name: string;
  readonly #options: DriverOptions;
  readonly #around: DriverSurroundings;
  readonly #home: string;
  readonly #sidecars = new Map<string, Running>();
  #plugin: Running | undefined;
  #proxy: FaultProxy | undefined;
  #registration: Registration | undefined;
  #attacher: Attacher | undefined;
  #deployment: ControllerDeployment | undefined;
  #set: PluginSet | undefined;

  private constructor(options: DriverOptions, around: DriverSurroundings) {
    this.name = options.name;
    this.#options = options;
    this.#around = around;
    this.#home = join(around.node.root, 'plugins', options.name);
    mkdirSync(this.#home, { recursive: true });
  }

  static async start(options: DriverOptions, around: DriverSurroundings): Promise<Driver> {
    const driver = new Driver(options, around);
    try {
      await driver.#start();
    } catch (error) {
      await driver.stop().catch(() => {});
      throw error;
    }
    return driver;
  }

  async #start(): Promise<void> {
    const options = this.#options;
    await this.#around.controlPlane.api.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: options.name },
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent'],
        storageCapacity: options.publishesCapacity === true,
        ...options.spec,
      },
    });
    if (options.pluginIn === undefined) {
      await this.startPlugin();
      await this.register();
    } else await this.#deployPlugin();
    const sidecars = [
      ...(options.provisioner === false ? [] : ['csi-provisioner' as const]),
      ...(options.resizer === true ? ['csi-resizer' as const] : []),
      ...(options.snapshotter === true ? ['csi-snapshotter' as const] : []),
    ];
    if (options.deployedIn === undefined) {
      for (const sidecar of sidecars) this.startSidecar(sidecar);
      this.startAttacher();
    } else if (options.attacherServes === undefined)
      await this.#deploy(options.deployedIn, [...sidecars, 'csi-attacher']);
    else {
      await this.#deploy(options.deployedIn, sidecars);
      this.startAttacher(options.attacherServes);
    }
    if (options.pluginIn !== undefined) await this.#untilRegistered();
  }

  get #place(): PluginPlace {
    const { node, directory } = this.#around;
    return {
      driver: this.name,
      node: node.name,
      root: node.root,
      home: this.#home,
      state: join(directory, 'volumes', this.name),
      words: this.#options.words ?? [],
      ...(this.#options.isDirect === true && { isDirect: true }),
    };
  }

  async #deployPlugin(): Promise<void> {
    await this.#around.importDriverImages();
    if (this.#options.isDirect !== true) await this.#listen();
    if (this.#options.pluginIn === 'daemonSet')
      this.#set = await PluginSet.start(this.#place, this.#options.deployedIn ?? '', this.#around.controlPlane.api);
  }

  /** The DaemonSet of the driver. */
  get set(): PluginSet {
    if (this.#set === undefined) throw new Error(`driver ${this.name} has no DaemonSet`);
    return this.#set;
  }

  /** The DaemonSet rolls out the plugin with other words, whether the kubelet takes it or not. */
  async rollOut(change: Partial<PluginPlace>): Promise<void> {
    await this.set.rollOut({ ...this.#place, ...change });
  }

  /** The driver dies in its pod without a word. */
  killInPod(): void {
    for (const pid of pluginProcesses(this.name)) process.kill(pid, 'SIGKILL');
  }
  /** The driver stays in its pod and answers nothing. */
  suspendInPod(): void {
    for (const pid of pluginProcesses(this.name)) process.kill(pid, 'SIGSTOP');
  }

  async #deploy(namespace: string, sidecars: readonly SidecarName[]): Promise<void> {
    const { controlPlane, images } = this.#around;
    this.#deployment = await ControllerDeployment.start(
      {
        driver: this.name,
        namespace,
        sidecars: sidecars.map((name) => ({ name, words: this.#wordsOf(name) })),
        socket: this.#socket,
        kubeconfig: controlPlane.kubeconfigs.csi,
        ...(this.#options.pluginIn === 'deployment' && { plugin: this.#place }),
      },
      controlPlane.api,
      images,
    );
  }

  /** The Deployment of the sidecars. */
  get deployment(): ControllerDeployment {
    if (this.#deployment === undefined) throw new Error(`the sidecars of ${this.name} are not deployed`);
    return this.#deployment;
  }

  get #socket(): string {
    return join(this.#home, 'csi.sock');
  }

  /** Calls that the driver is made to refuse. */
  get faults(): FaultProxy['faults'] {
    if (this.#proxy === undefined) throw new Error(`driver ${this.name} is not running`);
    return this.#proxy.faults;
  }

  async startPlugin(words = this.#options.words ?? []): Promise<void> {
    const inner = join(this.#home, 'driver.sock');
    const state = join(this.#around.directory, 'volumes', this.name);
    mkdirSync(state, { recursive: true });
    this.#plugin = this.#around.processes.start(`${this.name}-plugin`, this.#around.binary('hostpathplugin'), [
      `--endpoint=unix://${inner}`,
      `--drivername=${this.name}`,
      `--nodeid=${this.#around.node.name}`,
      `--statedir=${state}`,
      '--enable-attach=true',
      '--v=4',
      ...words,
    ]);
    await until(`the socket of driver ${this.name}`, 20, () => Promise.resolve(existsSync(inner)));
    await this.#listen();
  }

  async #listen(): Promise<void> {
    this.#proxy = await FaultProxy.listen(this.#socket, join(this.#home, 'driver.sock'));
    this.#proxy.modifies = this.#options.modifies === true;
  }

  /** The driver's process ends, and its socket goes dead. */
  async stopPlugin(): Promise<void> {
    await this.#plugin?.stop();
    await this.#proxy?.close();
  }

  /** The process stays and answers nothing. */
  suspend(): void {
    this.#plugin?.kill('SIGSTOP');
  }
  resume(): void {
    this.#plugin?.kill('SIGCONT');
  }

  async register(): Promise<void> {
    const registration = await Registration.listen(
      join(this.#around.node.root, 'plugins_registry', `${this.name}-reg.sock`),
      this.name,
      this.#socket,
    );
    this.#registration = registration;
    await until(`the kubelet to register driver ${this.name}`, 60, () => {
      if (registration.error !== undefined && registration.error !== '') throw new Error(registration.error);
      return Promise.resolve(registration.error === '');
    });
    await this.#untilRegistered();
  }

  async #untilRegistered(): Promise<void> {
    await until(`the CSINode to list driver ${this.name}`, 90, async () => (await this.#registered()) || undefined);
  }

  async unregister(): Promise<void> {
    await this.#registration?.close();
    this.#registration = undefined;
    await until(`the CSINode to forget driver ${this.name}`, 60, async () => !(await this.#registered()) || undefined);
  }

  async #registered(): Promise<boolean> {
    const csiNode = await this.#around.controlPlane.api.get({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: this.#around.node.name },
    });
    return ((csiNode?.['spec'].drivers as { name: string }[] | undefined) ?? []).some(({ name }) => name === this.name);
  }

  #wordsOf(sidecar: SidecarName): readonly string[] {
    const connection = [`--csi-address=${this.#socket}`, `--kubeconfig=${this.#around.controlPlane.kubeconfigs.csi}`];
    const {
      acrossNamespaces = false,
      modifies = false,
      publishesCapacity = false,
      deployedIn = 'kube-system',
    } = this.#options;
    if (sidecar === 'csi-attacher')
      return [...connection, `--driver=${this.name}`, '--leader-election', `--leader-election-namespace=${deployedIn}`];
    const isProvisioner = sidecar === 'csi-provisioner';
    return [
      ...connection,
      '--leader-election',
      `--leader-election-namespace=${deployedIn}`,
      '--leader-election-lease-duration=6s',
      '--leader-election-renew-deadline=4s',
      '--leader-election-retry-period=1s',
      '--timeout=10s',
      '--retry-interval-start=1s',
      '--retry-interval-max=5s',
      ...(isProvisioner ? ['--extra-create-metadata', '--default-fstype=ext4', '--v=4'] : []),
      ...(isProvisioner && acrossNamespaces ? ['--feature-gates=CrossNamespaceVolumeDataSource=true'] : []),
      ...(sidecar === 'csi-resizer' && modifies ? ['--feature-gates=VolumeAttributesClass=true'] : []),
      ...(isProvisioner && publishesCapacity
        ? ['--enable-capacity', '--capacity-ownerref-level=-1', '--capacity-poll-interval=5s']
        : []),
    ];
  }

  startSidecar(binary: Exclude<SidecarName, 'csi-attacher'>): void {
    const { processes, binary: pathOf } = this.#around;
    const running = processes.start(`${this.name}-${binary}`, pathOf(binary), this.#wordsOf(binary), {
      NAMESPACE: 'kube-system',
    });
    this.#sidecars.set(binary, running);
    void this.#restart(binary, running);
  }

  /** A sidecar ends by itself when it loses its lease or its driver; a kubelet would start it again. */
  async #restart(binary: Exclude<SidecarName, 'csi-attacher'>, running: Running): Promise<void> {
    await running.ended;
    await sleep(1000);
    if (this.#sidecars.get(binary) === running) this.startSidecar(binary);
  }

  async stopSidecar(binary: string): Promise<void> {
    const running = this.#sidecars.get(binary);
    this.#sidecars.delete(binary);
    // Killed, not asked: a sidecar that ends in order gives its lease back, one that dies does not.
    running?.kill('SIGKILL');
    await running?.stop();
  }

  startAttacher(serves = this.name): void {
    const { api } = this.#around.controlPlane;
    const { attacherUser, deployedIn } = this.#options;
    this.#attacher = new Attacher(
      attacherUser === undefined ? api : api.as(attacherUser),
      serves,
      this.#socket,
      join(this.#around.directory, 'logs', `${this.name}-attacher.log`),
      deployedIn,
    );
  }

  async stopAttacher(): Promise<void> {
    await this.#attacher?.stop();
    this.#attacher = undefined;
  }

  async stop(): Promise<void> {
    await this.#set?.stop();
    await this.#deployment?.stop();
    await this.stopAttacher();
    for (const binary of [...this.#sidecars.keys()]) await this.stopSidecar(binary);
    await this.#registration?.close();
    await this.stopPlugin();
  }
}
