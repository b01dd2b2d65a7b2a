import type { Inquiry } from '../../graph/inquiry.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Pod } from '../../kube/kinds.ts';
import { isTerminated } from '../pod/pod-state.ts';

/** A pod on a node that keeps a volume slot used, and the claim through which it does. */
export interface SlotHolder {
  readonly pod: Pod;
  readonly claim: string;
  readonly node: string;
}

/** One holder is enough for a fix, and the pods of a node may use a hundred claims: no more are read than these. */
const mostRead = 10;

/**
 * Pods on a node that use a volume for which `holds` is true. They are read as one narrow list, their claims by name.
 */
export function holdersOnNode(ask: Inquiry, node: string, holds: (volume: string) => boolean): SlotHolder[] {
  let unread = 0;
  const usesOne = (namespace: string | undefined, name: string): boolean => {
    const isSeen = ask.graph.find('PersistentVolumeClaim', namespace, name) !== undefined;
    if (!isSeen) unread += 1;
    if (unread > mostRead) return false;
    const claim = ask.get('PersistentVolumeClaim', namespace, name, `which pod uses a volume slot of ${node}`);
    const volume = claim.state === 'found' ? claim.object.spec?.volumeName : undefined;
    return volume !== undefined && holds(volume);
  };
  return ask
    .podsOnNode(node)
    .items.filter((pod) => !isTerminated(pod))
    .flatMap((pod) => {
      const claim = claimNamesOf(pod).filter((name) => usesOne(pod.metadata.namespace, name))[0];
      return claim === undefined ? [] : [{ pod, claim, node }];
    });
}
