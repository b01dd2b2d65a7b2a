import type { Diagnosis } from '../core/engine/diagnose.ts';
import type { KeptVerdicts } from '../core/engine/kept-verdicts.ts';
import type { LogUse } from '../core/engine/logs/wants-logs.ts';
import type { Selection, TargetRef } from '../core/kube/selection.ts';
import { pendingPods } from '../core/kube/snapshot.ts';
import type { Answer, Need, Scope, Snapshot } from '../core/kube/snapshot.ts';
import { collect } from '../io/cluster/collect.ts';
import { connectBoth, connectRepeatedly } from '../io/cluster/connect.ts';
import type { Connection, LastingConnection } from '../io/cluster/connect.ts';
import type { ConnectionEnvironment } from '../io/cluster/flags.ts';
import type { ClusterReader, ReadCount, RequestTrace } from '../io/cluster/reader.ts';
import { scanStuck } from '../io/cluster/scan-stuck.ts';
import { Traffic } from '../io/cluster/traffic.ts';
import type { Kubeconfig } from '../io/cluster/kubeconfig.ts';
import { complain } from '../terminal/output.ts';
import { sanitise } from '../terminal/sanitise.ts';
import { connectionOf } from './connection-flags.ts';
import type { ConnectionValues } from './connection-flags.ts';
import type { UsageOptions } from '../io/cluster/usage/usage-request.ts';
import type { LogPort } from './diagnosis/consult-logs.ts';
import { foreseer } from './diagnosis/foresee-fixes.ts';
import type { ClusterSource, ReadingOptions } from './open-source.ts';
import { usageOptionsOf } from './source-flags.ts';
import type { SourceValues } from './source-flags.ts';
import type { Question, Watched } from './question.ts';
import { existenceOf, mayReadLogs, selectionOf } from './question.ts';

type ClusterFlags = ConnectionValues & SourceValues & { readonly namespace?: string | undefined };
/** Adds to a snapshot how full its volumes are. */
type Measure = (snapshot: Snapshot) => Promise<Snapshot>;

export async function openCluster(flags: ClusterFlags): Promise<ClusterSource> {
  const traffic = trafficOf(flags);
  return sourceOf(await connectCluster(flags, traffic), traffic, usageOptionsOf(flags));
}

export function connectCluster(
  flags: ClusterFlags,
  traffic = trafficOf(flags),
  onRequest?: (request: RequestTrace) => void,
): Promise<Connection> {
  return connectBoth(connectionOf(flags), environmentOf(traffic, onRequest));
}

/** For a server: no person is at its terminal, and its standard input belongs to a protocol. */
export function connectServer(flags: ClusterFlags): Promise<LastingConnection> {
  return connectRepeatedly(connectionOf(flags), { ...environmentOf(trafficOf(flags)), hasTerminal: false });
}

function environmentOf(
  traffic: Traffic | undefined,
  onRequest?: (request: RequestTrace) => void,
): ConnectionEnvironment {
  return {
    variables: process.env,
    onPluginMessage: (text) => void complain(text),
    ...((traffic ?? onRequest) && {
      trace: (request: RequestTrace) => {
        traffic?.request(request);
        onRequest?.(request);
      },
    }),
    ...(traffic && { onRead: (what: ReadCount) => traffic.read(what) }),
  };
}

/** One of several clusters that are read at once: what it logs is named, and nothing of it asks on the terminal. */
export async function openContext(
  flags: ClusterFlags & { readonly context: string },
  kubeconfig: Kubeconfig,
  onAnswer: () => void,
): Promise<ClusterSource> {
  const say = (text: string): void =>
    void complain(sanitise(`${flags.context}: ${text.trimEnd()}`, { newlines: true }));
  const { v = '0' } = flags;
  const traffic = Number(v) >= 6 ? new Traffic(say) : undefined;
  const connection = await connectBoth(connectionOf(flags), {
    variables: process.env,
    kubeconfig,
    isOneOfMany: true,
    onPluginMessage: say,
    trace: (request: RequestTrace) => {
      if (request.status > 0) onAnswer();
      traffic?.request(request);
    },
    ...(traffic && { onRead: (what: ReadCount) => traffic.read(what) }),
  });
  const source = sourceOf(connection, traffic, usageOptionsOf(flags));
  return {
    ...source,
    // Other clusters are still being read: what belongs to this one is not kept until the end.
    close: async () => {
      await source.close();
      connection.client.close();
    },
  };
}

