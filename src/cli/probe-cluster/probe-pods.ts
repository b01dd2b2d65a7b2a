import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { DriverPlace } from '../../core/report/driver-endpoints.ts';
import type { RouteResult } from '../../io/csi/cluster-words.ts';
import { whyNoProbePod } from '../../io/csi/probe-place.ts';
import type { PlaceOptions } from '../../io/csi/probe-place.ts';
import {
  probeContainer,
  probeLabel,
  probePod,
  socketInPod,
  startProbePod,
  whyNoPodAllowed,
} from '../../io/csi/probe-pod.ts';
import type { ProbePodOptions } from '../../io/csi/probe-pod.ts';
import { askThroughExec } from '../../io/csi/route-exec.ts';
import { isPlainPath } from '../../io/csi/tunnel-command.ts';
import type { PodName } from '../../io/csi/pod-conversation.ts';
import type { Ways } from '../../io/csi/ways.ts';
import { eachOf } from './each-of.ts';

export interface PodRunOptions {
  readonly image: string;
  /** Absent: the namespace of the driver, where such pods are allowed already. */
  readonly namespace?: string | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Tells what will be done before it is done. */
  readonly announce: (lines: readonly string[]) => Promise<void>;
}

interface NodeTask {
  readonly node: string;
  readonly namespace: string;
  readonly places: readonly DriverPlace[];
  readonly directories: readonly string[];
}

const startMs = 60_000;
/** All of them by name, unless somebody asked for very many. */
const mostNamed = 20;

/** One pod for each node with a driver that has not spoken yet; what came of it, by place. All pods are gone at the end. */
export async function askFromPods(
  answers: ReadonlyMap<DriverPlace, readonly RouteResult[]>,
  ways: Ways,
  options: PlaceOptions,
  run: PodRunOptions,
): Promise<Map<DriverPlace, RouteResult>> {
  const results = new Map<DriverPlace, RouteResult>();
  const wanted: DriverPlace[] = [];
  for (const [place, told] of answers) {
    const why =
      whyNoProbePod(place, told) ??
      (isPlainPath(place.hostSocket ?? '')
        ? undefined
        : `the path of the socket, ${place.hostSocket ?? ''}, has characters that a tunnel could misread`);
    if (why === undefined) wanted.push(place);
    else results.set(place, { route: { via: 'pod', outcome: 'impossible', note: why } });
  }
  const tasks = await allowedOf(tasksOf(wanted, run.namespace), ways, results);
  if (tasks.length === 0) return results;
  const mark = randomBytes(4).toString('hex');
  const podOptions: ProbePodOptions = { image: run.image, run: mark, startMs };
  await run.announce(announcement(tasks, run.image));
  const alive = new Set<PodName>();
  const removeAll = async (): Promise<void> => {
    const failed = (
      await Promise.all(
        [...alive].map(async (pod) => ({
          pod,
          failure: await ways.remove(pod).catch((error: Error) => ({ message: error.message })),
        })),
      )
    ).filter(({ failure }) => failure !== undefined);
    alive.clear();
    if (failed.length > 0)
      await run.announce(
        failed.map(
          ({ pod, failure }) =>
            `the probe pod ${pod.namespace}/${pod.name} could not be deleted: ${failure?.message ?? ''}; kubectl -n ${pod.namespace} delete pod ${pod.name}`,
        ),
      );
  };
  // Ctrl-C leaves two seconds: the pods go first, whatever is still under way.
  const onInterrupt = (): void => {
    if (alive.size > 0)
      void run.announce([`interrupted: deleting ${alive.size === 1 ? 'the probe pod' : `${alive.size} probe pods`}`]);
    void removeAll();
  };
  run.signal.addEventListener('abort', onInterrupt, { once: true });
  try {
    await eachOf(tasks, run.concurrency, async (task, index) => {
      if (run.signal.aborted) return;
      const pod = { namespace: task.namespace, name: `kubectl-csi-probe-${mark}-${index}` };
      alive.add(pod);
      try {
        for (const [place, result] of await askNode(task, pod, ways, options, podOptions, run.signal))
          results.set(place, result);
      } finally {
        await ways.remove(pod).then(
          (failure) => (failure === undefined ? alive.delete(pod) : false),
          () => false,
        );
      }
    });
  } finally {
    run.signal.removeEventListener('abort', onInterrupt);
    await removeAll();
  }
  return results;
}

async function askNode(
  task: NodeTask,
  pod: PodName,
  ways: Ways,
  options: PlaceOptions,
  podOptions: ProbePodOptions,
  signal: AbortSignal,
): Promise<[DriverPlace, RouteResult][]> {
  const ready = await startProbePod(probePod(pod, task.node, task.directories, podOptions), ways, podOptions, signal);
  if (ready.type === 'none') {
    const result: RouteResult = {
      route: { via: 'pod', outcome: ready.isForbidden ? 'forbidden' : 'failed', note: ready.note },
    };
    return task.places.map((place) => [place, result]);
  }
  return Promise.all(
    task.places.map(async (place): Promise<[DriverPlace, RouteResult]> => {
      const socket = socketInPod(place.hostSocket ?? '', task.directories);
      return [
        place,
        await askThroughExec(place, { via: 'pod', pod, container: probeContainer, socket }, ways, options),
      ];
    }),
  );
}

/** Rights are asked for before anything is said or made; what is not allowed is answered with the reason. */
async function allowedOf(
  tasks: readonly NodeTask[],
  ways: Ways,
  results: Map<DriverPlace, RouteResult>,
): Promise<NodeTask[]> {
  const reasons = new Map(
    await Promise.all(
      [...new Set(tasks.map(({ namespace }) => namespace))].map(
        async (namespace) => [namespace, await whyNoPodAllowed(ways, namespace)] as const,
      ),
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
  const shown =
    nodes.slice(0, mostNamed).join(', ') + (nodes.length > mostNamed ? ` and ${nodes.length - mostNamed} more` : '');
  const directories = [...new Set(tasks.flatMap((task) => task.directories))];
  return [
    `creating ${tasks.length === 1 ? 'a pod' : `${tasks.length} pods`} in namespace ${[...new Set(tasks.map(({ namespace }) => namespace))].join(', ')} on ${shown}, from image ${image}`,
    `  mounts ${directories.slice(0, 5).join(', ')}${directories.length > 5 ? ` and ${directories.length - 5} more` : ''} read-only; deleted at the end, label ${probeLabel}`,
  ];
}
