import { findNodePlugin, lists } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import type { CsiNode, Node, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { findDown, findUnready, isRecent, isSettled, refusedRegistrar } from '../../facts/driver/plugin-health.ts';
import type { RegistrationError } from './registration-error.ts';

const youngNodeSeconds = 120;

/**
 * absent: the node has no pod of the driver. unhealthy: it has one that does not work. refused: the kubelet does not
 * accept the registration. quiet: everything runs, and the kubelet does not know the driver.
 */
export type Trouble = 'absent' | 'unhealthy' | 'refused' | 'quiet';

export interface RegistrationOptions {
  readonly isMounting?: boolean;
  readonly isNeeded?: boolean;
  readonly error?: RegistrationError | undefined;
  readonly inTree?: Volume | undefined;
  /** The operating system that the pod selects, which needs the driver. */
  readonly selectedOs?: string | undefined;
  /** Where its pods were found already. */
  readonly plugin?: NodePlugin;
}

/** One driver on one node: whether the kubelet knows it, and what should have registered it. */
export class Registration {
  readonly ask: Inquiry;
  readonly driver: string;
  readonly node: string;
  /** A volume is to be mounted now: then it is not enough that the CSINode lists the driver, it has to run. */
  readonly isMounting: boolean;
  /** Something on the node needs the driver; otherwise it is only usual to have it there. */
  readonly isNeeded: boolean;
  /** What the kubelet or the attacher reports about it. */
  readonly error: RegistrationError | undefined;
  /** A volume of an in-tree plugin that the driver serves, and for which it is needed. */
  readonly inTree: Volume | undefined;
  /** The operating system that the pod selects: on a node with another, it cannot run. */
  readonly selectedOs: string | undefined;
  #plugin: NodePlugin | undefined;
  #trouble: { readonly found: Trouble | undefined } | undefined;

  constructor(ask: Inquiry, driver: string, node: string, options: RegistrationOptions = {}) {
    this.ask = ask;
    this.driver = driver;
    this.node = node;
    this.isMounting = options.isMounting ?? false;
    this.isNeeded = options.isNeeded ?? true;
    this.error = options.error;
    this.inTree = options.inTree;
    this.selectedOs = options.selectedOs;
    this.#plugin = options.plugin;
  }

  get nodeObject(): Lookup<Node> {
    return this.ask.get('Node', undefined, this.node, `whether node ${this.node} is up`);
  }

  get csiNode(): Lookup<CsiNode> {
    const lookup = this.ask.get('CSINode', undefined, this.node, `which drivers are registered on ${this.node}`);
    if (lookup.state !== 'missing') return lookup;
    // On a server that is too old for CSINodes, a missing one says nothing about the node.
    const { state } = this.ask.graph.coverage.of('CSINode', { name: this.node });
    return state === 'absentApi' ? { state: 'unknown' } : lookup;
  }

  /** Undefined where nothing is known of the node. */
  get isReady(): boolean | undefined {
    const { nodeObject } = this;
    const ready = nodeObject.state === 'found' ? conditionOf(nodeObject.object.status?.conditions, 'Ready') : undefined;
    return ready && ready.status === 'True';
  }

  /** Undefined where the CSINode cannot be read. */
  get isRegistered(): boolean | undefined {
    const { csiNode } = this;
    return csiNode.state === 'found' ? lists(csiNode.object, this.driver) : undefined;
  }

  get plugin(): NodePlugin {
    this.#plugin ??= findNodePlugin(this.ask, this.driver, this.node);
    return this.#plugin;
  }

  /** The pod of the plugin; of several on the node, the one in the worst state. */
  get pod(): Pod | undefined {
    const { items } = this.plugin.pods;
    return (
      items.find((pod) => findDown(pod, this.ask.now)) ??
      items.find((pod) => refusedRegistrar(pod, this.ask.now)) ??
      items[0]
    );
  }

  /** The pod of a plugin that runs and has had time to register, though the kubelet does not know it. */
  get unseenPod(): Pod | undefined {
    return this.trouble === 'quiet' ? this.plugin.pods.items.find((pod) => isSettled(pod, this.ask.now)) : undefined;
  }

  get errorEvidence(): Evidence[] {
    return this.error ? [this.error.evidence] : [];
  }

  get about(): string {
    return `${this.driver}/${this.node}`;
  }

  get trouble(): Trouble | undefined {
    this.#trouble ??= { found: this.#isJudged() ? this.#judge() : undefined };
    return this.#trouble.found;
  }

  /** The node and its CSINode have to be sound before a driver is blamed. */
  #isJudged(): boolean {
    if (this.csiNode.state === 'missing' || this.isReady === false || this.nodeObject.state === 'missing') return false;
    switch (this.isRegistered) {
      case true:
        return this.isMounting;
      case false:
        return true;
      case undefined:
        return this.error?.kind === 'unregistered';
    }
  }

  #judge(): Trouble | undefined {
    const { isRegistered, ask } = this;
    const pods = this.plugin.pods.items;
    if (pods.length === 0) return this.#isAbsent() ? 'absent' : undefined;
    if (pods.every((pod) => findDown(pod, ask.now))) return 'unhealthy';
    if (isRegistered === true) return undefined;
    if (pods.some((pod) => refusedRegistrar(pod, ask.now))) return 'refused';
    if (pods.every((pod) => findDown(pod, ask.now) ?? findUnready(pod, ask.now))) return 'unhealthy';
    return isRegistered === false && pods.some((pod) => isSettled(pod, ask.now)) ? 'quiet' : undefined;
  }

  /**
   * No pod was found: where the CSINode lists the driver, that counts only if its DaemonSets are known and all pods
   * were seen.
   */
  #isAbsent(): boolean {
    const { pods, sets } = this.plugin;
    if (this.isRegistered === true) return pods.complete && sets.items.length > 0;
    const { nodeObject } = this;
    const isNew =
      nodeObject.state === 'found' &&
      isRecent(nodeObject.object.metadata.creationTimestamp, this.ask.now, youngNodeSeconds);
    return !isNew;
  }
}
