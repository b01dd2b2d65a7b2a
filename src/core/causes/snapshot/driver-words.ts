import type { GrpcCode } from '../provision/rpc/error-kind.ts';
import { senseOf } from '../provision/rpc/error-senses.ts';
import { skeletonOf } from '../provision/rpc/driver-answer.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { Fix } from '../../report/report.ts';
import { fix } from '../../facts/evidence.ts';

/** What a driver answered, taken out of what the sidecar wrapped around it. */
export interface DriverWords {
  readonly code: GrpcCode | undefined;
  readonly text: string;
  /** In plain words, where they are well known. */
  readonly meaning: string | undefined;
  readonly advice: readonly Fix[];
  /** The same trouble of many snapshots reads the same here. */
  readonly skeleton: string;
}

const answer = /rpc error: code = (\w+) desc = (.*)/s;
/** Sidecar isCSIFinalError: after any other answer the call is over. */
const openCodes: readonly (string | undefined)[] = [
  'Canceled',
  'DeadlineExceeded',
  'Unavailable',
  'Aborted',
  'ResourceExhausted',
];
const longestQuote = 160;

export function driverWordsOf(message: string): DriverWords {
  const match = answer.exec(message);
  const text = unquote(match?.[2] ?? coreOf(message));
  const sense = senseOf(text);
  const isPlain = sense !== undefined && ['quota', 'credentials', 'network', 'throttling', 'key'].includes(sense.about);
  return {
    code: match?.[1] as GrpcCode | undefined,
    text,
    meaning: isPlain ? sense.meaning : undefined,
    advice: isPlain && sense.advice !== undefined ? [fix(sense.advice)] : [],
    skeleton: skeletonOf(`${match?.[1] ?? ''} ${text}`),
  };
}

export function isOpenCode(code: string | undefined): boolean {
  return openCodes.includes(code);
}

export function quote(text: string): string {
  return `"${cutWords(text, longestQuote)}"`;
}

/** What the controllers put before the words that matter, and what they quote. */
function coreOf(message: string): string {
  const quoted = /: "(.*)"\s*$/s.exec(message)?.[1] ?? message;
  return quoted
    .replace(/^.* with error /s, '')
    .replace(/^snapshot controller failed to update \S+ on API server: /, '');
}

/** The sidecar quotes errors in the manner of Go (%q), often twice. */
function unquote(text: string): string {
  return text.replace(/\\+"/g, '"').replace(/"+$/, '').trim();
}
