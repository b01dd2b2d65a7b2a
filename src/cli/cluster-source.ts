import { connect } from '../collect/cluster/connect.ts';
import { collect } from '../collect/collect.ts';
import { scanStuck } from '../collect/scan-stuck.ts';
import type { ConnectionFlags } from '../collect/cluster/flags.ts';
import type { ClusterReader, RequestTrace } from '../collect/reader.ts';
import { diagnose } from '../engine/diagnose.ts';
import type { Diagnosis } from '../engine/diagnose.ts';
import { UserError } from '../model/errors.ts';
import type { Kind } from '../model/kinds.ts';
import { shortNameOf } from '../model/resources.ts';
import type { Need, Scope } from '../model/snapshot.ts';
import type { ConnectionValues, DiagnosisSource } from './open-source.ts';
import { complain } from './output.ts';
import { selectionOf } from './question.ts';
import type { Question } from './question.ts';

export async function openCluster(flags: ConnectionValues & { readonly namespace?: string | undefined }): Promise<DiagnosisSource> {
  const verbosity = Number(flags.v ?? 0);
  const reader = await connect(connectionOf(flags), {
    variables: process.env,
    onPluginMessage: (text) => void complain(text),
    ...(verbosity >= 6 && { trace: (request: RequestTrace) => void complain(lineOf(request)) }),
  });
  return {
    name: reader.name,
    usualScope: `namespace ${reader.namespace}`,
    diagnose: (question) => diagnoseCluster(reader, question),
    watch: (question, onChange, signal) => watchCluster(reader, question, onChange, signal),
    close: async () => reader.close(),
  };
}

/** The engine says what it lacks, the collector reads that, and again, until nothing is lacking. */
async function diagnoseCluster(reader: ClusterReader, question: Question): Promise<Diagnosis> {
  const selection = selectionOf(question, reader.namespace);
  const initial = selection.targets === undefined ? await scanStuck(reader, selection) : { objects: [], observations: [] };
  const seeds = (selection.targets ?? []).map(({ kind, name, namespace }): Need => ({ kind, scope: { ...(namespace !== undefined && { namespace }), name }, needed: `whether ${shortNameOf(kind)}/${name} exists` }));
  const namespaces = question.namespace ? [question.namespace] : [reader.namespace];
  const snapshot = await collect(reader, seeds, (known) => diagnose(known, selection).needs, { initial, namespaces });
  const diagnosis = diagnose(snapshot, selection);
  return diagnosis.notFound.length === 0 ? diagnosis : { ...diagnosis, notFound: await Promise.all(diagnosis.notFound.map((missing) => withNearNames(reader, missing))) };
}

/** A diagnosis reads nothing beside its target, so the names around it are asked for only when they are wanted. */
async function withNearNames(reader: ClusterReader, missing: Diagnosis['notFound'][number]): Promise<Diagnosis['notFound'][number]> {
  const { kind, name, namespace } = missing.target;
  const listed = await reader.list(kind, { ...(namespace !== undefined && { namespace }) }, { form: 'metadata' });
  if (!('objects' in listed)) return missing;
  const { nearNames } = await import('../model/names.ts');
  return { ...missing, near: nearNames(name, listed.objects.map((object) => object.metadata.name)) };
}

const watchedKinds: readonly Kind[] = ['PersistentVolumeClaim', 'Pod'];

async function watchCluster(reader: ClusterReader, question: Question, onChange: () => void, signal: AbortSignal): Promise<void> {
  const selection = selectionOf(question, reader.namespace);
  const namespace = selection.targets?.[0]?.namespace ?? selection.namespace;
  const scope: Scope = { ...(namespace !== undefined && { namespace }) };
  await Promise.all(
    watchedKinds.map(async (kind) => {
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
