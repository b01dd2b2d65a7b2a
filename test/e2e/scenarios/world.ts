import { ApiError } from '../cluster/api.ts';
import type { Api, KubernetesObject } from '../cluster/api.ts';
import { BareNode } from '../cluster/bare-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { shellImage } from '../cluster/images.ts';
import { until } from '../cluster/until.ts';
import type { Driver, DriverOptions } from '../storage/driver.ts';
import type { Fault } from '../storage/faults.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a scenario works with: a namespace of its own, and a memory of all it made outside of it. */
export class World {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** What the breaking leaves for the healing to do. */
  mend: () => unknown = () => {};
  /** Told of each object just before it is made. */
  beforeMaking: (object: KubernetesObject) => Promise<void> = () => Promise.resolve();
  /** What to ask about, where its name is known only now. */
  target: string | undefined;
  /** What it made outside of its namespace, by kind and name. */
  readonly made = new Set<string>();
  readonly #undo: (() => Promise<unknown>)[] = [];

  constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  get api(): Api {
    return this.cluster.api;
  }

  async open(): Promise<void> {
    await this.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    await until('the default service account', 30, () => this.api.get(this.object('v1', 'ServiceAccount', 'default')));
  }

  /** Removes what was made; what hangs in the namespace goes with the cluster. */
  async close(): Promise<void> {
    for (const pod of await this.api.list('v1', 'Pod', this.namespace)) await this.api.remove(pod, 0);
    await this.api.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    // What a fix has done to the nodes that all share.
    for (const name of ['node-a', 'node-b'])
      await this.api.patch(
        { apiVersion: 'v1', kind: 'Node', metadata: { name } },
        { metadata: { labels: { [this.nodeLabel]: null } }, spec: { unschedulable: null } },
      );
    // What a fix keeps, or makes by hand for a claim.
    for (const volume of await this.api.list('v1', 'PersistentVolume')) {
      const { claimRef, persistentVolumeReclaimPolicy } = volume['spec'];
      if (claimRef?.namespace === this.namespace && persistentVolumeReclaimPolicy === 'Retain')
        await this.api.remove(volume);
    }
  }

  /** A label that no node has, of this scenario alone. */
  get nodeLabel(): string {
    return `e2e.test/${this.namespace}`;
  }

  later(undo: () => Promise<unknown>): void {
    this.#undo.push(undo);
  }

  object(apiVersion: string, kind: string, name: string): KubernetesObject {
    return { apiVersion, kind, metadata: { name, namespace: this.namespace } };
  }

  /** Makes an object; what has no namespace is removed in the end. */
  async make(object: KubernetesObject): Promise<KubernetesObject> {
    await this.beforeMaking(object);
    const made = await this.api.create(object);
    if (object.metadata.namespace === undefined) {
      this.made.add(`${object.kind}/${object.metadata.name}`);
      this.later(() => this.api.remove(object));
    }
    return made;
  }

  claim(
    name: string,
    storageClassName: string | undefined,
    spec: Fields = {},
    size = '1Gi',
  ): Promise<KubernetesObject> {
    return this.make(this.claimObject(name, storageClassName, spec, size));
  }

