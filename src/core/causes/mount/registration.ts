import { findNodePlugin, lists } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import type { CsiNode, Node, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { findDown, isRecent, isSettled, findUnready, refusedRegistrar } from './plugin-health.ts';

const youngNodeSeconds = 120;

/** What somebody said of the registration: the kubelet in an event, the attacher in an attachment. */
export interface Saying {
  readonly what: 'unregistered' | 'noCsiNode';
  readonly evidence: Evidence;
}

/**
 * absent: the node has no pod of the driver. unhealthy: it has one that does not run. refused: the kubelet does not take
 * the registration. quiet: all runs, and the kubelet does not know of it.
 */
export type Trouble = 'absent' | 'unhealthy' | 'refused' | 'quiet';

export interface RegistrationOptions {
  readonly isMounting?: boolean;
  readonly isNeeded?: boolean;
  readonly said?: Saying | undefined;
  /** The volume of an in-tree plugin for which the driver is needed. */
  readonly inTree?: Volume | undefined;
  /** Where its pods were found already. */
  readonly plugin?: NodePlugin;
}

/** One driver on one node: whether the kubelet knows it, and what should have told it. */
export class Registration {
  readonly ask: Inquiry;
  readonly driver: string;
  readonly node: string;
  /** A volume is to be mounted now: then a name in a CSINode is not enough, somebody has to answer. */
  readonly isMounting: boolean;
  /** Something asks for it there; else it is only usual to have it. */
  readonly isNeeded: boolean;
  readonly said: Saying | undefined;
  /** A volume that the driver serves though it was made for the in-tree plugin. */
  readonly inTree: Volume | undefined;
  #plugin: NodePlugin | undefined;
  #trouble: { readonly found: Trouble | undefined } | undefined;

  constructor(ask: Inquiry, driver: string, node: string, options: RegistrationOptions = {}) {
    this.ask = ask;
    this.driver = driver;
    this.node = node;
    this.isMounting = options.isMounting ?? false;
    this.isNeeded = options.isNeeded ?? true;
    this.said = options.said;
    this.inTree = options.inTree;
    this.#plugin = options.plugin;
  }

  get nodeObject(): Lookup<Node> {
    return this.ask.get('Node', undefined, this.node, `whether node ${this.node} is up`);
  }

  get csiNode(): Lookup<CsiNode> {
    const lookup = this.ask.get('CSINode', undefined, this.node, `which drivers are registered on ${this.node}`);
    // A server that is too old for the kind says nothing about the node.
    return lookup.state === 'missing' &&
      this.ask.graph.coverage.of('CSINode', { name: this.node }).state === 'absentApi'
      ? { state: 'unknown' }
      : lookup;
  }

  get isReady(): boolean | undefined {
    const { nodeObject } = this;
    const ready = nodeObject.state === 'found' ? conditionOf(nodeObject.object.status?.conditions, 'Ready') : undefined;
    return ready && ready.status === 'True';
  }

  get isRegistered(): boolean | undefined {
    const { csiNode } = this;
    return csiNode.state === 'found' ? lists(csiNode.object, this.driver) : undefined;
  }

  get plugin(): NodePlugin {
    this.#plugin ??= findNodePlugin(this.ask, this.driver, this.node);
    return this.#plugin;
  }

  /** The pod to speak of: on a node with several the one that is worst off. */
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

  get about(): string {
    return `${this.driver}/${this.node}`;
  }

  get trouble(): Trouble | undefined {
    this.#trouble ??= { found: this.#judge() };
    return this.#trouble.found;
  }

  /** In the order of G7: the node and its CSINode have to be sound before a driver is blamed. */
  #judge(): Trouble | undefined {
    const { isRegistered, said, ask } = this;
    if (this.csiNode.state === 'missing' || this.isReady === false || this.nodeObject.state === 'missing')
      return undefined;
    if (isRegistered === true && !this.isMounting) return undefined;
    if (isRegistered === undefined && said?.what !== 'unregistered') return undefined;
    const { pods, sets } = this.plugin;
    if (pods.items.length === 0) {
      if (isRegistered === true) return pods.complete && sets.items.length > 0 ? 'absent' : undefined;
      const isNew =
        this.nodeObject.state === 'found' &&
        isRecent(this.nodeObject.object.metadata.creationTimestamp, ask.now, youngNodeSeconds);
      return isNew ? undefined : 'absent';
    }
    if (pods.items.every((pod) => findDown(pod, ask.now))) return 'unhealthy';
    if (isRegistered === true) return undefined;
    if (pods.items.some((pod) => refusedRegistrar(pod, ask.now))) return 'refused';
    if (pods.items.every((pod) => findDown(pod, ask.now) ?? findUnready(pod, ask.now))) return 'unhealthy';
    return isRegistered === false && pods.items.some((pod) => isSettled(pod, ask.now)) ? 'quiet' : undefined;
  }
}
