import type { Pod } from '../../../kube/kinds.ts';

/** What drain and the controllers do with a pod that has to leave. */
export type Ownership = 'daemon' | 'static' | 'over' | 'bare' | 'recreated';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

export function ownershipOf(pod: Pod): Ownership {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 'over';
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static';
  const owner = controllerOf(pod);
  if (owner?.kind === 'Node') return 'static';
  if (owner?.kind === 'DaemonSet') return 'daemon';
  return owner ? 'recreated' : 'bare';
}

export function controllerOf(
  pod: Pod,
): { readonly kind: string; readonly name: string; readonly uid?: string } | undefined {
  const owner = (pod.metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  return owner?.kind !== undefined && owner.name !== undefined
    ? { kind: owner.kind, name: owner.name, ...(owner.uid !== undefined && { uid: owner.uid }) }
    : undefined;
}

export function isSetPod(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'StatefulSet';
}
