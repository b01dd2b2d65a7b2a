import type { Report, ReportItem } from '../../report/report.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { NodeStatus, Status } from '../../report/status.ts';
import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { driverOfClass, knownDrivers } from '../../facts/driver/driver-names.ts';
import { extentOf } from './extent.ts';
import { surveyCapacity } from './status-capacity.ts';
import { countAttachments, countClaims, countSnapshots, countVolumes, volumesIn } from './status-counts.ts';
import { surveyDriver } from './status-drivers.ts';
import { foldStuck } from './status-stuck.ts';
import { surveyUsage } from './status-usage.ts';

interface StatusScope {
  /** Not set: the whole cluster. */
  readonly namespace?: string;
  /** Appended to every command that is shown, such as ` --from FILE`. */
  readonly commandEnd?: string;
}

/** The verdicts on everything that is stuck, and a way to get those on drivers. */
interface Judgements {
  readonly stuck: Report;
  readonly judgeDrivers: (names: readonly string[]) => readonly ReportItem[];
}

export interface StatusSurvey {
  readonly status: Status;
  readonly needs: readonly Need[];
}

/** One screen for the whole cluster, or for the claims of one namespace and what serves them. */
export function surveyStatus(snapshot: Snapshot, scope: StatusScope, judged: Judgements): StatusSurvey {
  const ask = new Inquiry(graphOf(snapshot));
  const { namespace } = scope;
  const known = knownDrivers(ask, namespace === undefined ? undefined : driversUsedIn(ask, namespace));
  const driverItems = judged.judgeDrivers(
    known.drivers.filter(({ isInstalled }) => isInstalled === true).map(({ name }) => name),
  );
  // The search has found some of them already.
  const found = new Set(judged.stuck.items.map(({ target }) => `${target.kind}/${target.name}`));
  const unfound = driverItems.filter(({ target }) => !found.has(`${target.kind}/${target.name}`));
  const drivers = known.drivers.map((driver) => {
    const verdict = driverItems.find(({ target }) => target.name === driver.name);
    return surveyDriver(ask, driver, verdict);
  });
  const nodes = surveyNodes(ask);
  const { extent: capacityKnown, capacity } = surveyCapacity(ask, known.drivers, namespace === undefined);
  const causes = foldCauses(ask, judged.stuck, unfound, scope.commandEnd ?? '');
  const counts = countAll(ask, namespace, judged.stuck);
  const { usage, unread: unreadUsage } = surveyUsage(ask, namespace);
  const status: Status = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Status',
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    ...(snapshot.serverVersion !== undefined && { serverVersion: snapshot.serverVersion }),
    ...(namespace !== undefined && { namespace }),
    driversKnown: known.extent,
    drivers,
    nodesKnown: nodes.extent,
    nodes: nodes.nodes,
    capacityKnown,
    capacity,
    ...(usage && { usage }),
    ...counts,
    ...searchOf(ask, judged.stuck),
    ...causes,
    unread: [...describeUnread(ask.unanswered), ...(judged.stuck.unread ?? []), ...unreadUsage],
    summary: addDrivers(judged.stuck.summary, unfound),
  };
  return { status, needs: needsOf(ask.unanswered) };
}

/** Whether everything that can be stuck was searched. */
function searchOf(ask: Inquiry, stuck: Report): Pick<Status, 'isSearched'> {
  const isAnswered = ask.unanswered.every(({ observation: { state } }) => state !== 'denied' && state !== 'failed');
  return { isSearched: (stuck.unread ?? []).length === 0 && isAnswered };
}

function foldCauses(
  ask: Inquiry,
  stuck: Report,
  drivers: readonly ReportItem[],
  commandEnd: string,
): Pick<Status, 'stuck' | 'waiting'> {
  const blockedDrivers = drivers.filter(({ status }) => status === 'blocked');
  const causes = foldStuck(stuck, blockedDrivers, ask.graph, commandEnd);
  return {
    stuck: causes.filter(({ status }) => status !== 'waiting'),
    waiting: causes.filter(({ status }) => status === 'waiting'),
  };
}

function countAll(
  ask: Inquiry,
  namespace: string | undefined,
  stuck: Report,
): Pick<Status, 'claims' | 'volumes' | 'attachments' | 'snapshots'> {
  const keyOf = (claim: { readonly namespace?: string; readonly name: string }): string =>
    `${claim.namespace ?? ''}/${claim.name}`;
  const verdicts = new Map(
    stuck.items
      .filter(({ target }) => target.kind === 'PersistentVolumeClaim')
      .map(({ target, status }) => [keyOf(target), status]),
  );
  return {
    claims: countClaims(ask, namespace, ({ metadata }) => verdicts.get(keyOf(metadata))),
    volumes: countVolumes(ask, namespace),
    attachments: countAttachments(ask, namespace),
    snapshots: countSnapshots(ask, namespace),
  };
}

function addDrivers(summary: Report['summary'], drivers: readonly ReportItem[]): Report['summary'] {
  const count = (status: ReportItem['status']): number => drivers.filter((item) => item.status === status).length;
  return { ...summary, blocked: summary.blocked + count('blocked'), unknown: summary.unknown + count('unknown') };
}

function surveyNodes(ask: Inquiry): { readonly extent: Status['nodesKnown']; readonly nodes: readonly NodeStatus[] } {
  const listing = ask.list('Node', undefined, 'which nodes there are');
  const nodes = listing.items.map(({ metadata, spec, status }): NodeStatus => {
    const ready = conditionOf(status?.conditions, 'Ready');
    const state = readyState(ready?.status, ready !== undefined);
    return {
      name: metadata.name,
      state,
      isCordoned: spec?.unschedulable === true,
      ...(state === 'notReady' && { why: ready?.reason ?? 'no reason given' }),
    };
  });
  return { extent: extentOf(listing), nodes };
}

function readyState(status: string | undefined, isReported: boolean): NodeStatus['state'] {
  if (!isReported) return 'unknown';
  return status === 'True' ? 'ready' : 'notReady';
}

/** The drivers of the volumes and classes of the claims in a namespace. */
function driversUsedIn(ask: Inquiry, namespace: string): ReadonlySet<string> {
  const volumes = volumesIn(ask, namespace).items.map(servingDriver);
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which claims there are').items;
  const classes = [...new Set(claims.map((claim) => resolveClass(claim).name))].filter((name) => name !== '');
  const provisioners = classes
    .map((name) => ask.get('StorageClass', undefined, name, `which driver serves class ${name}`))
    .map((lookup) => (lookup.state === 'found' ? driverOfClass(lookup.object) : undefined));
  return new Set([...volumes, ...provisioners].flatMap((name) => (name ? [name] : [])));
}
