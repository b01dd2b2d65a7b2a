import type { Pod } from '../../../kube/kinds.ts';
import { milliOf } from '../../../kube/quantity.ts';
import { requestsOf } from '../../../facts/node/node-fit.ts';
import type { PodCase } from '../../../facts/pod/pod-case.ts';
import { driversOf } from '../../../facts/volume/volume-slots.ts';

/** What a pod takes from the node that it runs on. */
export interface Demand {
  readonly subject: PodCase;
  /** The node that it leaves. */
  readonly from: string | undefined;
  readonly takes: Taking;
  /** Equal for pods that take the same amounts. */
  readonly signature: string;
}

export interface Taking {
  /** Thousandths of each resource. */
  readonly requests: ReadonlyMap<string, number>;
  /** Names of volumes by driver. */
  readonly volumes: ReadonlyMap<string, readonly string[]>;
  /** `TCP 0.0.0.0 80` of each host port. */
  readonly ports: readonly string[];
}

export function demandOf(subject: PodCase, from?: string): Demand {
  const volumes = driversOf(subject);
  const takes = { requests: milliRequestsOf(subject.pod), volumes, ports: hostPortsOf(subject.pod) };
  const counts = [...volumes].map(([driver, names]) => `${driver}=${names.length}`).sort();
  const amounts = [...takes.requests].map(([name, amount]) => `${name}=${amount}`).sort();
  return { subject, from, takes, signature: [...amounts, ...counts, ...takes.ports].join(',') };
}

const milliByText = new Map<string, number>();
const mostTexts = 10_000;

/** The same few amounts are requested again and again. */
function milliOnce(text: string): number {
  const known = milliByText.get(text);
  if (known !== undefined) return known;
  const milli = milliOf(text);
  if (milliByText.size < mostTexts) milliByText.set(text, milli);
  return milli;
}

const requestsByPod = new WeakMap<Pod, ReadonlyMap<string, number>>();

export function milliRequestsOf(pod: Pod): ReadonlyMap<string, number> {
  let requests = requestsByPod.get(pod);
  if (!requests) {
    requests = new Map([...requestsOf(pod)].map(([name, amount]) => [name, milliOnce(amount)]));
    requestsByPod.set(pod, requests);
  }
  return requests;
}

export function allocatableOf(allocatable: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(Object.entries(allocatable ?? {}).map(([name, amount]) => [name, milliOnce(amount)]));
}

/** Ports of the node, which two pods cannot share (NodePorts). */
export function hostPortsOf(pod: Pod): string[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort === undefined || hostPort === 0 ? [] : [`${protocol ?? 'TCP'} ${hostIP ?? '0.0.0.0'} ${hostPort}`],
    ),
  );
}
