import type { Pod } from '../../../kube/kinds.ts';
import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { plainRef } from './future.ts';
import type { Future } from './future.ts';
import { attachedClaims } from './waits.ts';

/** A volume that one node at a time can have, and that several pods use: they only work on the same node. */
export function judgeSharedVolumes(f: Future): void {
  const split = new Map<
    string,
    {
      readonly claim: { readonly kind: string; readonly metadata: { readonly name: string } };
      readonly pods: Pod[];
      readonly stays: Pod[];
    }
  >();
  for (const { pod, returns } of f.departures) {
    if (!returns) continue;
    for (const claim of attachedClaims(f, pod)) {
      const { namespace = '', name } = claim.metadata;
      const users = f.before.graph.podsUsing({ namespace, name }).filter((user) => !isTerminated(user));
      if (users.length < 2) continue;
      const key = `${namespace}/${name}`;
      const known = split.get(key) ?? { claim, pods: [], stays: users.filter((user) => !leaves(f, user)) };
      known.pods.push(pod);
      split.set(key, known);
    }
  }
  for (const { claim, pods, stays } of split.values())
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      cause: 'attach-rwo-held-by-running-pod',
      confidence: 'possible',
      summary:
        stays.length > 0
          ? `pvc/${claim.metadata.name} can be on one node at a time, and pod/${stays[0]?.metadata.name ?? ''} keeps ` +
            `it on ${stays[0]?.spec?.nodeName ?? 'its node'}. The pods that leave could only start there.`
          : `pvc/${claim.metadata.name} can be on one node at a time, and ${pods.length} pods that use it may be ` +
            'placed on different nodes. Only those on one node would start.',
      objects: pods.map(plainRef),
    });
}

function leaves(f: Future, { metadata }: Pod): boolean {
  return f.departures.some(
    ({ pod }) => pod.metadata.namespace === metadata.namespace && pod.metadata.name === metadata.name,
  );
}
