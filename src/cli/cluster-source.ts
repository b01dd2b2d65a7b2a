import { connect } from '../collect/cluster/connect.ts';
import { collect } from '../collect/collect.ts';
import { scanStuck } from '../collect/scan-stuck.ts';
import type { ConnectionFlags } from '../collect/cluster/flags.ts';
import type { ClusterReader, RequestTrace } from '../collect/reader.ts';
import { diagnose } from '../engine/diagnose.ts';
import type { Diagnosis } from '../engine/diagnose.ts';
import { UserError } from '../model/errors.ts';
import { shortNameOf } from '../model/resources.ts';
import type { Need, Scope, Snapshot } from '../model/snapshot.ts';
import type { Answer, ClusterSource, ConnectionValues, ReadingOptions, Watched } from './open-source.ts';
import { complain } from './output.ts';
import { selectionOf } from './question.ts';
import type { Question } from './question.ts';

export async function openCluster(flags: ConnectionValues & { readonly namespace?: string | undefined }): Promise<ClusterSource> {
  const verbosity = Number(flags.v ?? 0);
  const reader = await connect(connectionOf(flags), {
    variables: process.env,
    onPluginMessage: (text) => void complain(text),
    ...(verbosity >= 6 && { trace: (request: RequestTrace) => void complain(lineOf(request)) }),
  });
  return {
    name: reader.name,
    usualScope: `namespace ${reader.namespace}`,
    namespace: reader.namespace,
    isLive: true,
    diagnose: (question) => diagnoseCluster(reader, question),
    answer: (ask, options) => answerFromCluster(reader, ask, options),
    watch: (watched, onChange, signal) => watchCluster(reader, watched, onChange, signal),
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

async function watchCluster(reader: ClusterReader, { kinds, namespace }: Watched, onChange: () => void, signal: AbortSignal): Promise<void> {
  const scope: Scope = { ...(namespace !== undefined && { namespace }) };
  await Promise.all(
    kinds.map(async (kind) => {
      const listed = await reader.list(kind, scope, { form: 'metadata', limit: 1 });
      if ('resourceVersion' in listed && listed.resourceVersion !== undefined) await reader.watch(kind, scope, listed.resourceVersion, onChange, signal);
    }),
  );
}

function connectionOf(flags: ConnectionValues & { readonly namespace?: string | undefined }): ConnectionFlags {
  const chunk = flags['chunk-size'];
  if (chunk !== undefined && !/^\d+$/.test(chunk)) throw new UserError(`--chunk-size is a number, not "${chunk}"`);
  const given = {
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    cluster: flags.cluster,
    user: flags.user,
    server: flags.server,
    token: flags.token,
    as: flags.as,
    asGroup: flags['as-group'],
    asUid: flags['as-uid'],
    requestTimeout: flags['request-timeout'],
    certificateAuthority: flags['certificate-authority'],
    clientCertificate: flags['client-certificate'],
    clientKey: flags['client-key'],
    tlsServerName: flags['tls-server-name'],
    insecureSkipTlsVerify: flags['insecure-skip-tls-verify'],
    chunkSize: chunk === undefined ? undefined : Number(chunk),
    namespace: flags.namespace,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ConnectionFlags;
}

function lineOf(request: RequestTrace): string {
  return `${request.method} ${request.path} ${request.status === 0 ? 'no answer' : request.status} in ${Math.round(request.ms)} ms, ${request.bytes} bytes`;
}
