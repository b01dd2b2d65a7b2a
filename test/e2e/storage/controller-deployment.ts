import { dirname } from 'node:path';
import { pathTo } from '../cluster/api.ts';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import type { RealNode } from '../cluster/node.ts';
import { until } from '../cluster/until.ts';
import { pluginContainers, pluginVolumes } from './plugin-pod.ts';
import type { PluginPlace } from './plugin-pod.ts';

export type SidecarName = 'csi-provisioner' | 'csi-attacher' | 'csi-resizer' | 'csi-snapshotter';

interface Sidecar {
  readonly name: SidecarName;
  readonly words: readonly string[];
}

/** The images of sidecars that run in pods, each made when it is first wanted. */
export class SidecarImages {
  readonly #node: RealNode;
  readonly #binary: (name: string) => string;
  readonly #made = new Map<SidecarName, Promise<void>>();

  constructor(node: RealNode, binary: (name: string) => string) {
    this.#node = node;
    this.#binary = binary;
  }

  async imageOf(name: SidecarName): Promise<string> {
    const image = `kubectl-csi.test/${name}:e2e`;
    const made = this.#made.get(name) ?? this.#make(name, image);
    this.#made.set(name, made);
    await made;
    return image;
  }

  #make(name: SidecarName, image: string): Promise<void> {
    if (name !== 'csi-attacher')
      return this.#node.importImage({ names: [image], programs: { [name]: this.#binary(name) } });
    const sources = ['storage/attacher-main.ts', 'storage/attacher.ts', 'storage/csi-call.ts', 'storage/wire.ts'];
    return this.#node.importImage({
      names: [image],
      programs: { node: process.execPath },
      files: Object.fromEntries(
        [...sources, 'cluster/api.ts'].map((file) => [`e2e/${file}`, `${import.meta.dirname}/../${file}`]),
      ),
    });
  }
}

export interface ControllerOptions {
  readonly driver: string;
  readonly namespace: string;
  readonly sidecars: readonly Sidecar[];
  /** The driver's socket and the kubeconfig of the sidecars on this machine. */
  readonly socket: string;
  readonly kubeconfig: string;
  /** The driver itself, where it runs in the same pod. */
  readonly plugin?: PluginPlace;
}

/** The sidecars of a driver as they are deployed: in the pod of a Deployment, which can be scaled. */
export class ControllerDeployment {
  readonly #api: Api;
  readonly #object: KubernetesObject;

  private constructor(api: Api, object: KubernetesObject) {
    this.#api = api;
    this.#object = object;
  }

  static async start(options: ControllerOptions, api: Api, images: SidecarImages): Promise<ControllerDeployment> {
    await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: options.namespace } });
    const account = { name: 'default', namespace: options.namespace };
    await until('the default service account', 30, () =>
      api.get({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }),
    );
    const containers = await Promise.all(
      options.sidecars.map(async ({ name, words }) => containerOf(name, words, await images.imageOf(name), options)),
    );
    const deployment = new ControllerDeployment(api, deploymentOf(options, containers));
    await api.apply(deployment.#object);
    await deployment.#until(1);
    return deployment;
  }

  async scale(replicas: number): Promise<void> {
    await this.#api.patch(this.#object, { spec: { replicas } });
    await this.#until(replicas);
  }

  /** Rolls out another image of one container, which need not exist. */
  async setImage(container: SidecarName, image: string): Promise<void> {
    await this.#api.call(
      'PATCH',
      pathTo(this.#object),
      { spec: { template: { spec: { containers: [{ name: container, image }] } } } },
      'application/strategic-merge-patch+json',
    );
  }

  async stop(): Promise<void> {
    await this.scale(0);
    await this.#api.remove({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: this.#object.metadata.namespace ?? '' },
    });
  }

  async #until(replicas: number): Promise<void> {
    const { name, namespace } = this.#object.metadata;
    await until(`deployment ${name} to have ${replicas} pods`, 90, async () => {
      const pods = (await this.#api.list('v1', 'Pod', namespace)).filter(
        ({ metadata }) => (metadata['labels'] as Record<string, string> | undefined)?.['app'] === name,
      );
      const ready = (await this.#api.get(this.#object))?.['status']?.readyReplicas ?? 0;
      return (pods.length === replicas && ready === replicas) || undefined;
    });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function containerOf(
  name: SidecarName,
  words: readonly string[],
  image: string,
  { socket, kubeconfig }: ControllerOptions,
): Fields {
  return {
    name,
    image,
    imagePullPolicy: 'Never',
    command: name === 'csi-attacher' ? ['/bin/node', '/e2e/storage/attacher-main.ts'] : [`/bin/${name}`],
    args: words,
    env: [{ name: 'NAMESPACE', value: 'kube-system' }],
    securityContext: { privileged: true },
    volumeMounts: [
      { name: 'socket', mountPath: dirname(socket) },
      { name: 'credentials', mountPath: dirname(kubeconfig), readOnly: true },
    ],
  };
}

/** On the network of the machine, because the API server listens on loopback only. */
function deploymentOf(
  { driver, namespace, socket, kubeconfig, plugin }: ControllerOptions,
  containers: readonly Fields[],
): KubernetesObject {
  const name = `csi-${driver.split('.')[0]}-controller`;
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: true,
          // Without a grace period the pod is gone from the API before its containers are.
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          nodeSelector: { 'kubernetes.io/hostname': 'node-a' },
          tolerations: [{ operator: 'Exists' }],
          containers: [...(plugin ? pluginContainers(plugin) : []), ...containers],
          volumes: [
            ...(plugin ? pluginVolumes(plugin) : []),
            { name: 'socket', hostPath: { path: dirname(socket), type: 'Directory' } },
            { name: 'credentials', hostPath: { path: dirname(kubeconfig), type: 'Directory' } },
          ],
        },
      },
    },
  };
}
