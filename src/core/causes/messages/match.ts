import { rpcErrorText } from '../lib/driver-error/grpc-codes.ts';
import { callOf, readingsOfCall, readingsWithoutCall } from './calls.ts';
import type { Call } from './calls.ts';
import { decisiveWords, saysSomething } from './decisive-words.ts';
import { isOfSomethingElse, speaksOfStorage } from './elsewhere.ts';
import { readingsOfKubeletWords } from './kubelet.ts';
import { plainText } from './plain-text.ts';
import { statementsOf } from './statements.ts';
import type { Statement } from './statements.ts';
import type { Reading, Wording } from './wording.ts';
import { attachWordings } from './wordings/attach.ts';
import { bucketWordings, runningWordings } from './wordings/bucket.ts';
import { bindWordings } from './wordings/bind.ts';
import { claimWordings, lateWordings } from './wordings/claim.ts';
import { deleteWordings } from './wordings/delete.ts';
import { describedWordings } from './wordings/described.ts';
import { expandWordings } from './wordings/expand.ts';
import { mountWordings } from './wordings/mount.ts';
import { provisionWordings } from './wordings/provision.ts';
import { scheduleWordings } from './wordings/schedule.ts';
import { snapshotWordings } from './wordings/snapshot.ts';

/** A cause that a text can mean. */
export interface Match {
  readonly cause: string;
  /** Completes "it is this one if …"; absent where the words decide. */
  readonly when?: string;
  /** The words that decided. */
  readonly phrase: string;
  readonly statement: Statement;
  /** All that said so, up to a few. */
  readonly statements: readonly Statement[];
  /** The words follow from another fault. */
  readonly isSymptom: boolean;
  /** The words name no step of a volume: each step that can give such an answer has its own cause. */
  readonly isPossible: boolean;
  /** The text also says that the volume was attached in the end. */
  readonly isSettled: boolean;
}

interface Scored extends Omit<Match, 'statements'> {
  readonly score: number;
}

/** The wordings in the order in which they are tried: what is part of longer messages comes last. */
export const allWordings: readonly Wording[] = [
  ...bucketWordings,
  ...runningWordings,
  ...claimWordings,
  ...provisionWordings,
  ...snapshotWordings,
  ...bindWordings,
  ...scheduleWordings,
  ...expandWordings,
  ...attachWordings,
  ...mountWordings,
  ...deleteWordings,
  ...lateWordings,
];

/**
 * How much words count: those of one cause, those that several share, an answer that is well known or not, and so on.
 */
const scores = { one: 100, several: 90, call: 100, generalCall: 88, described: 70, noCall: 50, symptom: 30 } as const;
/** Each further reading of the same words, and each further wording in the same statement, counts this much less. */
const step = 2;
const laterWording = 6;
/** A text is read as a whole, too, up to this length: what describe prints of one object. */
const longestDescription = 200_000;

/** The causes that a text can mean, best first. */
export function matchText(source: string): Match[] {
  const text = plainText(source);
  const statements = statementsOf(text);
  const attached = attachedVolumes(text);
  const found = statements.flatMap((statement) => matchesIn(statement, attached));
  const whole = text.length <= longestDescription ? matchesOfDescription(text) : [];
  const all = [...found, ...whole];
  if (all.length === 0 && statements.length > 1 && statements.length <= mostWrappedLines) {
    const joined = { text: statements.map((statement) => statement.text).join(' '), line: 1, count: 1 };
    const unwrapped = matchesIn(joined, attached);
    if (unwrapped.length > 0) return ranked(unwrapped);
  }
  if (all.length === 0 && statements.length <= mostWrappedLines)
    return ranked(statements.flatMap((statement) => matchesOfSense(statement)));
  return ranked(all);
}

/** An error that was copied from a narrow terminal has line breaks in it. */
const mostWrappedLines = 12;

const mostStatements = 20;

