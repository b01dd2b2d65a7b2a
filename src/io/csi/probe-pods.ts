import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { RouteResult } from './cluster-words.ts';
import { eachOf } from './each-of.ts';
import type { PodName } from './pod-conversation.ts';
import { whyNoProbePod } from './probe-place.ts';
import type { PlaceOptions } from './probe-place.ts';
import { probeContainer, probeLabel, probePod, socketInPod, startProbePod, whyNoPodAllowed } from './probe-pod.ts';
import type { ProbePodOptions } from './probe-pod.ts';
import { askThroughExec } from './route-exec.ts';
import { isPlainPath } from './tunnel-command.ts';
import type { Ways } from './ways.ts';

interface PodRunOptions {
  readonly image: string;
  /** Absent: the namespace of the driver, where such pods are allowed already. */
  readonly namespace?: string | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Prints what will be done before it is done. */
  readonly announce: (lines: readonly string[]) => Promise<void>;
}

interface NodeTask {
  readonly node: string;
  readonly namespace: string;
  readonly places: readonly DriverPlace[];
  readonly directories: readonly string[];
}

type Results = Map<DriverPlace, RouteResult>;

/** How long a probe pod may take to start. */
const startMs = 60_000;
/** With more nodes than this, the announcement counts the others. */
const mostNamed = 20;

/**
 * One pod on each node with a driver that has not answered yet, and what came of it, by place. All pods are deleted at
 * the end.
 */
export async function askFromPods(
  answers: ReadonlyMap<DriverPlace, readonly RouteResult[]>,
  ways: Ways,
  options: PlaceOptions,
  run: PodRunOptions,
): Promise<Results> {
  const results: Results = new Map();
  const wanted: DriverPlace[] = [];
  for (const [place, told] of answers) {
    const why = whyNoProbePod(place, told) ?? whyNoTunnel(place);
    if (why === undefined) wanted.push(place);
    else results.set(place, { route: { via: 'pod', outcome: 'impossible', note: why } });
  }
  const tasks = await allowedOf(tasksOf(wanted, run.namespace), ways, results);
  if (tasks.length === 0) return results;
  await run.announce(announcement(tasks, run.image));
  const found = await new ProbePods(ways, options, run).askAll(tasks);
  for (const [place, result] of found) results.set(place, result);
  return results;
}

function whyNoTunnel({ hostSocket = '' }: DriverPlace): string | undefined {
  return isPlainPath(hostSocket)
    ? undefined
    : `the path of the socket, ${hostSocket}, has characters that are not safe in a command`;
}

/** The pods of one run: created one per node, entered, and deleted whatever happens. */
class ProbePods {
  readonly #ways: Ways;
  readonly #options: PlaceOptions;
  readonly #run: PodRunOptions;
  readonly #mark = randomBytes(4).toString('hex');
  readonly #alive = new Set<PodName>();

  constructor(ways: Ways, options: PlaceOptions, run: PodRunOptions) {
    this.#ways = ways;
    this.#options = options;
    this.#run = run;
  }

