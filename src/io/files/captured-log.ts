import type { ContainerLog } from '../../core/kube/container-log.ts';

const states: ReadonlySet<unknown> = new Set(['complete', 'denied', 'missing', 'failed']);

/** A log as a capture holds it; undefined for anything else. */
export function containerLogIn(value: unknown): ContainerLog | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { namespace, pod, container, previous, state, message, lines, since, isCut } = value as Record<string, unknown>;
  if (typeof namespace !== 'string' || typeof pod !== 'string' || typeof container !== 'string') return undefined;
  if (!states.has(state) || !Array.isArray(lines)) return undefined;
  return {
    namespace,
    pod,
    container,
    ...(previous === true && { previous }),
    state: state as ContainerLog['state'],
    ...(typeof message === 'string' && { message }),
    lines: lines.filter((line) => typeof line === 'string'),
    ...(typeof since === 'string' && { since }),
    ...(isCut === true && { isCut }),
  };
}
