import { isTerminated } from '../core/facts/pod/pod-state.ts';
import { ClusterGraph } from '../core/graph/cluster-graph.ts';
import { UserError } from '../core/kube/errors.ts';
import type { Need } from '../core/kube/snapshot.ts';
import type { DriverAssumptions } from '../core/report/driver-assumptions.ts';
import type { DriverEndpoints, DriverPlace, EndpointQuestion } from '../core/report/driver-endpoints.ts';
import { probeReportOf } from '../core/report/probe-report.ts';
import type { ProbeItem, ProbeReport } from '../core/report/probe-report.ts';
import { askEndpoints } from '../core/survey/probe/ask-endpoints.ts';
import { podWays } from '../io/cluster/pod-ways.ts';
import { announceEntries } from '../io/csi/announce-exec.ts';
import type { RouteResult } from '../io/csi/cluster-words.ts';
import { eachOf } from '../io/csi/each-of.ts';
import { loadClient } from '../io/csi/probe-endpoint.ts';
import { askPlace, itemOf } from '../io/csi/probe-place.ts';
import type { PlaceOptions } from '../io/csi/probe-place.ts';
import { probeLabel } from '../io/csi/probe-pod.ts';
import type { Ways } from '../io/csi/ways.ts';
import { unknownName } from './near-names.ts';
import type { ClusterSource } from './open-source.ts';

interface ClusterProbeOptions extends PlaceOptions {
  readonly question: EndpointQuestion;
  /** All nodes were requested explicitly. */
  readonly allNodes: boolean;
  readonly concurrency: number;
  readonly image: string;
  readonly probeNamespace?: string | undefined;
  readonly signal: AbortSignal;
  readonly announce: (lines: readonly string[]) => Promise<void>;
}

/** Probes the drivers of a cluster once: finds where they listen, and queries each one in every way that is open. */
export async function probeCluster(source: ClusterSource, options: ClusterProbeOptions): Promise<ProbeReport> {
  const isEntered = options.exec || options.createPods;
  const endpoints = await source.answer((snapshot) =>
    // Only a driver that answered can differ from what the cluster assumes.
    askEndpoints(snapshot, options.question, { withAssumptions: isEntered }),
  );
  await refuseUnknownNames(endpoints);
  const pods = await source.pods();
  if (pods === undefined) throw new UserError('drivers cannot be probed in a dump');
  const ways = podWays(pods, (question) => source.mayI(question), endpoints.serverVersion);
  await announceEntries(endpoints.places, ways, options);
  if (isEntered) await loadClient();
  const answers = await askPlaces(endpoints.places, ways, options);
  if (options.createPods && !options.signal.aborted) await askThroughPods(source, answers, ways, options);
  const items = endpoints.places.map((place) => itemOf(place, answers.get(place) ?? [], options));
  const compared = await withDriftFrom(endpoints.assumptions, items);
  return probeReportOf(compared, new Date().toISOString(), endpoints.unread);
}

async function refuseUnknownNames(endpoints: DriverEndpoints): Promise<void> {
  const { driverNames, nodeNames } = endpoints;
  const [driver] = endpoints.missingDrivers;
  if (driver !== undefined) {
    const known = `The drivers of this cluster are ${driverNames.join(', ')}. Write ./${driver} if it is a file`;
    const next = driverNames.length === 0 ? 'No CSI driver is installed in this cluster' : known;
    throw await unknownName('driver', driver, driverNames, next);
  }
  const [node] = endpoints.missingNodes;
  if (node !== undefined) {
    const next =
      nodeNames.length <= 10 ? `The nodes are ${nodeNames.join(', ')}` : 'Run kubectl get csinodes to list them';
    throw await unknownName('node', node, nodeNames, next);
  }
}

type PlaceAnswers = Map<DriverPlace, RouteResult[]>;

async function askPlaces(
  places: readonly DriverPlace[],
  ways: Ways,
  options: ClusterProbeOptions,
): Promise<PlaceAnswers> {
  const answers: PlaceAnswers = new Map();
  await eachOf(places, options.concurrency, async (place) => {
    if (!options.signal.aborted) answers.set(place, await askPlace(place, ways, options));
  });
  return answers;
}

/** Adds what probe pods found, for the drivers that no other way reached. */
async function askThroughPods(
  source: ClusterSource,
  answers: PlaceAnswers,
  ways: Ways,
  options: ClusterProbeOptions,
): Promise<void> {
  const { probeNamespace: namespace, image, concurrency, signal, announce } = options;
  const namespaces = [...answers.keys()].flatMap((place) => namespace ?? place.namespace ?? []);
  await announceLeftovers(source, [...new Set(namespaces)], announce);
  const { askFromPods } = await import('../io/csi/probe-pods.ts');
  const found = await askFromPods(answers, ways, options, { image, namespace, concurrency, signal, announce });
  for (const [place, result] of found) answers.get(place)?.push(result);
}

/** Pods that an earlier run could not delete: the cluster has ended them, but they are still listed. */
async function announceLeftovers(
  source: ClusterSource,
  namespaces: readonly string[],
  announce: ClusterProbeOptions['announce'],
): Promise<void> {
  const seeds = namespaces.map((namespace): Need => ({
    kind: 'Pod',
    scope: { namespace, labelSelector: probeLabel },
    needed: 'whether an earlier probe left a pod',
  }));
  const { left } = await source.answer(
    (snapshot) => {
      const pods = new ClusterGraph(snapshot).all('Pod');
      const left = pods.filter((pod) => pod.metadata.labels?.[probeLabel] !== undefined && isTerminated(pod));
      return { left, needs: [] as readonly Need[] };
    },
    { seeds },
  );
  if (left.length === 0) return;
  const count = left.length === 1 ? '1 probe pod of an earlier run' : `${left.length} probe pods of earlier runs`;
  await announce([
    `${count} still ${left.length === 1 ? 'exists' : 'exist'}. Delete ${left.length === 1 ? 'it' : 'them'} with:`,
    ...namespaces
      .filter((namespace) => left.some((pod) => pod.metadata.namespace === namespace))
      .map((namespace) => `  kubectl -n ${namespace} delete pods -l ${probeLabel}`),
  ]);
}

async function withDriftFrom(
  assumptions: readonly DriverAssumptions[],
  items: readonly ProbeItem[],
): Promise<readonly ProbeItem[]> {
  if (assumptions.length === 0) return items;
  const { withDrift } = await import('../io/csi/drift.ts');
  return withDrift(items, assumptions);
}
