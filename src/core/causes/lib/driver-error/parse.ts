import { messageOf } from '../../../graph/events.ts';
import type { Attachment, Condition, KubeEvent } from '../../../kube/kinds.ts';
import { grpcCodeOfNumber, grpcCodesIn, tellingCode } from './grpc-codes.ts';
import type { CodeInText, GrpcCode } from './grpc-codes.ts';
import { isFromApiServer, isWithoutAnswer, speakerOfCondition, speakerOfEvent } from './speakers.ts';
import type { Speaker } from './speakers.ts';
import { ownSentenceOf, unwrap } from './wrappings.ts';

type VolumeError = NonNullable<NonNullable<Attachment['status']>['attachError']>;

/** An error as Kubernetes shows it, taken apart. */
export interface DriverError {
  readonly raw: string;
  /** Who said `words`. An rpc error without an answer of the driver is its caller's. */
  readonly speaker: Speaker;
  /** Who passed the error on, where somebody did. */
  readonly caller: Speaker | undefined;
  /** The innermost code that says more than "something went wrong". */
  readonly code: GrpcCode | undefined;
  /** The code that the sidecars act upon. */
  readonly outerCode: GrpcCode | undefined;
  /** The step that failed, as the caller names it (MountVolume.SetUp), else the RPC. */
  readonly operation: string | undefined;
  /** The volume, where the caller names one. */
  readonly volume: string | undefined;
  /** The innermost description, on one line. */
  readonly words: string;
  /** What a command printed that the driver or the kubelet ran (k8s.io/mount-utils: `Output: …`). */
  readonly output: string | undefined;
}

/** Takes apart a text, an event, a condition of a claim, or the error on a VolumeAttachment. */
export function parseDriverError(said: string | KubeEvent | Condition | VolumeError): DriverError {
  if (typeof said === 'string') return parseText(said);
  if ('metadata' in said) return parseText(messageOf(said), { caller: speakerOfEvent(said) });
  if ('errorCode' in said)
    return parseText(said.message ?? '', { caller: 'attacher', code: grpcCodeOfNumber(said.errorCode) });
  return parseText(said.message ?? '', { caller: speakerOfCondition(said) });
}

/** What is known about the text besides its words. */
interface Known {
  readonly caller?: Speaker | undefined;
  readonly code?: GrpcCode | undefined;
}

const parsedTexts = new Map<string, DriverError>();
const mostParsedTexts = 200;

/** One fault gives many claims the same text, and several rules read it, so each text is taken apart once. */
function parseText(raw: string, known: Known = {}): DriverError {
  const key = `${known.caller ?? ''} ${known.code ?? ''} ${raw}`;
  const parsed = parsedTexts.get(key) ?? takeApart(raw, known);
  if (parsedTexts.size >= mostParsedTexts) parsedTexts.clear();
  parsedTexts.set(key, parsed);
  return parsed;
}

function takeApart(raw: string, known: Known): DriverError {
  const { caller = known.caller, operation, volume, rest } = unwrap(raw);
  const codes = grpcCodesIn(rest);
  const isRpc = codes.length > 0;
  const words = oneLine(isRpc ? descriptionIn(rest, codes) : withoutGoQuotes(rest, caller));
  return {
    raw,
    ...(isRpc ? voicesOfRpc(words, caller) : voicesOf(words, caller)),
    code: tellingCode(codes) ?? known.code,
    outerCode: codes[0]?.code ?? known.code,
    operation,
    volume,
    words,
    output: outputIn(raw),
  };
}

type Voices = Pick<DriverError, 'speaker' | 'caller'>;

function voicesOfRpc(words: string, caller: Speaker | undefined): Voices {
  return { speaker: isWithoutAnswer(words) ? (caller ?? 'sidecar') : 'driver', caller };
}

function voicesOf(words: string, passedOnBy: Speaker | undefined): Voices {
  const named = ownSentenceOf(words);
  const caller = named === undefined || named === 'sidecar' ? (passedOnBy ?? named) : named;
  return { speaker: isFromApiServer(words) ? 'apiServer' : (caller ?? 'unknown'), caller };
}

function outputIn(text: string): string | undefined {
  return /\bOutput:\s*(\S[^]*)$/.exec(text)?.[1];
}

function descriptionIn(text: string, codes: readonly CodeInText[]): string {
  const description = text.slice(codes.at(-1)?.end);
  const isQuoted = /"(?:rpc error: )?$/.test(text.slice(0, codes[0]?.start));
  return isQuoted ? withoutClosingQuotes(unescapeQuotes(description)) : description;
}

/** What closes the quotation goes; a quotation mark that belongs to the last word stays. */
function withoutClosingQuotes(text: string): string {
  const bare = text.replace(/"+\s*$/, '');
  const isOpen = bare.split('"').length % 2 === 0;
  return isOpen && bare !== text ? `${bare}"` : bare;
}

const goQuoted = /^[^"]*: "(.*)"\s*$/s;

/** external-snapshotter quotes inner errors in the manner of Go (%q), often twice: `failed to …: "what happened"`. */
function withoutGoQuotes(text: string, caller: Speaker | undefined): string {
  const quoted = goQuoted.exec(text)?.[1];
  const isOfGo = caller === 'snapshotController' || caller === 'snapshotter' || quoted?.includes('\\"');
  return quoted !== undefined && isOfGo ? unescapeQuotes(quoted) : text;
}

function unescapeQuotes(text: string): string {
  return text.replace(/\\+"/g, '"');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
