import type { RawObject } from '../../../kube/snapshot.ts';
import { namesNoClass, withDefaultClass, madeNew } from '../defaults.ts';
import { imaginedUid } from '../imagine.ts';
import { claimsOfPod, listOf, member, recordOf } from '../templates.ts';
import type { World } from '../world.ts';

/**
 * The pod as its controller creates it again: pending, without a node. Its name may change; the old one is kept for the
 * text.
 */
function replacementOf(pod: RawObject, world: World): RawObject {
  const { namespace, name } = pod.metadata;
  const { nodeName: _node, ...spec } = recordOf(pod['spec']);
  const metadata = Object.fromEntries(
    Object.entries(pod.metadata).filter(([key]) => !['deletionTimestamp', 'deletionGracePeriodSeconds'].includes(key)),
  );
  return {
    ...pod,
    metadata: { ...metadata, name, uid: imaginedUid('pod', namespace, name), creationTimestamp: world.madeAt },
    spec: {
      ...spec,
      ...(pod['spec'] !== undefined && { schedulerName: member(pod, 'spec', 'schedulerName') ?? 'default-scheduler' }),
    },
    status: { phase: 'Pending' },
  };
}

/**
 * Puts the replacement in the world, with new claims for its ephemeral volumes. The old claims are deleted with the old
 * pod.
 */
export function recreate(pod: RawObject, world: World): RawObject {
  const replacement = replacementOf(pod, world);
  world.put(replacement);
  world.noteNovelty(replacement);
  for (const { object } of claimsOfPod({ object: replacement, prefix: '' })) {
    const fresh = madeNew(object, world.madeAt);
    const uid = imaginedUid('pvc', object.metadata.namespace, object.metadata.name);
    const owned = { ...fresh, metadata: { ...fresh.metadata, uid } };
    const claim = namesNoClass(owned) ? withDefaultClass(owned, world.inquireBeside().seen('StorageClass')) : owned;
    world.put(claim);
    world.noteNovelty(claim);
  }
  return replacement;
}

/** Names of the claims that belong to the pod alone. */
export function ephemeralClaimsOf(pod: RawObject): string[] {
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume) => {
    const name = member(volume, 'name');
    return typeof name === 'string' && member(volume, 'ephemeral') !== undefined
      ? [`${pod.metadata.name}-${name}`]
      : [];
  });
}