function ranked(found: readonly Scored[]): Match[] {
  const byCause = new Map<string, { best: Scored; count: number; statements: Statement[] }>();
  for (const match of found) {
    const known = byCause.get(match.cause);
    if (!known) byCause.set(match.cause, { best: match, count: match.statement.count, statements: [match.statement] });
    else {
      known.count += match.statement.count;
      if (known.statements.length < mostStatements) known.statements.push(match.statement);
      if (
        match.score > known.best.score ||
        (match.score === known.best.score && match.statement.line > known.best.statement.line)
      )
        known.best = match;
    }
  }
  return [...byCause.values()]
    .sort((a, b) => b.best.score - a.best.score || b.count - a.count || b.best.statement.line - a.best.statement.line)
    .map(({ best: { score: _score, ...match }, statements, count }) => ({
      ...match,
      statement: { ...match.statement, count },
      statements,
    }));
}

function matchesIn(statement: Statement, attached: ReadonlySet<string>): Scored[] {
  const { unbroken, ...broken } = statement;
  const found = matchesOfStatement(broken, attached);
  if (unbroken === undefined) return found;
  const other = matchesOfStatement({ ...broken, text: unbroken }, attached);
  return bestScore(other) > bestScore(found) ? other : found;
}

function bestScore(found: readonly Scored[]): number {
  return Math.max(0, ...found.map(({ score }) => score));
}

function matchesOfStatement(statement: Statement, attached: ReadonlySet<string>): Scored[] {
  const { text } = statement;
  if (!isWorthReading(text)) return [];
  const isAlone = !rpcErrorText.test(text) && callOf(text) === undefined && !isOfSomethingElse(text);
  const wordings = allWordings.filter((wording) => wording.pattern.test(text) && (isAlone || !wording.isAlone));
  const ofTables = wordings.flatMap((wording, index) =>
    scored(statement, wording.readings, wordingScore(wording) - index * laterWording, {
      phrase: wording.pattern.exec(text)?.[0] ?? '',
      isSymptom: wording.isSymptom === true,
      isPossible: wording.isAlone === true,
      attached,
    }),
  );
  return wordings.some(({ isSymptom }) => !isSymptom) ? ofTables : [...ofTables, ...matchesOfCall(statement, attached)];
}

/** Words of a cloud or a storage system, pasted without anything around them. */
function matchesOfSense(statement: Statement): Scored[] {
  const words = decisiveWords(statement.text, 'provision');
  if (!saysSomething(statement.text) || !isOfStorage(statement.text)) return [];
  return scored(statement, readingsWithoutCall(statement.text), scores.noCall, {
    phrase: words,
    isSymptom: false,
    isPossible: true,
    attached: new Set(),
  });
}

function isOfStorage(text: string): boolean {
  return speaksOfStorage(text) && !isOfSomethingElse(text);
}

function wordingScore({ readings, isSymptom }: Wording): number {
  if (isSymptom) return scores.symptom;
  return readings.length > 1 ? scores.several : scores.one;
}

function matchesOfCall(statement: Statement, attached: ReadonlySet<string>): Scored[] {
  const { text } = statement;
  const call = callOf(text);
  if (text.replace(reasonWord, '').length < shortest * 2) return [];
  const ofKubelet = call === undefined ? readingsOfKubeletWords(text) : [];
  const isNamed = call !== undefined || ofKubelet.length > 0;
  if (ofKubelet.length === 0 && !isAnswer(text, call)) return [];
  const readings = readingsOf(text, call, ofKubelet);
  const isSymptom = readings[0]?.cause === 'mount-generic-timeout';
  const score = isNamed ? callScore(readings[0]?.cause) : scores.noCall;
  return scored(statement, readings, isSymptom ? scores.symptom : score, {
    phrase: decisiveWords(text, ofKubelet.length > 0 ? 'mount' : call),
    isSymptom,
    isPossible: !isNamed,
    attached,
  });
}

