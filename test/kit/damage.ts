import type { Kind } from '../../src/core/kube/kinds.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';

/** The snapshot with fields removed and replaced at random; names stay, so that the target is still there. */
export function damage(snapshot: Snapshot, seed: number): Snapshot {
  const random = generator(seed);
  const junk = [undefined, null, 0, -1, '', 'x', true, [], {}, [null], { a: 1 }, '9'.repeat(40)];
  const mutate = (value: unknown, depth: number): unknown => {
    if (random() < 0.04 && depth > 1) return junk[Math.floor(random() * junk.length)];
    if (Array.isArray(value)) return value.map((item) => mutate(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    const mutated: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value))
      mutated[key] = key === 'name' && depth === 1 ? item : mutate(item, depth + 1);
    return mutated;
  };
  return {
    ...snapshot,
    objects: snapshot.objects.map((object) => ({
      ...(mutate(object, 0) as RawObject),
      kind: object.kind as Kind,
      metadata: {
        ...(mutate(object.metadata, 1) as RawObject['metadata']),
        name: object.metadata.name,
        namespace: object.metadata.namespace as string,
      },
    })),
  };
}

/** Whether the target is a claim that the damaged snapshot still shows as Pending. */
export function isPendingClaim({ objects }: Snapshot, target: TargetRef): boolean {
  const claim = objects.find(
    ({ kind, metadata }) =>
      kind === target.kind && metadata.name === target.name && metadata.namespace === target.namespace,
  );
  const phase = (claim?.['status'] as { phase?: unknown } | undefined)?.phase;
  return target.kind === 'PersistentVolumeClaim' && phase === 'Pending';
}

/** The same numbers for the same seed. */
export function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