  claimObject(name: string, storageClassName: string | undefined, spec: Fields = {}, size = '1Gi'): KubernetesObject {
    return {
      ...this.object('v1', 'PersistentVolumeClaim', name),
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        ...(storageClassName !== undefined && { storageClassName }),
        ...spec,
      },
    };
  }

  /** A pod that sleeps with the claims mounted. */
  pod(name: string, claims: readonly string[], spec: Fields = {}): Promise<KubernetesObject> {
    return this.make({ ...this.object('v1', 'Pod', name), spec: { ...this.podSpec(claims), ...spec } });
  }

  podSpec(claims: readonly string[]): Fields & { readonly volumes: readonly Fields[] } {
    return {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [
        {
          name: 'app',
          image: shellImage,
          imagePullPolicy: 'Never',
          command: ['/bin/sleep', '1000000'],
          volumeMounts: claims.map((claim) => ({ name: claim, mountPath: `/${claim}` })),
        },
      ],
      volumes: claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } })),
    };
  }

  storageClass(name: string, provisioner: string, fields: Fields = {}): Promise<KubernetesObject> {
    return this.make({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      ...fields,
    });
  }

  /** A volume made by hand. */
  volume(name: string, storageClassName: string, spec: Fields = {}, metadata: Fields = {}): Promise<KubernetesObject> {
    const object: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, ...metadata },
      spec: {
        storageClassName,
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: `${this.cluster.directory}/by-hand/${name}`, type: 'DirectoryOrCreate' },
        ...spec,
      },
    };
    return this.make(object);
  }

  /** A class of volumes that are made by hand, so that no other scenario's volumes are candidates. */
  manualClass(name: string, volumeBindingMode = 'Immediate'): Promise<KubernetesObject> {
    return this.storageClass(name, 'kubernetes.io/no-provisioner', { volumeBindingMode });
  }

  async driver(options: DriverOptions): Promise<Driver> {
    this.made.add(`CSIDriver/${options.name}`);
    const driver = await this.cluster.startDriver(options);
    this.later(async () => {
      await driver.stop();
      await this.api.remove({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: options.name } });
    });
    return driver;
  }

  /** The main driver refuses a call, for claims of this namespace or for what else the request must hold, until it is mended. */
  refuse(method: string, code: number, message: string, within = this.namespace, unless?: string | Buffer): void {
    const { faults } = this.cluster.driver;
    const fault: Fault = { method, code, message, within, ...(unless !== undefined && { unless }) };
    faults.add(fault);
    this.mend = () => {
      faults.delete(fault);
    };
    this.later(() => Promise.resolve(faults.delete(fault)));
  }

  /** A claim of the main driver that is bound, and its volume. */
  async boundClaim(name: string, storageClassName = 'fast-immediate', spec: Fields = {}): Promise<KubernetesObject> {
    await this.claim(name, storageClassName, spec);
    const claim = await this.bound(name);
    const volume = await this.api.get({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: claim['spec'].volumeName },
    });
    if (volume === undefined) throw new Error(`claim ${name} is bound to a volume that does not exist`);
    return volume;
  }

  /** A class for a driver of the scenario's own. */
  async ownDriver(
    options: DriverOptions,
    fields: Fields = {},
  ): Promise<{ readonly driver: Driver; readonly storageClassName: string }> {
    const driver = await this.driver(options);
    const storageClassName = `e2e-${options.name.split('.')[0]}`;
    await this.storageClass(storageClassName, options.name, fields);
    return { driver, storageClassName };
  }

  /** The same, with its sidecars in a Deployment, as drivers are installed. */
  deployedDriver(
    options: DriverOptions,
    fields: Fields = {},
  ): Promise<{ readonly driver: Driver; readonly storageClassName: string }> {
    return this.ownDriver({ ...options, deployedIn: `${this.namespace}-driver` }, fields);
  }

  /** A node without a kubelet, of the scenario's own. */
  async bareNode(name: string): Promise<BareNode> {
    this.made.add(`Node/${name}`);
    const node = await BareNode.create(name, 'zone-c', this.api);
    this.later(() => node.remove());
    return node;
  }

  until<T>(what: string, seconds: number, ask: () => Promise<T | undefined | false>): Promise<T> {
    return until(what, seconds, ask);
  }

  /** Until the claim or pod is in a phase. */
  phase(kind: 'PersistentVolumeClaim' | 'Pod', name: string, phase: string, seconds = 60): Promise<KubernetesObject> {
    return until(`${kind} ${name} to be ${phase}`, seconds, async () => {
      const object = await this.api.get(this.object('v1', kind, name));
      return object?.['status']?.phase === phase ? object : undefined;
    });
  }

  bound(name: string): Promise<KubernetesObject> {
    return this.phase('PersistentVolumeClaim', name, 'Bound');
  }
  running(name: string): Promise<KubernetesObject> {
    return this.phase('Pod', name, 'Running');
  }

  /** Until a controller has said something of an object: an event with this reason, and a text if one is given. */
  event(object: string, reason: string, text = '', seconds = 60): Promise<KubernetesObject> {
    return until(`an event ${reason} on ${object}`, seconds, async () =>
      (await this.api.list('v1', 'Event', this.namespace)).find(
        (event) =>
          event['involvedObject'].name === object &&
          event['reason'] === reason &&
          String(event['message']).includes(text),
      ),
    );
  }

  /** As if they had expired. Returns what was there. */
  async forgetEvents(): Promise<readonly KubernetesObject[]> {
    const events = await this.api.list('v1', 'Event', this.namespace);
    await this.api.call('DELETE', `/api/v1/namespaces/${this.namespace}/events`);
    return events;
  }

  /** Puts events back. */
  async recallEvents(events: readonly KubernetesObject[]): Promise<void> {
    for (const { metadata, ...event } of events) {
      const { name, namespace } = metadata;
      await this.api
        .create({ ...event, metadata: { name, ...(namespace !== undefined && { namespace }) } } as KubernetesObject)
        .catch(async (error: unknown) => {
          if (!(error instanceof ApiError && error.code === 409)) throw error;
          // It was written again as if it were new.
          const { firstTimestamp } = event as { readonly firstTimestamp?: string };
          await this.api.patch(this.object('v1', 'Event', name), { firstTimestamp });
        });
    }
  }

  /** Until the scheduler has refused the pod. */
  unschedulable(name: string, text = ''): Promise<KubernetesObject> {
    return until(`the scheduler to refuse pod ${name}`, 60, async () => {
      const pod = await this.api.get(this.object('v1', 'Pod', name));
      const conditions = pod?.['status']?.conditions as
        { type: string; status: string; message?: string }[] | undefined;
      return conditions?.some(
        (condition) =>
          condition.type === 'PodScheduled' && condition.status === 'False' && (condition.message ?? '').includes(text),
      ) === true
        ? pod
        : undefined;
    });
  }

  remove(apiVersion: string, kind: string, name: string): Promise<void> {
    return this.api.remove(this.object(apiVersion, kind, name), kind === 'Pod' ? 0 : undefined);
  }

  async gone(apiVersion: string, kind: string, name: string): Promise<void> {
    await until(
      `${kind} ${name} to be gone`,
      60,
      async () => (await this.api.get(this.object(apiVersion, kind, name))) === undefined || undefined,
    );
  }
}
