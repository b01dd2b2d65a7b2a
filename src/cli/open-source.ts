import type { Diagnosis } from '../engine/diagnose.ts';
import type { Question } from './question.ts';

/** A live cluster or a dump of one: what questions are put to. */
export interface DiagnosisSource {
  /** What is being read, in a few words. */
  readonly name: string;
  /** Where a question without -n and -A looks. */
  readonly usualScope: string;
  diagnose(question: Question): Promise<Diagnosis>;
  /** Calls back when something that the question is about may have changed, until the signal. */
  watch(question: Question, onChange: () => void, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface SourceValues {
  readonly from?: string[] | undefined;
  readonly complete?: boolean;
  readonly at?: string | undefined;
}

/** The values of the connection flags, under kubectl's names. */
export interface ConnectionValues {
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly 'as-group'?: string[] | undefined;
  readonly 'as-uid'?: string | undefined;
  readonly 'request-timeout'?: string | undefined;
  readonly 'certificate-authority'?: string | undefined;
  readonly 'client-certificate'?: string | undefined;
  readonly 'client-key'?: string | undefined;
  readonly 'tls-server-name'?: string | undefined;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'chunk-size'?: string | undefined;
  readonly v?: string;
}

export async function openSource(flags: SourceValues & ConnectionValues & { readonly namespace?: string | undefined }): Promise<DiagnosisSource> {
  if (flags.from !== undefined && flags.from.length > 0) {
    const { openDump } = await import('./dump-source.ts');
    return openDump(flags.from, flags);
  }
  const { openCluster } = await import('./cluster-source.ts');
  return openCluster(flags);
}