/** kubectl logs requests from -v=6 on. */
function trafficOf({ v = '0' }: ClusterFlags): Traffic | undefined {
  return Number(v) >= 6 ? new Traffic((line) => void complain(line)) : undefined;
}

/** A cluster as the commands query it, whichever reader it has. */
export function sourceOf(
  { reader, client }: Connection,
  traffic?: Traffic,
  usage?: UsageOptions,
  measureEveryMs = 0,
): ClusterSource {
  const measure = usage && repeatedly(measureEveryMs, () => measureWith(client, usage));
  return {
    name: reader.name,
    usualScope: `namespace ${reader.namespace}`,
    namespace: reader.namespace,
    isLive: true,
    diagnose: async (question) => {
      const { logs, namespace } = question;
      const options = { traffic, measure: await measure?.(), ...(logs && { memory: {} }) };
      const diagnosis = await diagnoseCluster(reader, question, options);
      if (logs === undefined || !mayReadLogs(diagnosis, question)) return diagnosis;
      const places = namespace ? [namespace] : [reader.namespace];
      const selection = selectionOf(question, reader.namespace);
      const consulted = await consultCluster({ reader, client }, diagnosis.snapshot, selection, logs, places, options);
      return { ...consulted, notFound: diagnosis.notFound };
    },
    readLogs: async (known, selection, use) =>
      consultCluster({ reader, client }, known, selection, use, [selection.namespace ?? reader.namespace], {
        traffic,
        measure: await measure?.(),
      }),
    answer: async (ask, options) => answerFromCluster(reader, ask, { ...options, traffic, measure: await measure?.() }),
    watch: (watched, onChange, signal) => watchCluster(reader, watched, onChange, signal),
    mayI: (question) => reader.mayI(question),
    pods: async () => new (await import('../io/cluster/pod-access.ts')).PodAccess(client),
    // Idle connections end with the process; closing each of them first takes longer than a request.
    close: async () => traffic?.end(),
  };
}

/** Measured again for each answer, since a repeated one, as with --watch, would show old figures; or only so often. */
function repeatedly(everyMs: number, measure: () => Promise<Measure>): () => Promise<Measure> {
  let last: { readonly measure: Promise<Measure>; readonly at: number } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at >= everyMs)
      last = { measure: measure(), at: performance.now() };
    return last.measure;
  };
}

async function measureWith(client: Connection['client'], usage: UsageOptions): Promise<Measure> {
  const { UsageReader } = await import('../io/cluster/usage/usage-reader.ts');
  const reader = new UsageReader(client, usage);
  return (snapshot) => reader.addTo(snapshot);
}

/** Diagnoses, reads what the engine needs to know, and diagnoses again until nothing is needed any more. */
async function diagnoseCluster(
  reader: ClusterReader,
  question: Question,
  { traffic, measure, memory }: ReadingHelp,
): Promise<Diagnosis> {
  const selection = selectionOf(question, reader.namespace);
  const seeds = (selection.targets ?? []).flatMap((target) => [existenceOf(target), ...nearlyAlwaysNeeded(target)]);
  const namespaces = question.namespace ? [question.namespace] : [reader.namespace];
  const engine = whileWaiting(() => import('../core/engine/diagnose.ts'));
  let earlier: Snapshot | undefined;
  const judge = async (snapshot: Snapshot): Promise<Diagnosis> => {
    const { diagnoseAfter, KeptVerdicts } = await engine;
    if (memory) memory.kept ??= new KeptVerdicts();
    const diagnosis = diagnoseAfter(earlier, snapshot, selection, { kept: memory?.kept });
    earlier = snapshot;
    return foresee(diagnosis);
  };
  const answer = (search: Selection | undefined): Promise<Diagnosis> =>
    answerFromCluster(reader, judge, { seeds, ...(search && { search }), namespaces, traffic, measure });
  const foresee =
    question.foresees === true ? foreseer(() => reader.isDistant === true) : async (diagnosis: Diagnosis) => diagnosis;
  const diagnosis = await answer(selection.targets === undefined ? selection : undefined);
  // Claims that wait for a missing class, volume or node can be in any namespace, and no server finds them by that
  // name: they are among the claims that are not bound.
  const complete = (await mustSearchClaims(question, diagnosis)) ? await answer({ breadth: 'pending' }) : diagnosis;
  if (complete.notFound.length === 0) return complete;
  const notFound = await Promise.all(complete.notFound.map((missing) => withNearNames(reader, missing)));
  return { ...complete, notFound };
}

