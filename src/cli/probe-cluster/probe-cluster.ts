import { ClusterGraph } from '../../core/graph/cluster-graph.ts';
import { Inquiry } from '../../core/graph/inquiry.ts';
import { describeUnread, needsOf } from '../../core/graph/unread.ts';
import { isTerminated } from '../../core/facts/pod/pod-state.ts';
import type { DriverAssumptions } from '../../core/report/driver-assumptions.ts';
import type { DriverEndpoints, DriverPlace, EndpointQuestion } from '../../core/report/driver-endpoints.ts';
import { UserError } from '../../core/kube/errors.ts';
import { probeReportOf } from '../../core/report/probe-report.ts';
import type { ProbeItem, ProbeReport } from '../../core/report/probe-report.ts';
import type { Unread } from '../../core/report/report.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import type { RouteResult } from '../../io/csi/cluster-words.ts';
import { askPlace, itemOf } from '../../io/csi/probe-place.ts';
import type { PlaceOptions } from '../../io/csi/probe-place.ts';
import { probeLabel } from '../../io/csi/probe-pod.ts';
import { loadClient } from '../../io/csi/probe-endpoint.ts';
import { entranceOf } from '../../io/csi/route-exec.ts';
import { tunnelTools } from '../../io/csi/tunnel-command.ts';
import { rightsOf } from '../../io/csi/ways.ts';
import type { Ways } from '../../io/csi/ways.ts';
import { assumptionsOf } from '../../core/facts/driver/driver-assumptions.ts';
import { surveyEndpoints } from '../../core/facts/driver/driver-endpoints.ts';
import { eachOf } from './each-of.ts';
import { unknownName } from '../near-names.ts';
import type { ClusterSource } from '../open-source.ts';
import { waysOf } from './probe-ways.ts';

export interface ClusterProbeOptions extends PlaceOptions {
  readonly question: EndpointQuestion;
  /** All nodes were asked for in so many words. */
  readonly allNodes: boolean;
  readonly concurrency: number;
  readonly image: string;
  readonly probeNamespace?: string | undefined;
  readonly signal: AbortSignal;
  readonly announce: (lines: readonly string[]) => Promise<void>;
}

/** More containers or nodes than this are entered only by someone who says that all are meant. */
const mostUnsaid = 20;

interface Survey extends DriverEndpoints {
  readonly needs: readonly Need[];
  readonly unread: readonly Unread[];
  readonly assumptions: readonly DriverAssumptions[];
  readonly serverVersion: ClusterGraph['serverVersion'];
}

/** One round: where the drivers are, what is known of them, and what each says through whatever way leads to it. */
export async function probeCluster(source: ClusterSource, options: ClusterProbeOptions): Promise<ProbeReport> {
  const survey = await source.answer((snapshot) => surveyCluster(snapshot, options));
  await refuseUnknownNames(survey);
  const pods = await source.pods();
  if (pods === undefined) throw new UserError('a dump has no pods that could be asked');
  const ways = waysOf(source, pods, survey.serverVersion);
  await sayWhatIsEntered(survey.places, ways, options);
  if (options.exec || options.createPods) await loadClient();
  const answers = new Map<DriverPlace, RouteResult[]>();
  await eachOf(survey.places, options.concurrency, async (place) => {
    if (!options.signal.aborted) answers.set(place, await askPlace(place, ways, options));
  });
  if (options.createPods && !options.signal.aborted) {
    await sayLeftovers(
      source,
      [...new Set(survey.places.flatMap((place) => options.probeNamespace ?? place.namespace ?? []))],
      options.announce,
    );
    await addPodAnswers(answers, ways, options);
  }
  const items = survey.places.map((place) => itemOf(place, answers.get(place) ?? [], options));
  return probeReportOf(await compared(items, survey.assumptions), new Date().toISOString(), survey.unread);
}

function surveyCluster(snapshot: Snapshot, { question, exec, createPods }: ClusterProbeOptions): Survey {
  const ask = new Inquiry(new ClusterGraph(snapshot));
  const endpoints = surveyEndpoints(ask, question);
  const unread = describeUnread(ask.unanswered);
  const drivers = [...new Set(endpoints.places.map(({ driver }) => driver))];
  // Only a driver that speaks for itself can differ from what the cluster assumes.
  const assumptions = exec || createPods ? drivers.map((driver) => assumptionsOf(ask, driver)) : [];
  return { ...endpoints, needs: needsOf(ask.unanswered), unread, assumptions, serverVersion: ask.graph.serverVersion };
}

