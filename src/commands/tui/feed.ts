import { UserError } from '../../core/kube/errors.ts';
import type { ComponentLog } from '../../core/report/component-log.ts';
import type { Happenings } from '../../core/report/happenings.ts';
import type { ProbeReport } from '../../core/report/probe-report.ts';
import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { RowKind, RowQuestion } from '../../core/report/rows.ts';
import type { Status } from '../../core/report/status.ts';
import type { Trace } from '../../core/report/trace.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import type { Need, RawObject, Snapshot } from '../../core/kube/snapshot.ts';
import { withCauses } from '../../core/survey/rows/row-causes.ts';
import { surveyRows } from '../../core/survey/rows/survey-rows.ts';
import type { ClusterFeed, Frame, KindRows, Place } from '../../tui/ports.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { askEventsOf, askStorageEvents, storageEventNeeds } from '../../core/survey/happenings.ts';
import { judge, selectionIn } from './frames.ts';
import { askStatus } from '../../core/survey/status/ask-status.ts';
import { noNamespaceError } from '../../cli/question.ts';
import { tracedKinds } from '../../cli/targets.ts';

type FeedFlags = SourceValues & ConnectionValues;

const probePatienceMs = 5000;
const probesAtOnce = 10;

/** The feed of a cluster that is watched. */
export async function openLiveFeed(flags: ConnectionValues, place: Place): Promise<ClusterFeed> {
  const [{ connectCluster, sourceOf }, { liveFrames }] = await Promise.all([
    import('../../cli/cluster-source.ts'),
    import('./frames.ts'),
  ]);
  const { reader, client } = await connectCluster({
    ...flags,
    ...(place.context !== undefined && { context: place.context }),
    namespace: place.namespace,
  });
  const shown = showing();
  const frames = liveFrames(reader, place, shown.show);
  const source = sourceOf({ reader: frames.live.reader, client });
  try {
    await frames.begin(source);
  } catch (error) {
    await frames.close();
    reader.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    reader.close();
    await frames.close();
  };
  return feedOf(source, place, shown, '', close);
}

/** The feed of a dump, which has one frame. */
export async function openDumpFeed(source: ClusterSource, place: Place, flags: FeedFlags): Promise<ClusterFeed> {
  const commandEnd = (flags.from ?? []).map((path) => ` --from ${shellWord(path)}`).join('');
  const { frame, snapshot } = await judge(source, place, commandEnd);
  const shown = showing();
  shown.show({ ...frame, freshness: { state: 'dump', since: snapshot.takenAt } }, snapshot);
  return feedOf(source, place, shown, commandEnd, () => Promise.resolve());
}

interface Showing {
  readonly show: (frame: Frame, snapshot: Snapshot) => void;
  readonly subscribe: ClusterFeed['subscribe'];
  readonly snapshot: () => Snapshot | undefined;
  /** The verdict that the screen shows: what it has judged is not judged again for a table. */
  readonly verdictOf: (target: TargetRef) => ReportItem | undefined;
}

function showing(): Showing {
  const listeners = new Set<(frame: Frame) => void>();
  let last: { readonly frame: Frame; readonly snapshot: Snapshot } | undefined;
  let verdicts: ReadonlyMap<string, ReportItem> | undefined;
  const keyOf = ({ kind, namespace, name }: ObjectRef): string => `${kind}|${namespace ?? ''}|${name}`;
  return {
    show: (frame, snapshot) => {
      last = { frame, snapshot };
      verdicts = undefined;
      for (const listener of listeners) listener(frame);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      if (last !== undefined) listener(last.frame);
      return () => void listeners.delete(listener);
    },
    snapshot: () => last?.snapshot,
    verdictOf: (target) => {
      verdicts ??= new Map(last?.frame.report.items.map((item) => [keyOf(item.target), item]));
      return verdicts.get(keyOf(target));
    },
  };
}

function feedOf(
  source: ClusterSource,
  place: Place,
  shown: Showing,
  commandEnd: string,
  close: () => Promise<void>,
): ClusterFeed {
  return {
    subscribe: shown.subscribe,
    why: (target) => readVerdict(source, target),
    trace: (target) => readTrace(source, target, commandEnd),
    rows: (kind) => readRows(source, kind, place.namespace, shown.verdictOf),
    status: () => readStatus(source, place, commandEnd),
    events: (target) => readEvents(source, place.namespace, target),
    object: (target) => readObject(source, target),
    namespaces: () => readNamespaces(source),
    probe: (driver, { exec }) => probeDriver(source, driver, exec),
    log: (target) => readComponentLog(source, target),
    capture: (path) => saveCapture(source, shown.snapshot(), path),
    close,
  };
}

async function readVerdict(source: ClusterSource, target: TargetRef): Promise<ReportItem | undefined> {
  const { diagnose } = await import('../../core/engine/diagnose.ts');
  const { proveFixes } = await import('../../core/engine/fixes/prove-fixes.ts');
  const { report, snapshot } = await source.answer((known) => diagnose(known, { targets: [target] }), {
    seeds: [seedOf(target)],
  });
  return proveFixes(report, snapshot).items[0];
}

