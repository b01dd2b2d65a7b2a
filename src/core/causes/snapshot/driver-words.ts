import type { GrpcCode } from '../lib/driver-error/grpc-codes.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quote as quoteUpTo, skeletonOf } from '../lib/driver-error/quote.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import type { Fix } from '../../report/report.ts';
import { fix } from '../../facts/evidence.ts';

/** What a driver answered, as far as it matters for a snapshot. */
export interface DriverWords {
  readonly code: GrpcCode | undefined;
  readonly text: string;
  /** In plain words, where they are well known. */
  readonly meaning: string | undefined;
  readonly advice: readonly Fix[];
  /** The same for all snapshots with the same problem. */
  readonly skeleton: string;
}

const longestQuote = 160;

/** What the storage says about volumes that do not exist yet means nothing for a snapshot. */
const plainSenses: readonly string[] = ['quota', 'credentials', 'network', 'throttling', 'key'];

export function driverWordsOf(message: string): DriverWords {
  const { outerCode: code, words: text } = parseDriverError(message);
  const sense = senseOf(text);
  const plain = sense && plainSenses.includes(sense.about) ? sense : undefined;
  return {
    code,
    text,
    meaning: plain?.meaning,
    advice: plain?.advice === undefined ? [] : [fix(plain.advice)],
    skeleton: skeletonOf(`${code ?? ''} ${text}`),
  };
}

export function quote(text: string): string {
  return quoteUpTo(text, longestQuote);
}
