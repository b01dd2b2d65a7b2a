import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { definitionsDirectory, pathOf } from '../binaries.ts';
import { SidecarImages } from '../storage/controller-deployment.ts';
import { Driver } from '../storage/driver.ts';
import type { DriverOptions } from '../storage/driver.ts';
import { PoddedDriver, importDriverImages as makeDriverImages } from '../storage/podded-driver.ts';
import type { PoddedDriverOptions } from '../storage/podded-driver.ts';
import type { Turn } from '../turn.ts';
import { binariesFor } from '../versions.ts';
import type { KubernetesMinor } from '../versions.ts';
import type { Api, KubernetesObject } from './api.ts';
import { BareNode } from './bare-node.ts';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane } from './control-plane.ts';
import { Network } from './network.ts';
import { cleanNode, defaultRootGuard, startNode } from './node.ts';
import type { RealNode } from './node.ts';
import { Processes } from './processes.ts';
import { until } from './until.ts';

export const mainDriver = 'hostpath.csi.k8s.io';

/** One real cluster: a control plane, the node node-a with a kubelet, the bare node node-b, a driver and its sidecars. */
export class Cluster {
  readonly directory: string;
  readonly logs: string;
  readonly controlPlane: ControlPlane;
  readonly node: RealNode;
  readonly driver: Driver;
  readonly #processes: Processes;
  readonly #binary: (name: string) => string;
  readonly #images: SidecarImages;
  readonly #importDriverImages: () => Promise<void>;
  readonly #bareNode: BareNode;
  readonly #restoreDefaultRoot: () => void;

  private constructor(parts: {
    directory: string;
    controlPlane: ControlPlane;
    node: RealNode;
    driver: Driver;
    processes: Processes;
    binary: (name: string) => string;
    images: SidecarImages;
    importDriverImages: () => Promise<void>;
    bareNode: BareNode;
    restoreDefaultRoot: () => void;
  }) {
    this.directory = parts.directory;
    this.logs = join(parts.directory, 'logs');
    this.controlPlane = parts.controlPlane;
    this.node = parts.node;
    this.driver = parts.driver;
    this.#processes = parts.processes;
    this.#binary = parts.binary;
    this.#images = parts.images;
    this.#importDriverImages = parts.importDriverImages;
    this.#bareNode = parts.bareNode;
    this.#restoreDefaultRoot = parts.restoreDefaultRoot;
  }

