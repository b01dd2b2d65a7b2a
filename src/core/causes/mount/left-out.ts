import type { PodCase } from '../../facts/pod/pod-case.ts';
import { mountFailuresOf } from './mount-failure.ts';

const longSeconds = 130;

/**
 * A dump without any object of a kind may come from a cluster that has none, or the kind was not dumped. That counts as
 * a hint only where the kubelet has been silent for long, or where no event of the pod is left.
 */
export function isLeftOut(p: PodCase, kind: 'Secret' | 'CSIDriver'): boolean {
  const { state, message } = p.ask.graph.coverage.of(kind, {});
  return (
    state === 'unread' &&
    message !== undefined &&
    (p.ageSeconds > longSeconds || p.events.items.length === 0) &&
    mountFailuresOf(p).length === 0
  );
}
