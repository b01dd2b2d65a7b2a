import { connectBoth } from '../io/cluster/connect.ts';
import type { Connection } from '../io/cluster/connect.ts';
import { collect } from '../io/cluster/collect.ts';
import { scanStuck } from '../io/cluster/scan-stuck.ts';
import type { ClusterReader, ReadCount, RequestTrace } from '../io/cluster/reader.ts';
import type { Diagnosis } from '../core/engine/diagnose.ts';
import type { Selection, TargetRef } from '../core/kube/selection.ts';
import { pendingPods } from '../core/kube/snapshot.ts';
import type { Need, Scope, Snapshot } from '../core/kube/snapshot.ts';
import { connectionOf } from './connection.ts';
import type { Answer } from '../core/kube/snapshot.ts';
import type { ClusterSource, ConnectionValues, ReadingOptions, Watched } from './open-source.ts';
import { complain } from '../terminal/output.ts';
import { existenceOf, selectionOf } from './question.ts';
import type { Question } from './question.ts';
import { Traffic } from './traffic.ts';

export async function openCluster(
  flags: ConnectionValues & { readonly namespace?: string | undefined },
): Promise<ClusterSource> {
  const traffic = Number(flags.v ?? 0) >= 6 ? new Traffic((line) => void complain(line)) : undefined;
  return sourceOf(await connectCluster(flags, traffic), traffic);
}

export function connectCluster(
  flags: ConnectionValues & { readonly namespace?: string | undefined },
  traffic = Number(flags.v ?? 0) >= 6 ? new Traffic((line) => void complain(line)) : undefined,
): Promise<Connection> {
  return connectBoth(connectionOf(flags), {
    variables: process.env,
    onPluginMessage: (text) => void complain(text),
    ...(traffic && {
      trace: (request: RequestTrace) => traffic.request(request),
      onRead: (what: ReadCount) => traffic.read(what),
    }),
  });
}

/** The questions of the commands, put to whatever reads the cluster. */
export function sourceOf({ reader, client }: Connection, traffic?: Traffic): ClusterSource {
  return {
    name: reader.name,
    usualScope: `namespace ${reader.namespace}`,
    namespace: reader.namespace,
    isLive: true,
    diagnose: (question) => diagnoseCluster(reader, question, traffic),
    answer: (ask, options) => answerFromCluster(reader, ask, { ...options, traffic }),
    watch: (watched, onChange, signal) => watchCluster(reader, watched, onChange, signal),
    mayI: (question) => reader.mayI(question),
    pods: async () => new (await import('../io/cluster/pod-access.ts')).PodAccess(client),
    // Idle connections end with the process; to close each of them first takes longer than a request.
    close: async () => traffic?.end(),
  };
}

/** The engine says what it lacks, the collector reads that, and again, until nothing is lacking. */
async function diagnoseCluster(reader: ClusterReader, question: Question, traffic?: Traffic): Promise<Diagnosis> {
  const selection = selectionOf(question, reader.namespace);
  const seeds = (selection.targets ?? []).flatMap((target) => [existenceOf(target), ...nearlyAlwaysNeeded(target)]);
  const namespaces = question.namespace ? [question.namespace] : [reader.namespace];
  const engine = whileWaiting(() => import('../core/engine/diagnose.ts'));
  const answer = (search: Selection | undefined): Promise<Diagnosis> =>
    answerFromCluster(reader, async (snapshot) => (await engine).diagnose(snapshot, selection), {
      seeds,
      ...(search && { search }),
      namespaces,
      traffic,
    });
  let diagnosis = await answer(selection.targets === undefined ? selection : undefined);
  // Who waits for a class, a volume or a node is among the claims that are not bound, in whatever namespace: no server finds it by that name.
  if (question.asksWhoWaits === true && diagnosis.notFound.length > 0) {
    const { isNamedByClaims } = await import('../core/engine/absent-object.ts');
    if (diagnosis.notFound.some(({ target }) => isNamedByClaims(target.kind)))
      diagnosis = await answer({ breadth: 'pending' });
  }
  return diagnosis.notFound.length === 0
    ? diagnosis
    : {
        ...diagnosis,
        notFound: await Promise.all(diagnosis.notFound.map((missing) => withNearNames(reader, missing))),
      };
}

/** Loads what is needed only once the first answers are there, as soon as the questions are on their way. */
async function whileWaiting<T>(load: () => Promise<T>): Promise<T> {
  // In the first turn the server takes the connection, in the second TLS has greeted it.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return load();
}

/** What the first look at a claim asks for nearly always, and is little: it need not wait for the claim. */
function nearlyAlwaysNeeded({ kind, namespace }: TargetRef): Need[] {
  if (kind !== 'PersistentVolumeClaim' || namespace === undefined) return [];
  return [
    { kind: 'StorageClass', scope: {}, needed: 'which classes there are' },
    { kind: 'Pod', scope: { namespace, fieldSelector: pendingPods }, needed: 'which pods wait for volumes' },
  ];
}

interface ClusterReading extends ReadingOptions {
  /** Where to look when the whole cluster may not be listed. */
  readonly namespaces?: readonly string[];
  readonly traffic?: Traffic | undefined;
}

async function answerFromCluster<Result extends Answer>(
  reader: ClusterReader,
  ask: (snapshot: Snapshot) => Result | Promise<Result>,
  { seeds = [], search, namespaces = [reader.namespace], traffic }: ClusterReading = {},
): Promise<Result> {
  const initial = search === undefined ? { objects: [], observations: [] } : await scanStuck(reader, search);
  // The last answer was made from the last snapshot, unless nothing had to be read at all.
  let last: { readonly snapshot: Snapshot; readonly result: Result } | undefined;
  let rounds = search === undefined ? 0 : 1;
  const snapshot = await collect(
    reader,
    seeds,
    async (known) => (last = { snapshot: known, result: await ask(known) }).result.needs,
    { initial, namespaces, onProgress: ({ readings }) => void (rounds += Number(readings > 0)) },
  );
  traffic?.answered(rounds);
  return last?.snapshot === snapshot ? last.result : ask(snapshot);
}

/** A diagnosis reads nothing beside its target, so the names around it are asked for only when they are wanted. */
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
