import type { GrpcCode } from '../lib/driver-error/grpc-codes.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords, skeletonOf } from '../lib/driver-error/quote.ts';
import type { Speaker } from '../lib/driver-error/speakers.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import type { FoundSense } from '../lib/driver-error/storage-senses/sense.ts';
import { sentence } from '../lib/sentence.ts';
import { fix } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';

/** An error about a snapshot, as far as it matters here. */
export interface DriverWords {
  readonly speaker: Speaker;
  /** The code that the csi-snapshotter acts upon. */
  readonly code: GrpcCode | undefined;
  readonly text: string;
  /** What the text means, where it is well known and means the same for a snapshot as for a volume. */
  readonly sense: FoundSense | undefined;
  /** The same for all snapshots with the same problem. */
  readonly skeleton: string;
}

/** What the storage says about volumes that do not exist yet means nothing for a snapshot. */
const plainSenses: readonly string[] = [
  'quota',
  'space',
  'credentials',
  'network',
  'throttling',
  'key',
  'object',
  'admission',
  'busy',
  'outage',
  'certificate',
  'crash',
];

export function driverWordsOf(message: string): DriverWords {
  const { outerCode: code, words: text, speaker } = parseDriverError(message);
  const sense = senseOf(text);
  return {
    speaker,
    code,
    text,
    sense: sense && plainSenses.includes(sense.about) ? sense : undefined,
    skeleton: skeletonOf(`${code ?? ''} ${text}`),
  };
}

/** The words in quotation marks; where there are none, the code. */
export function quoteOf({ text, sense, code }: DriverWords): string {
  return text === '' ? `"code = ${code ?? 'Unknown'}", without a description` : quoteWords(text, sense?.words);
}

/** `intro: "the words".`, and what they mean where that is well known. */
export function tellWords(intro: string, words: DriverWords): string {
  const said = sentence(`${intro}: ${quoteOf(words)}`);
  const meaning = words.sense?.meaning;
  return meaning === undefined ? said : `${said} ${sentence(meaning.charAt(0).toUpperCase() + meaning.slice(1))}`;
}

/** What the meaning of the words advises; it is written for volumes, so its last sentence is about the claim. */
export function senseFixes({ sense }: DriverWords): Fix[] {
  const advice = sense?.advice?.replace(
    /The claim is then provisioned automatically, within 5 minutes\./,
    'The call is repeated automatically within 5 minutes.',
  );
  return advice === undefined ? [] : [fix(advice, sense?.command)];
}
