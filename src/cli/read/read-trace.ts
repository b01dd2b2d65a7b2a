import { EnvironmentError } from '../../core/kube/errors.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { Trace } from '../../core/report/trace.ts';
import { askTrace } from '../../core/survey/trace/ask-trace.ts';
import type { TraceAnswer } from '../../core/survey/trace/ask-trace.ts';
import type { ClusterSource } from '../open-source.ts';
import { existenceOf, notFoundError, selectionOf } from '../question.ts';
import type { Question } from '../question.ts';

/** The history of the one target of the question; an error if it does not exist. */
export async function readTrace(
  source: ClusterSource,
  question: Question,
  commandEnd: string,
): Promise<TraceAnswer & { readonly trace: Trace }> {
  const dump = source.isLive ? undefined : await import('../dump-source.ts');
  const targetOf = (snapshot: Snapshot | undefined): TargetRef => {
    const namespace = snapshot && dump ? dump.namespaceOf(snapshot, question) : source.namespace;
    return selectionOf(question, namespace).targets?.[0] as TargetRef;
  };
  const seeds = source.isLive ? [existenceOf(targetOf(undefined))] : [];
  const traced = await source.answer((snapshot) => askTrace(snapshot, targetOf(snapshot), commandEnd), {
    seeds,
  });
  if (traced.trace !== undefined) return { ...traced, trace: traced.trace };
  // A live cluster is asked for near names only now that they are needed.
  const diagnosis = source.isLive ? await source.diagnose(question) : traced.diagnosis;
  throw notFoundError(diagnosis) ?? new EnvironmentError('the object was created or deleted while it was read');
}