async function readTrace(source: ClusterSource, target: TargetRef, commandEnd: string): Promise<Trace | undefined> {
  if (!(tracedKinds as readonly string[]).includes(target.kind)) return undefined;
  const { askTrace } = await import('../../core/survey/trace/ask-trace.ts');
  const { trace } = await source.answer((snapshot) => askTrace(snapshot, target, commandEnd), {
    seeds: [seedOf(target)],
  });
  return trace;
}

async function readStatus(source: ClusterSource, place: Place, commandEnd: string): Promise<Status> {
  const selection = selectionIn(place);
  const { status, noNamespace } = await source.answer((snapshot) => askStatus(snapshot, selection, commandEnd), {
    search: selection,
  });
  if (noNamespace) throw noNamespaceError(place.namespace, noNamespace);
  return status;
}

async function readEvents(
  source: ClusterSource,
  namespace: string | undefined,
  target: TargetRef | undefined,
): Promise<Happenings> {
  const { needs: _, ...happenings } =
    target === undefined
      ? await source.answer((snapshot) => askStorageEvents(snapshot, namespace), {
          seeds: storageEventNeeds(namespace),
        })
      : await source.answer((snapshot) => askEventsOf(snapshot, target), { seeds: [seedOf(target)] });
  return happenings;
}

function seedOf({ kind, namespace, name }: TargetRef): Need {
  return {
    kind,
    scope: { ...(namespace !== undefined && resourceOf(kind).namespaced && { namespace }), name },
    needed: `whether ${shortNameOf(kind)}/${name} exists`,
  };
}

async function readRows(
  source: ClusterSource,
  kind: RowKind,
  namespace: string | undefined,
  verdictOf: Showing['verdictOf'],
): Promise<KindRows> {
  const isPlaced = namespace !== undefined && resourceOf(kind).namespaced && kind !== 'CSIStorageCapacity';
  const question: RowQuestion = { kind, names: [], ...(isPlaced && { namespace }) };
  const { takenAt, answers, unread } = await source.answer((snapshot) =>
    withCauses(snapshot, surveyRows(snapshot, [question], 'usual'), verdictOf),
  );
  return {
    takenAt,
    rows: answers.flatMap(({ rows }) => rows),
    unread: [...answers.flatMap(({ unreadKind }) => unreadKind), ...unread],
  };
}

async function readObject(source: ClusterSource, target: TargetRef): Promise<RawObject | undefined> {
  const isTarget = ({ kind, metadata }: RawObject): boolean =>
    kind === target.kind &&
    metadata.name === target.name &&
    (target.namespace === undefined || metadata.namespace === undefined || metadata.namespace === target.namespace);
  const { object } = await source.answer((snapshot) => ({ object: snapshot.objects.find(isTarget), needs: [] }), {
    seeds: [seedOf(target)],
  });
  return object && nameFirst(object);
}

/**
 * In the order in which a server writes them: kubectl sorts the fields of a dump, which puts the name below the labels.
 */
function nameFirst(object: RawObject): RawObject {
  const { name, namespace, uid, ...rest } = object.metadata;
  return {
    ...object,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }), ...rest },
  };
}

/** Namespaces of objects that were read are known even to users who may not list namespaces. */
async function readNamespaces(source: ClusterSource): Promise<readonly string[]> {
  const seeds: readonly Need[] = [
    { kind: 'Namespace', scope: {}, needed: 'which namespaces exist' },
    { kind: 'PersistentVolumeClaim', scope: {}, needed: 'which namespaces have claims' },
  ];
  const { names } = await source.answer(
    (snapshot) => ({
      names: snapshot.objects.flatMap(({ kind, metadata }) =>
        kind === 'Namespace' ? metadata.name : (metadata.namespace ?? []),
      ),
      needs: [],
    }),
    { seeds },
  );
  return [...new Set([...names, ...(source.namespace === undefined ? [] : [source.namespace])])].sort();
}

async function probeDriver(source: ClusterSource, driver: string, exec: boolean): Promise<ProbeReport> {
  if (!source.isLive) throw new UserError('A dump has no running drivers to probe.');
  const { probeCluster } = await import('../../cli/probe-cluster.ts');
  return probeCluster(source, {
    timeoutMs: probePatienceMs,
    deep: false,
    question: { drivers: [driver], nodes: [] },
    allNodes: false,
    exec,
    createPods: false,
    concurrency: probesAtOnce,
    image: '',
    signal: new AbortController().signal,
    announce: () => Promise.resolve(),
  });
}

async function readComponentLog(source: ClusterSource, target: TargetRef): Promise<ComponentLog> {
  const { readLog } = await import('./read-log.ts');
  return readLog(source, target, seedOf(target));
}

/** The snapshot behind the screen: `--from` with the file shows the same screen. */
async function saveCapture(source: ClusterSource, snapshot: Snapshot | undefined, path: string): Promise<string> {
  if (snapshot === undefined) throw new UserError('There is nothing to save yet.');
  const [{ makeCapture }, { checkTarget, encodeCapture, writeCapture }, { captureFileName }] = await Promise.all([
    import('../../io/capture/make-capture.ts'),
    import('../../io/capture/write-capture.ts'),
    import('../../io/capture/capture-name.ts'),
  ]);
  const file = path || captureFileName({ source, takenAt: snapshot.takenAt });
  await checkTarget(file, false);
  await writeCapture(file, encodeCapture(makeCapture(snapshot).snapshot, !file.endsWith('.json')), {
    mayReplace: false,
  });
  return file;
}
