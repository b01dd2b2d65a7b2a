import type { Api } from './api.ts';

/** A node without a kubelet, kept alive by its lease and its status. No pod runs on it; the taint keeps those away that do not mean it. */
export class BareNode {
  readonly name: string;
  readonly #api: Api;
  readonly #timer: NodeJS.Timeout;
  readonly #since = `${new Date().toISOString().slice(0, 19)}Z`;

  private constructor(name: string, api: Api) {
    this.name = name;
    this.#api = api;
    this.#timer = setInterval(() => {
      void this.#renew().catch(() => {});
    }, 6000);
  }

  static async create(name: string, zone: string, api: Api): Promise<BareNode> {
    await api.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': zone },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      spec: { taints: [{ key: 'e2e/bare', value: 'true', effect: 'NoSchedule' }] },
    });
    const node = new BareNode(name, api);
    await node.#renew();
    // A kubelet without drivers makes one too.
    await api.apply({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers: [] } });
    return node;
  }

  async #renew(): Promise<void> {
    const now = new Date().toISOString();
    await this.#api.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: this.name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: this.name, leaseDurationSeconds: 40, renewTime: now.replace('Z', '000Z') },
    });
    await this.#api.patch(
      { apiVersion: 'v1', kind: 'Node', metadata: { name: this.name } },
      {
        status: {
          capacity: { cpu: '2', memory: '4Gi', pods: '110' },
          allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'KubeletReady',
              message: 'kubelet is posting ready status',
              lastHeartbeatTime: `${now.slice(0, 19)}Z`,
              lastTransitionTime: this.#since,
            },
          ],
        },
      },
      '/status',
    );
  }

  /** It has a driver with this node id, as far as its CSINode says. */
  async hasDriver(name: string, nodeID: string): Promise<void> {
    await this.#api.patch(
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: this.name } },
      { spec: { drivers: [{ name, nodeID, topologyKeys: [] }] } },
    );
  }

  /** It says that it has the volume mounted, so that nobody detaches it lightly. */
  async uses(volume: string): Promise<void> {
    await this.#api.patch(
      { apiVersion: 'v1', kind: 'Node', metadata: { name: this.name } },
      { status: { volumesInUse: [volume] } },
      '/status',
    );
  }

  async remove(): Promise<void> {
    clearInterval(this.#timer);
    await this.#api.remove({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: this.name } });
    await this.#api.remove({ apiVersion: 'v1', kind: 'Node', metadata: { name: this.name } });
  }

  /** It falls silent, as a machine that was switched off. */
  stop(): void {
    clearInterval(this.#timer);
  }
}