  async askAll(tasks: readonly NodeTask[]): Promise<Results> {
    const { signal, concurrency } = this.#run;
    const results: Results = new Map();
    // Ctrl-C leaves two seconds: the pods are deleted first, whatever else is under way.
    const onInterrupt = (): void => void this.#deleteOnInterrupt();
    signal.addEventListener('abort', onInterrupt, { once: true });
    try {
      await eachOf(tasks, concurrency, async (task, index) => {
        if (signal.aborted) return;
        for (const [place, result] of await this.#askTask(task, index)) results.set(place, result);
      });
    } finally {
      signal.removeEventListener('abort', onInterrupt);
      await this.#deleteAll();
    }
    return results;
  }

  async #askTask(task: NodeTask, index: number): Promise<[DriverPlace, RouteResult][]> {
    const pod = { namespace: task.namespace, name: `kubectl-csi-probe-${this.#mark}-${index}` };
    this.#alive.add(pod);
    try {
      return await this.#askNode(task, pod);
    } finally {
      // A pod that could not be deleted stays in the set, and is tried again at the end.
      if ((await this.#delete(pod)) === undefined) this.#alive.delete(pod);
    }
  }

  async #askNode(task: NodeTask, pod: PodName): Promise<[DriverPlace, RouteResult][]> {
    const podOptions: ProbePodOptions = { image: this.#run.image, run: this.#mark, startMs };
    const object = probePod(pod, task.node, task.directories, podOptions);
    const ready = await startProbePod(object, this.#ways, podOptions, this.#run.signal);
    if (ready.type === 'none') {
      const outcome = ready.isForbidden ? 'forbidden' : 'failed';
      const result: RouteResult = { route: { via: 'pod', outcome, note: ready.note } };
      return task.places.map((place) => [place, result]);
    }
    return Promise.all(
      task.places.map(async (place): Promise<[DriverPlace, RouteResult]> => {
        const socket = socketInPod(place.hostSocket ?? '', task.directories);
        const entrance = { via: 'pod', pod, container: probeContainer, socket } as const;
        return [place, await askThroughExec(place, entrance, this.#ways, this.#options)];
      }),
    );
  }

  async #deleteOnInterrupt(): Promise<void> {
    const count = this.#alive.size;
    if (count > 0)
      void this.#run.announce([`interrupted: deleting ${count === 1 ? 'the probe pod' : `${count} probe pods`}`]);
    await this.#deleteAll();
  }

  async #deleteAll(): Promise<void> {
    const deleted = await Promise.all([...this.#alive].map(async (pod) => ({ pod, failure: await this.#delete(pod) })));
    this.#alive.clear();
    const failed = deleted.filter(({ failure }) => failure !== undefined);
    if (failed.length > 0)
      await this.#run.announce(
        failed.map(
          ({ pod, failure = '' }) =>
            `the probe pod ${pod.namespace}/${pod.name} could not be deleted: ${failure}; ` +
            `kubectl -n ${pod.namespace} delete pod ${pod.name}`,
        ),
      );
  }

  /** Why it could not be deleted, or undefined. */
  async #delete(pod: PodName): Promise<string | undefined> {
    try {
      return (await this.#ways.remove(pod))?.message;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

/** Rights are checked before anything is announced or created; what is not allowed is answered with the reason. */
async function allowedOf(tasks: readonly NodeTask[], ways: Ways, results: Results): Promise<NodeTask[]> {
  const namespaces = [...new Set(tasks.map(({ namespace }) => namespace))];
  const reasons = new Map(
    await Promise.all(
      namespaces.map(async (namespace) => [namespace, await whyNoPodAllowed(ways, namespace)] as const),
    ),
  );
  return tasks.filter(({ namespace, places }) => {
    const reason = reasons.get(namespace);
    if (reason !== undefined) for (const place of places) results.set(place, reason);
    return reason === undefined;
  });
}

function tasksOf(places: readonly DriverPlace[], namespace: string | undefined): NodeTask[] {
  const groups = Map.groupBy(places, (place) => `${namespace ?? place.namespace ?? 'default'}/${place.node ?? ''}`);
  return [...groups.values()].map((group) => ({
    node: group[0]?.node ?? '',
    namespace: namespace ?? group[0]?.namespace ?? 'default',
    places: group,
    directories: [...new Set(group.map(({ hostSocket }) => posix.dirname(hostSocket ?? '')))],
  }));
}

function announcement(tasks: readonly NodeTask[], image: string): string[] {
  const nodes = tasks.map(({ node }) => node);
  const namespaces = [...new Set(tasks.map(({ namespace }) => namespace))];
  const directories = [...new Set(tasks.flatMap((task) => task.directories))];
  return [
    `creating ${tasks.length === 1 ? 'a pod' : `${tasks.length} pods`} in namespace ${namespaces.join(', ')} ` +
      `on ${firstOf(nodes, mostNamed)}, from image ${image}`,
    `  mounts ${firstOf(directories, 5)} read-only; deleted at the end, label ${probeLabel}`,
  ];
}

function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
