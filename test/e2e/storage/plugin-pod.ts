import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathTo } from '../cluster/api.ts';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import { until } from '../cluster/until.ts';
import { driverImage, registrarImage } from './podded-driver.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where the plugin of a driver finds what it needs on this machine. */
export interface PluginPlace {
  readonly driver: string;
  readonly node: string;
  /** The kubelet's root, in which volumes are mounted for pods. */
  readonly root: string;
  /** The directory of the sockets: driver.sock of the driver, csi.sock for everybody else. */
  readonly home: string;
  /** Where the volumes are kept. */
  readonly state: string;
  readonly words: readonly string[];
  /** The driver listens on csi.sock itself: what happens to its process, the kubelet sees as it is. */
  readonly isDirect?: boolean;
  /** What the registrar tells the kubelet in place of the driver's socket. */
  readonly announced?: string;
}

/** The driver and its registrar as containers. Volumes are mounted for the whole node. */
export function pluginContainers({
  driver,
  node,
  root,
  home,
  state,
  words,
  isDirect,
  announced,
}: PluginPlace): readonly Fields[] {
  const common = { imagePullPolicy: 'Never', securityContext: { privileged: true } };
  return [
    {
      ...common,
      name: 'hostpath',
      image: driverImage,
      // The container outlives the driver, so that a dead driver stays dead until its pod is replaced.
      command: ['/bin/sh', '/bin/keep', '/bin/hostpathplugin'],
      args: [
        `--drivername=${driver}`,
        `--endpoint=unix://${home}/${isDirect === true ? 'csi' : 'driver'}.sock`,
        `--nodeid=${node}`,
        `--statedir=${state}`,
        '--enable-attach=true',
        '--v=4',
        ...words,
      ],
      volumeMounts: [
        { name: 'kubelet', mountPath: root, mountPropagation: 'Bidirectional' },
        { name: 'volumes', mountPath: state },
      ],
    },
    {
      ...common,
      name: 'node-driver-registrar',
      image: registrarImage,
      command: ['/bin/node', '/sidecar/registrar.ts'],
      args: [
        `--csi-address=${home}/csi.sock`,
        `--kubelet-registration-path=${announced ?? `${home}/csi.sock`}`,
        `--plugin-registration-path=${root}/plugins_registry`,
      ],
      volumeMounts: [{ name: 'kubelet', mountPath: root }],
    },
  ];
}

export function pluginVolumes({ root, state }: PluginPlace): readonly Fields[] {
  return [
    { name: 'kubelet', hostPath: { path: root, type: 'Directory' } },
    { name: 'volumes', hostPath: { path: state, type: 'DirectoryOrCreate' } },
  ];
}

/** The node plugin as it is deployed: a DaemonSet. */
export class PluginSet {
  readonly #api: Api;
  readonly #object: KubernetesObject;

  private constructor(api: Api, object: KubernetesObject) {
    this.#api = api;
    this.#object = object;
  }

  static async start(place: PluginPlace, namespace: string, api: Api): Promise<PluginSet> {
    const set = new PluginSet(api, daemonSetOf(place, namespace));
    await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await until('the default service account', 30, () =>
      api.get({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }),
    );
    await api.apply(set.#object);
    return set;
  }

  /** Keeps its pods off the node, as a selector with a label that the node does not have does. */
  async leaveNode(label: string): Promise<void> {
    await this.#api.patch(this.#object, {
      spec: { template: { spec: { nodeSelector: { [label]: 'yes' } } } },
    });
  }

  /** Rolls out the plugin with other words. */
  async rollOut(place: PluginPlace): Promise<void> {
    await this.#api.apply(daemonSetOf(place, this.#object.metadata.namespace ?? ''));
  }

  /** Rolls out another image of the driver, which need not exist. */
  async setImage(image: string): Promise<void> {
    await this.#api.call(
      'PATCH',
      pathTo(this.#object),
      { spec: { template: { spec: { containers: [{ name: 'hostpath', image }] } } } },
      'application/strategic-merge-patch+json',
    );
  }

  async stop(): Promise<void> {
    await this.#api.remove(this.#object);
    await until('the pod of the node plugin to be gone', 60, async () =>
      (await this.#api.list('v1', 'Pod', this.#object.metadata.namespace)).every(
        ({ metadata }) =>
          (metadata['labels'] as Record<string, string> | undefined)?.['app'] !== this.#object.metadata.name,
      ),
    );
  }
}

function daemonSetOf(place: PluginPlace, namespace: string): KubernetesObject {
  const name = `csi-${place.driver.split('.')[0]}-node`;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          // Without a grace period the pod is gone from the API before its containers are.
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          nodeSelector: { 'kubernetes.io/hostname': place.node },
          containers: pluginContainers(place),
          volumes: pluginVolumes(place),
        },
      },
    },
  };
}

/** The processes of a driver in a pod. */
export function pluginProcesses(driver: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').split('\0');
        return words[0] === '/bin/hostpathplugin' && words.includes(`--drivername=${driver}`);
      } catch {
        return false;
      }
    });
}
