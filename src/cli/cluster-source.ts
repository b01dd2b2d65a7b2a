import { connectBoth } from '../collect/cluster/connect.ts';
import type { Connection } from '../collect/cluster/connect.ts';
import { collect } from '../collect/collect.ts';
import { scanStuck } from '../collect/scan-stuck.ts';
import type { ClusterReader, RequestTrace } from '../collect/reader.ts';
import { diagnose } from '../engine/diagnose.ts';
import type { Diagnosis } from '../engine/diagnose.ts';
import { shortNameOf } from '../model/resources.ts';
import type { Need, Scope, Snapshot } from '../model/snapshot.ts';
import { connectionOf } from './connection.ts';
import type { Answer, ClusterSource, ConnectionValues, ReadingOptions, Watched } from './open-source.ts';
import { complain } from './output.ts';
import { selectionOf } from './question.ts';
import type { Question } from './question.ts';

export async function openCluster(flags: ConnectionValues & { readonly namespace?: string | undefined }): Promise<ClusterSource> {
  return sourceOf(await connectCluster(flags));
}

export function connectCluster(flags: ConnectionValues & { readonly namespace?: string | undefined }): Promise<Connection> {
  const verbosity = Number(flags.v ?? 0);
  return connectBoth(connectionOf(flags), {
    variables: process.env,
    onPluginMessage: (text) => void complain(text),
    ...(verbosity >= 6 && { trace: (request: RequestTrace) => void complain(lineOf(request)) }),
  });
}

/** The questions of the commands, put to whatever reads the cluster. */
export function sourceOf({ reader, client }: Connection): ClusterSource {
  return {
    name: reader.name,
    usualScope: `namespace ${reader.namespace}`,
    namespace: reader.namespace,
    isLive: true,
    diagnose: (question) => diagnoseCluster(reader, question),
    answer: (ask, options) => answerFromCluster(reader, ask, options),
    watch: (watched, onChange, signal) => watchCluster(reader, watched, onChange, signal),
    mayI: (question) => reader.mayI(question),
    pods: async () => new (await import('../collect/cluster/pod-access.ts')).PodAccess(client),
    close: async () => reader.close(),
  };
}

/** The engine says what it lacks, the collector reads that, and again, until nothing is lacking. */
async function diagnoseCluster(reader: ClusterReader, question: Question): Promise<Diagnosis> {
  const selection = selectionOf(question, reader.namespace);
  const seeds = (selection.targets ?? []).map(({ kind, name, namespace }): Need => ({ kind, scope: { ...(namespace !== undefined && { namespace }), name }, needed: `whether ${shortNameOf(kind)}/${name} exists` }));
  const namespaces = question.namespace ? [question.namespace] : [reader.namespace];
  const diagnosis = await answerFromCluster(reader, (snapshot) => diagnose(snapshot, selection), { seeds, ...(selection.targets === undefined && { search: selection }) }, namespaces);
  return diagnosis.notFound.length === 0 ? diagnosis : { ...diagnosis, notFound: await Promise.all(diagnosis.notFound.map((missing) => withNearNames(reader, missing))) };
}

async function answerFromCluster<Result extends Answer>(reader: ClusterReader, ask: (snapshot: Snapshot) => Result, { seeds = [], search }: ReadingOptions = {}, namespaces: readonly string[] = [reader.namespace]): Promise<Result> {
  const initial = search === undefined ? { objects: [], observations: [] } : await scanStuck(reader, search);
  // The last answer was made from the last snapshot, unless nothing had to be read at all.
  let last: { readonly snapshot: Snapshot; readonly result: Result } | undefined;
  const snapshot = await collect(reader, seeds, (known) => (last = { snapshot: known, result: ask(known) }).result.needs, { initial, namespaces });
  return last?.snapshot === snapshot ? last.result : ask(snapshot);
}

/** A diagnosis reads nothing beside its target, so the names around it are asked for only when they are wanted. */
async function withNearNames(reader: ClusterReader, missing: Diagnosis['notFound'][number]): Promise<Diagnosis['notFound'][number]> {
  const { kind, name, namespace } = missing.target;
  const listed = await reader.list(kind, { ...(namespace !== undefined && { namespace }) }, { form: 'metadata' });
  if (!('objects' in listed)) return missing;
  const { nearNames } = await import('../model/names.ts');
  return { ...missing, near: nearNames(name, listed.objects.map((object) => object.metadata.name)) };
}

async function watchCluster(reader: ClusterReader, { kinds, namespace, names = {} }: Watched, onChange: () => void, signal: AbortSignal): Promise<void> {
  await Promise.all(
    kinds.map(async (kind) => {
      const name = names[kind];
      const scope: Scope = { ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
      const listed = await reader.list(kind, scope, { form: 'metadata', limit: 1 });
      if ('resourceVersion' in listed && listed.resourceVersion !== undefined) await reader.watch(kind, scope, listed.resourceVersion, onChange, signal);
    }),
  );
}

function lineOf(request: RequestTrace): string {
  return `${request.method} ${request.path} ${request.status === 0 ? 'no answer' : request.status} in ${Math.round(request.ms)} ms, ${request.bytes} bytes`;
}
