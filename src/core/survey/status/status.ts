import { isKnownKind } from '../../kube/kinds.ts';
import type { ObjectRef, Report, ReportItem } from '../../report/report.ts';
import { nearNames } from '../../kube/names.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { NodeStatus, Status } from '../../report/status.ts';
import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { driverOfClass, knownDrivers } from '../../facts/driver/driver-names.ts';
import { surveyCapacity } from './status-capacity.ts';
import { countAttachments, countClaims, countSnapshots, countVolumes, volumesIn } from './status-counts.ts';
import { surveyDriver } from './status-drivers.ts';
import { foldStuck } from './status-stuck.ts';

export interface StatusScope {
  /** Absent: the whole cluster. */
  readonly namespace?: string;
  /** Put behind every command that is offered, such as ` --from FILE`. */
  readonly commandEnd?: string;
}

/** The verdicts beside the survey: on all that is stuck, and on the drivers that are shown. */
export interface Judgements {
  readonly stuck: Report;
  readonly judgeDrivers: (names: readonly string[]) => readonly ReportItem[];
}

export interface StatusSurvey {
  readonly status: Status;
  readonly needs: readonly Need[];
  /** The namespace does not exist: names that are near it. */
  readonly noNamespace?: readonly string[];
}

/** One screen for the whole cluster, or for the claims of one namespace and what serves them. */
export function surveyStatus(snapshot: Snapshot, scope: StatusScope, judged: Judgements): StatusSurvey {
  const ask = new Inquiry(graphOf(snapshot));
  const { namespace } = scope;
  const known = knownDrivers(ask, namespace === undefined ? undefined : driversUsedIn(ask, namespace));
  const verdicts = new Map(
    judged.stuck.items
      .filter(({ target }) => target.kind === 'PersistentVolumeClaim')
      .map(({ target, status }) => [`${target.namespace ?? ''}/${target.name}`, status]),
  );
  const driverItems = judged.judgeDrivers(
    known.drivers.filter(({ isInstalled }) => isInstalled === true).map(({ name }) => name),
  );
  const drivers = known.drivers.map((driver) =>
    surveyDriver(
      ask,
      driver,
      driverItems.find(({ target }) => target.name === driver.name),
    ),
  );
  const nodes = surveyNodes(ask);
  const { extent: capacityKnown, capacity } = surveyCapacity(ask, known.drivers, namespace === undefined);
  const bornAt = ({ kind, namespace, name }: ObjectRef): string | undefined =>
    isKnownKind(kind) ? ask.graph.find(kind, namespace, name)?.metadata.creationTimestamp : undefined;
  const causes = foldStuck(
    judged.stuck,
    driverItems.filter(({ status }) => status === 'blocked'),
    bornAt,
    scope.commandEnd ?? '',
  );
  const counts = {
    claims: countClaims(ask, namespace, ({ metadata }) => verdicts.get(`${metadata.namespace ?? ''}/${metadata.name}`)),
    volumes: countVolumes(ask, namespace),
    attachments: countAttachments(ask, namespace),
    snapshots: countSnapshots(ask, namespace),
  };
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
    ...counts,
    isSearched:
      (judged.stuck.unread ?? []).length === 0 &&
      ask.unanswered.every(({ observation: { state } }) => state !== 'denied' && state !== 'failed'),
    stuck: causes.filter(({ status }) => status !== 'waiting'),
    waiting: causes.filter(({ status }) => status === 'waiting'),
    unread: [...describeUnread(ask.unanswered), ...(judged.stuck.unread ?? [])],
    summary: addDrivers(judged.stuck.summary, driverItems),
  };
  // Only an empty screen raises the question, and whoever may not read namespaces has lost nothing by it.
  const aside = new Inquiry(ask.graph);
  const noNamespace =
    namespace === undefined || status.claims.total !== 0 ? undefined : findNoNamespace(aside, namespace);
  return { status, needs: needsOf([...ask.unanswered, ...aside.unanswered]), ...(noNamespace && { noNamespace }) };
}

function findNoNamespace(ask: Inquiry, namespace: string): readonly string[] | undefined {
  if (ask.get('Namespace', undefined, namespace).state !== 'missing') return undefined;
  return nearNames(
    namespace,
    ask.list('Namespace').items.map(({ metadata }) => metadata.name),
  );
}

function addDrivers(summary: Report['summary'], drivers: readonly ReportItem[]): Report['summary'] {
  const count = (status: ReportItem['status']): number => drivers.filter((item) => item.status === status).length;
  return { ...summary, blocked: summary.blocked + count('blocked'), unknown: summary.unknown + count('unknown') };
}

function surveyNodes(ask: Inquiry): { readonly extent: Status['nodesKnown']; readonly nodes: readonly NodeStatus[] } {
  const listing = ask.list('Node', undefined, 'which nodes there are');
  const nodes = listing.items.map(({ metadata, spec, status }): NodeStatus => {
    const ready = conditionOf(status?.conditions, 'Ready');
    const state = ready === undefined ? 'unknown' : ready.status === 'True' ? 'ready' : 'notReady';
    return {
      name: metadata.name,
      state,
      isCordoned: spec?.unschedulable === true,
      ...(state === 'notReady' && { why: ready?.reason ?? 'no reason given' }),
    };
  });
  return { extent: listing.complete ? 'all' : nodes.length > 0 ? 'some' : 'none', nodes };
}

/** The drivers of the volumes and the classes that the claims of a namespace have. */
function driversUsedIn(ask: Inquiry, namespace: string): ReadonlySet<string> {
  const volumes = volumesIn(ask, namespace).items.map(servingDriver);
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which claims there are').items;
  const classes = [...new Set(claims.map((claim) => resolveClass(claim).name))].filter((name) => name !== '');
  const provisioners = classes
    .map((name) => ask.get('StorageClass', undefined, name, `which driver serves class ${name}`))
    .map((lookup) => (lookup.state === 'found' ? driverOfClass(lookup.object) : undefined));
  return new Set([...volumes, ...provisioners].flatMap((name) => (name ? [name] : [])));
}