/** Loads what reads logs only once an answer has been left open. */
async function consultCluster(
  { reader, client }: Connection,
  known: Snapshot,
  selection: Selection,
  use: LogUse,
  namespaces: readonly string[],
  help: ReadingHelp,
): Promise<Diagnosis> {
  const [{ withLogs }, { readContainerLog }, { PodAccess }] = await Promise.all([
    import('./diagnosis/consult-logs.ts'),
    import('../io/cluster/read-log.ts'),
    import('../io/cluster/pod-access.ts'),
  ]);
  const pods = new PodAccess(client);
  const port: LogPort = {
    read: (snapshot, ask) => answerFromCluster(reader, ask, { known: snapshot, namespaces, ...help }),
    log: (need) => readContainerLog(pods, need),
  };
  return withLogs(known, selection, use, port, help.memory?.kept);
}

async function mustSearchClaims({ asksWhoWaits }: Question, { notFound }: Diagnosis): Promise<boolean> {
  if (asksWhoWaits !== true || notFound.length === 0) return false;
  const { isNamedByClaims } = await import('../core/engine/absent-object.ts');
  return notFound.some(({ target }) => isNamedByClaims(target.kind));
}

/** Loads code that is needed for the first answers, once the requests for them have been sent. */
async function whileWaiting<T>(load: () => Promise<T>): Promise<T> {
  // The first turn of the event loop opens the connection, the second sends the TLS greeting.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return load();
}

/** What nearly every claim is diagnosed with, read together with the claim instead of after it. */
function nearlyAlwaysNeeded({ kind, namespace }: TargetRef): Need[] {
  if (kind !== 'PersistentVolumeClaim' || namespace === undefined) return [];
  return [
    { kind: 'StorageClass', scope: {}, needed: 'which StorageClasses exist' },
    { kind: 'Pod', scope: { namespace, fieldSelector: pendingPods }, needed: 'which pods wait for volumes' },
  ];
}

interface ReadingHelp {
  readonly traffic?: Traffic | undefined;
  readonly measure?: Measure | undefined;
  /** Where logs may be read: what was judged before. */
  readonly memory?: { kept?: KeptVerdicts };
}

interface ClusterReading extends ReadingOptions, ReadingHelp {
  /** Where to look if listing the whole cluster is forbidden. */
  readonly namespaces?: readonly string[];
}

async function answerFromCluster<Result extends Answer>(
  reader: ClusterReader,
  ask: (snapshot: Snapshot) => Result | Promise<Result>,
  { seeds = [], search, namespaces = [reader.namespace], known, traffic, measure }: ClusterReading = {},
): Promise<Result> {
  const initial = search === undefined ? (known ?? { objects: [], observations: [] }) : await scanStuck(reader, search);
  const whole = async (read: Snapshot): Promise<Snapshot> => (measure ? measure(read) : read);
  // Kept, because the last question was answered from the final snapshot, unless nothing had to be read.
  let last: { readonly snapshot: Snapshot; readonly result: Result } | undefined;
  let rounds = search === undefined ? 0 : 1;
  const snapshot = await collect(
    reader,
    seeds,
    async (read) => (last = { snapshot: read, result: await ask(await whole(read)) }).result.needs,
    { initial, namespaces, onProgress: ({ readings }) => void (rounds += Number(readings > 0)) },
  );
  traffic?.answered(rounds);
  return last?.snapshot === snapshot ? last.result : ask(await whole(snapshot));
}

/**
 * A diagnosis reads only what its target needs, so the names of similar objects are listed when the target is missing.
 */
async function withNearNames(
  reader: ClusterReader,
  missing: Diagnosis['notFound'][number],
): Promise<Diagnosis['notFound'][number]> {
  const { kind, name, namespace } = missing.target;
  const listed = await reader.list(kind, { ...(namespace !== undefined && { namespace }) }, { form: 'metadata' });
  if (!('objects' in listed)) return missing;
  const { nearNames } = await import('../core/kube/names.ts');
  return {
    ...missing,
    near: nearNames(
      name,
      listed.objects.map((object) => object.metadata.name),
    ),
  };
}

async function watchCluster(
  reader: ClusterReader,
  { kinds, namespace, names = {} }: Watched,
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    kinds.map(async (kind) => {
      const name = names[kind];
      const scope: Scope = { ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
      const listed = await reader.list(kind, scope, { form: 'metadata', limit: 1 });
      if ('resourceVersion' in listed && listed.resourceVersion !== undefined)
        await reader.watch(kind, scope, listed.resourceVersion, onChange, signal);
    }),
  );
}
