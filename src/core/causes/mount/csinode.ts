import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';

/** A node with its CSINode, both of which exist. */
export interface NodeWithCsiNode {
  readonly ask: Inquiry;
  readonly csiNode: CsiNode;
  readonly node: Node;
}

export function findCsiNode(ask: Inquiry, name: string): NodeWithCsiNode | undefined {
  const csiNode = ask.get('CSINode', undefined, name, `which drivers are registered on ${name}`);
  if (csiNode.state !== 'found') return undefined;
  const node = ask.get('Node', undefined, name, `whether node ${name} is up`);
  return node.state === 'found' ? { ask, csiNode: csiNode.object, node: node.object } : undefined;
}

/** Only while the pod waits: advice about the node of a running pod would be noise. */
export function findCsiNodeOfPod(p: PodCase): NodeWithCsiNode | undefined {
  const name = p.pod.spec?.nodeName;
  return name && !hasMountedVolumes(p.pod) ? findCsiNode(p.ask, name) : undefined;
}

export function registeredDrivers({ spec }: CsiNode): string[] {
  return (spec?.drivers ?? []).flatMap(({ name }) => name ?? []);
}

export function driversText(csiNode: CsiNode): string {
  return registeredDrivers(csiNode).join(', ') || 'none';
}