async function refuseUnknownNames({
  missingDrivers,
  driverNames,
  missingNodes,
  nodeNames,
}: DriverEndpoints): Promise<void> {
  const [driver] = missingDrivers;
  if (driver !== undefined)
    throw await unknownName(
      'driver',
      driver,
      driverNames,
      driverNames.length === 0
        ? 'no CSI driver is installed in this cluster'
        : `the drivers of this cluster are ${driverNames.join(', ')}; ./${driver} if it is a file`,
    );
  const [node] = missingNodes;
  if (node !== undefined)
    throw await unknownName(
      'node',
      node,
      nodeNames,
      nodeNames.length <= 10 ? `the nodes are ${nodeNames.join(', ')}` : 'see kubectl get csinodes',
    );
}

/** What runs in whose container is said before it runs. */
async function sayWhatIsEntered(
  places: readonly DriverPlace[],
  ways: Ways,
  options: ClusterProbeOptions,
): Promise<void> {
  const wanted = options.exec
    ? places
        .filter((place) => place.isRunning)
        .map(entranceOf)
        .filter((entrance) => typeof entrance !== 'string')
    : [];
  const nodes = new Set(
    options.createPods ? places.filter(({ hostSocket }) => hostSocket !== undefined).map(({ node }) => node) : [],
  );
  const isSaid = options.allNodes || options.question.nodes.length > 0;
  if (!isSaid && wanted.length > mostUnsaid)
    throw new UserError(
      `--exec would run a command in ${wanted.length} containers`,
      'name nodes with --node, or say --all-nodes',
    );
  if (!isSaid && nodes.size > mostUnsaid)
    throw new UserError(
      `--create-pods would create a pod on ${nodes.size} nodes`,
      'name nodes with --node, or say --all-nodes',
    );
  const lacking = await Promise.all(wanted.map(({ pod }) => ways.lacks(rightsOf.exec, pod.namespace)));
  const entered = wanted.filter((_entrance, index) => lacking[index] === undefined);
  if (entered.length === 0) return;
  const shown = entered
    .slice(0, mostUnsaid)
    .map(({ pod, container, socket }) => `  ${pod.namespace}/${pod.name}, container ${container}: ${socket}`);
  const what =
    options.tunnelCommand ??
    `sh, which joins its standard streams to the socket by the first of ${tunnelTools.join(', ')}`;
  await options.announce([
    `running in ${entered.length === 1 ? 'a container' : `${entered.length} containers`}: ${what}`,
    ...shown,
    ...(entered.length > shown.length ? [`  and ${entered.length - shown.length} more`] : []),
  ]);
}

async function addPodAnswers(
  answers: Map<DriverPlace, RouteResult[]>,
  ways: Ways,
  options: ClusterProbeOptions,
): Promise<void> {
  const { askFromPods } = await import('./probe-pods.ts');
  const found = await askFromPods(answers, ways, options, {
    image: options.image,
    namespace: options.probeNamespace,
    concurrency: options.concurrency,
    signal: options.signal,
    announce: options.announce,
  });
  for (const [place, result] of found) answers.get(place)?.push(result);
}

async function compared(
  items: readonly ProbeItem[],
  assumptions: readonly DriverAssumptions[],
): Promise<readonly ProbeItem[]> {
  if (assumptions.length === 0) return items;
  const { withDrift } = await import('../../io/csi/drift.ts');
  return withDrift(items, assumptions);
}

/** Pods that an earlier run could not take away: the cluster has ended them, but they are still listed. */
async function sayLeftovers(
  source: ClusterSource,
  namespaces: readonly string[],
  announce: ClusterProbeOptions['announce'],
): Promise<void> {
  const seeds = namespaces.map((namespace): Need => ({
    kind: 'Pod',
    scope: { namespace, labelSelector: probeLabel },
    needed: 'whether an earlier probe left a pod behind',
  }));
  const { left } = await source.answer(
    (snapshot) => ({
      needs: [] as readonly Need[],
      left: new ClusterGraph(snapshot)
        .all('Pod')
        .filter((pod) => pod.metadata.labels?.[probeLabel] !== undefined && isTerminated(pod)),
    }),
    { seeds },
  );
  if (left.length > 0)
    await announce([
      `${left.length === 1 ? 'a probe pod' : `${left.length} probe pods`} of earlier runs ${left.length === 1 ? 'is' : 'are'} still there`,
      ...namespaces
        .filter((namespace) => left.some((pod) => pod.metadata.namespace === namespace))
        .map((namespace) => `  kubectl -n ${namespace} delete pods -l ${probeLabel}`),
    ]);
}
