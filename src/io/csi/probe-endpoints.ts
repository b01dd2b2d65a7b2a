import { stat } from 'node:fs/promises';
import type { ProbeItem } from '../../core/report/probe-report.ts';
import { within } from './deadline.ts';
import { looksLikeRegistration, showEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { verdictOf } from './failure-words.ts';
import { loadClient, probeEndpoint } from './probe-endpoint.ts';
import type { ProbeOptions } from './probe-endpoint.ts';
import { driverBehind } from './registration.ts';

/**
 * Enough that some hanging endpoints do not hold up the rest, and few enough that this process does not slow down the
 * answers.
 */
const atOnce = 128;

interface Task {
  readonly endpoint: Endpoint;
  readonly asDriver: boolean;
}

/** All endpoints in the given order, and the drivers behind the registration sockets among them. */
export async function probeEndpoints(endpoints: readonly Endpoint[], options: ProbeOptions): Promise<ProbeItem[]> {
  const tasks: Task[] = [];
  const known = new Set<string>();
  const add = (task: Task): void => {
    const key = `${showEndpoint(task.endpoint)} ${!task.asDriver && looksLikeRegistration(task.endpoint) ? 'registration' : 'csi'}`;
    if (known.has(key)) return;
    known.add(key);
    tasks.push(task);
  };
  for (const endpoint of endpoints) add({ endpoint, asDriver: false });
  // With several endpoints, loading gRPC for one would cost the others time.
  if (endpoints.length > 1 && (await within(anySocket(endpoints), options.timeoutMs, false))) await loadClient();
  const items: ProbeItem[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const index = next;
      next += 1;
      const { endpoint, asDriver } = tasks[index] as Task;
      const item = await probeEndpoint(endpoint, { ...options, ...(asDriver && { asDriver }) });
      items[index] = item;
      const behind = driverBehind(item);
      // A driver may register itself on its own socket: then that is probed twice, once for each service.
      if (behind !== undefined) add({ endpoint: behind, asDriver: true });
    }
  };
  // A worker that found no more tasks has ended when another one adds some, so they are started again until none is
  // left.
  while (next < tasks.length) await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length - next) }, work));
  return comparedNames(items);
}

/** What does not exist or is no socket is reported without gRPC. */
function anySocket(endpoints: readonly Endpoint[]): Promise<boolean> {
  const sockets = endpoints.map(async (endpoint) => {
    if (endpoint.type === 'unix' && !(await stat(endpoint.path)).isSocket()) throw new Error('no socket');
    return true;
  });
  return Promise.any(sockets).catch(() => false);
}

/**
 * Kubelet identifies the driver by the name in its registration and mounts volumes by it, even if the driver answers
 * another name later.
 */
function comparedNames(items: readonly ProbeItem[]): ProbeItem[] {
  const registered = new Map<string, string>();
  for (const item of items) {
    const behind = driverBehind(item);
    if (behind !== undefined && item.registration !== undefined && item.registration.name !== '')
      registered.set(showEndpoint(behind), item.registration.name);
  }
  return items.map((item) => {
    const name = registered.get(item.endpoint);
    if (
      item.protocol !== 'csi' ||
      name === undefined ||
      item.driver === undefined ||
      item.driver === name ||
      (item.status !== 'ready' && item.status !== 'initialising')
    )
      return item;
    return {
      ...item,
      ...verdictOf(
        { failure: 'name-mismatch', detail: `it reports ${item.driver}, but its registration reports ${name}` },
        { type: 'unix', path: item.endpoint.slice('unix://'.length) },
      ),
    };
  });
}
