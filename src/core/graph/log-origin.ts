import type { KubeEvent } from '../kube/kinds.ts';
import type { LogName } from '../kube/container-log.ts';

/** The line of a log in the form of an event: what a component logged is judged as what it reports. */
export interface LogOrigin extends LogName {
  readonly line: string;
  readonly at: string;
}

const origins = new WeakMap<KubeEvent, LogOrigin>();

/** Marks an event that was never recorded by the API server. */
export function markLogged(event: KubeEvent, origin: LogOrigin): KubeEvent {
  origins.set(event, origin);
  return event;
}

export function originOf(event: KubeEvent): LogOrigin | undefined {
  return origins.get(event);
}