/** Without the name of a call an answer counts if it is one of gRPC, or mentions storage. */
function isAnswer(text: string, call: Call | undefined): boolean {
  if (!failureText.test(text)) return false;
  if (call !== undefined) return true;
  return answerText.test(text) && !isOfSomethingElse(text) && (grpcText.test(text) || speaksOfStorage(text));
}

/** Causes for any answer that nothing more is known about. */
const generalCauses: readonly (string | undefined)[] = [
  'provision-internal',
  'attach-rpc-error',
  'mount-stage-rpc',
  'mount-publish-rpc',
  'mount-block-map',
  'mount-in-tree-failed',
  'resize-controller-error',
];

function callScore(cause: string | undefined): number {
  return generalCauses.includes(cause) ? scores.generalCall : scores.call;
}

function readingsOf(text: string, call: Call | undefined, ofKubelet: readonly Reading[]): readonly Reading[] {
  if (call !== undefined) return readingsOfCall(call, text);
  return ofKubelet.length > 0 ? ofKubelet : readingsWithoutCall(text);
}

/** The reason of an event alone says nothing that its message does not say better. */
const reasonWord = /^\W*(?:- )?reason"?: *|\b(?:Failed\w+|Provisioning\w*|Volume\w*Fail\w+|Snapshot\w+)\b/g;

/** What was asked for also appears in logs where all is well. */
const failureText =
  /fail|error|denied|cannot|could not|couldn't|unable|timed out|timeout|exceeded|exhausted|not found|missing|refused|invalid|unsupported|not supported|forbidden|code = |desc = |in use|unknown|No compatible|not point to|is specified in|non-existent|marked for|deleted|not registered|no matching|conflict|multiple|exit status|Resource|bad option|need a/i;

/** An answer of a driver or of a storage, without the name of the call. */
const answerText =
  /rpc error:|\b(?:code = )?(?:Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|Unauthenticated) desc = |\bcode = [A-Z]\w+|context deadline exceeded|googleapi: Error|No compatible datastore|exit status 32|mount\.nfs|mount error\(/;

const grpcText =
  /rpc error|\b(?:Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|Unauthenticated) desc = |\bcode = [A-Z]/;

/** Most lines of a log or a description say nothing of the kind, so they are not compared with every wording. */
function isWorthReading(text: string): boolean {
  return text.length >= shortest && /[a-z]/i.test(text);
}
const shortest = 8;

interface Circumstances {
  readonly phrase: string;
  readonly isSymptom: boolean;
  readonly isPossible: boolean;
  readonly attached: ReadonlySet<string>;
}

function scored(
  statement: Statement,
  readings: readonly Reading[],
  top: number,
  { phrase, isSymptom, isPossible, attached }: Circumstances,
): Scored[] {
  const volume = attachRefusal.exec(statement.text)?.[1];
  const isSettled = volume !== undefined && attached.has(volume);
  return readings.map(({ cause, when }, index) => ({
    cause,
    ...(when !== undefined && { when }),
    phrase: phrase.replace(/\s+/g, ' ').trim(),
    statement,
    isSymptom,
    isPossible,
    isSettled,
    score: top - index * step - (isSettled ? scores.symptom * 2 : 0),
  }));
}

const attachRefusal = /(?:AttachVolume\.Attach failed|Multi-Attach error|Waiting for detach) for volume "([^"]+)"/;

/** Volumes that were attached in the end: what was said about them before has passed. */
function attachedVolumes(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/AttachVolume\.Attach succeeded for volume "([^"]+)"/g)].map((match) => match[1] ?? ''),
  );
}

function matchesOfDescription(text: string): Scored[] {
  return describedWordings.flatMap(({ pattern, readings }) => {
    const match = pattern.exec(text);
    if (!match) return [];
    const line = text.slice(0, match.index).split('\n').length;
    const statement: Statement = { text: text.split('\n')[line - 1]?.trim() ?? '', line, count: 1 };
    const phrase = match[0].length > 80 ? statement.text : match[0];
    return scored(statement, readings, scores.described, {
      phrase,
      isSymptom: false,
      isPossible: false,
      attached: new Set(),
    });
  });
}
