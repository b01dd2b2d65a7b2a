import { cutWords } from '../../kube/cut-words.ts';
import type { Evidence } from '../../report/report.ts';

/** What was said about an attach or a detach that failed. */
export interface AttachError {
  readonly raw: string;
  /** The gRPC code, where one is told. */
  readonly code: string | undefined;
  /** The driver's own words, without the wrapping. */
  readonly words: string;
  readonly from: 'object' | 'event';
  readonly evidence: Evidence;
}

const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];
const coded = /\bcode = ([A-Za-z]+) desc = /g;

/** Drivers wrap errors in errors: the number on the attachment is the outermost code, the innermost telling one in the text says more. */
export function readError(
  raw: string,
  errorCode: number | undefined,
  evidence: Evidence,
  from: AttachError['from'],
): AttachError {
  const matches = [...raw.matchAll(coded)];
  const inner = matches.findLast((match) => match[1] !== 'Internal' && match[1] !== 'Unknown') ?? matches.at(-1);
  const numbered = errorCode !== undefined && errorCode > 0 ? codeNames[errorCode] : undefined;
  const last = matches.at(-1);
  return {
    raw,
    code: inner?.[1] ?? numbered,
    words: (last ? raw.slice(last.index + last[0].length) : raw).trim(),
    from,
    evidence,
  };
}

const mostWords = 160;

/** The driver's words for a summary: one line, cut around what tells; the whole text is in the evidence. */
export function shortWords({ words }: AttachError, telling?: RegExp): string {
  return cutWords(words, mostWords, telling);
}