  static async start(minor: KubernetesMinor, turn: Turn, say: (line: string) => void): Promise<Cluster> {
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-e2e-'));
    turn.livesIn(directory);
    const network = new Network(turn.place);
    const processes = new Processes(join(directory, 'logs'));
    const restoreDefaultRoot = defaultRootGuard();
    cleanUpWhenCutOff(directory, network, processes, restoreDefaultRoot);
    const paths = new Map(binariesFor(minor).map((binary) => [binary.name, pathOf(binary)]));
    const binary = (name: string): string => paths.get(name) ?? name;
    try {
      const controlPlane = await startControlPlane(directory, binary, processes);
      say('the control plane answers');
      const bareNode = await BareNode.create('node-b', 'zone-b', controlPlane.api);
      const node = await startNode('node-a', directory, network, controlPlane, binary, processes);
      say('node-a is Ready');
      await installSnapshotDefinitions(controlPlane.api);
      await controlPlane.api.apply(referenceGrants);
      processes.start('snapshot-controller', binary('snapshot-controller'), [
        `--kubeconfig=${controlPlane.kubeconfigs.csi}`,
        '--leader-election',
        '--leader-election-namespace=kube-system',
        '--leader-election-lease-duration=6s',
        '--leader-election-renew-deadline=4s',
        '--leader-election-retry-period=1s',
      ]);
      const images = new SidecarImages(node, binary);
      let driverImages: Promise<void> | undefined;
      const importDriverImages = (): Promise<void> =>
        (driverImages ??= makeDriverImages(node, binary('hostpathplugin')));
      const driver = await Driver.start(
        { name: mainDriver, resizer: true, snapshotter: true },
        { directory, controlPlane, node, binary, processes, images, importDriverImages },
      );
      say(`driver ${mainDriver} is registered`);
      await makeClasses(controlPlane.api);
      return new Cluster({
        directory,
        controlPlane,
        node,
        driver,
        processes,
        binary,
        images,
        importDriverImages,
        bareNode,
        restoreDefaultRoot,
      });
    } catch (error) {
      await processes.stopAll();
      await cleanNode(directory, network);
      restoreDefaultRoot();
      throw new Error(
        `the cluster did not come up (logs are in ${join(directory, 'logs')}): ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }

  get api(): Api {
    return this.controlPlane.api;
  }

  startDriver(options: DriverOptions): Promise<Driver> {
    return Driver.start(options, {
      directory: this.directory,
      controlPlane: this.controlPlane,
      node: this.node,
      binary: this.#binary,
      processes: this.#processes,
      images: this.#images,
      importDriverImages: this.#importDriverImages,
    });
  }

  /** A driver in a pod of node-a; its images are made when the first one is wanted. */
  async startPoddedDriver(options: PoddedDriverOptions): Promise<PoddedDriver> {
    await this.#importDriverImages();
    return PoddedDriver.start(options, this.api, this.node);
  }

  /** Stops all that was started; the logs stay when somebody will want to read them. */
  async stop(keepLogs: boolean): Promise<void> {
    this.#bareNode.stop();
    await this.driver.stop();
    await this.#processes.stopAll();
    this.api.close();
    await this.node.clean();
    this.#restoreDefaultRoot();
    if (keepLogs) {
      for (const entry of readdirSync(this.directory))
        if (entry !== 'logs') rmSync(join(this.directory, entry), { recursive: true, force: true });
    } else {
      rmSync(this.directory, { recursive: true, force: true });
    }
  }
}

/** What a run left behind that could not clean up after itself. */
export async function removeRemains(directory: string, place: number): Promise<void> {
  await cleanNode(directory, new Network(place));
  rmSync(directory, { recursive: true, force: true });
}

/** A Ctrl-C or a mistake of ours must leave nothing behind either. */
function cleanUpWhenCutOff(
  directory: string,
  network: Network,
  processes: Processes,
  restoreDefaultRoot: () => void,
): void {
  process.on('exit', () => processes.killAll());
  const cutOff = (reason: unknown): void => {
    process.stderr.write(`cut off by ${reason instanceof Error ? reason.stack : String(reason)}\n`);
    processes.killAll();
    void cleanNode(directory, network).then(() => {
      restoreDefaultRoot();
      rmSync(directory, { recursive: true, force: true });
      process.exit(130);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, cutOff);
  process.once('uncaughtException', cutOff);
  process.once('unhandledRejection', cutOff);
}

async function installSnapshotDefinitions(api: Api): Promise<void> {
  const names = readdirSync(definitionsDirectory).filter((name) => name.startsWith('snapshot.'));
  for (const name of names) {
    const { status: _, ...definition } = parse(
      readFileSync(join(definitionsDirectory, name), 'utf8'),
    ) as KubernetesObject;
    await api.apply(definition as unknown as KubernetesObject);
  }
  await until(
    'the API server to serve snapshots',
    30,
    async () => (await api.list('snapshot.storage.k8s.io/v1', 'VolumeSnapshot')) !== undefined,
  );
}

/** As much of the gateway interface's definition as a provisioner needs that looks for grants. */
const referenceGrants: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'referencegrants.gateway.networking.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests only' },
  },
  spec: {
    group: 'gateway.networking.k8s.io',
    scope: 'Namespaced',
    names: {
      kind: 'ReferenceGrant',
      listKind: 'ReferenceGrantList',
      plural: 'referencegrants',
      singular: 'referencegrant',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

async function makeClasses(api: Api): Promise<void> {
  for (const [name, volumeBindingMode] of [
    ['fast-immediate', 'Immediate'],
    ['fast-wffc', 'WaitForFirstConsumer'],
  ] as const) {
    await api.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: mainDriver,
      volumeBindingMode,
      allowVolumeExpansion: true,
    });
  }
  await api.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'local-manual' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'Immediate',
  });
  await api.apply({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'snapshots' },
    driver: mainDriver,
    deletionPolicy: 'Delete',
  });
}
