import type { PodCase } from '../../facts/pod/pod-case.ts';
import { mountFailuresOf } from './mount-failure.ts';

const longSeconds = 130;

/**
 * A dump that holds no object of a kind was perhaps taken where there was none, perhaps nobody asked for it. That
 * weighs little: only where the kubelet has said nothing for long, or nothing of what it said is left.
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
