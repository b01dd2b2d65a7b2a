import { matchText } from '../../core/causes/messages/match.ts';
import type { Match } from '../../core/causes/messages/match.ts';
import { describedObject, objectToAsk } from '../../core/causes/messages/names.ts';
import { plainText } from '../../core/causes/messages/plain-text.ts';
import type { NamedObject } from '../../core/causes/messages/names.ts';
import { cutWords } from '../../core/kube/cut-words.ts';

/** The causes that a text can mean. */
export interface MessageReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'MessageReport';
  readonly source: {
    readonly type: 'argument' | 'file' | 'stdin';
    readonly name: string;
    readonly lines: number;
    /** The text is only the reason of an event, such as FailedMount. */
    readonly isReason?: true;
  };
  /** Best first. */
  readonly items: readonly MessageItem[];
}

export interface MessageItem {
  readonly cause: string;
  readonly stage?: string;
  /** What the cause is, as its page begins. */
  readonly summary: string;
  /** Completes "it is this one if …"; absent where the words decide. */
  readonly when?: string;
  /**
   * `exact`: only this cause has these words; `shared`: several have; `possible`: the text does not show what was being
   * done, so these words need not be about a volume; `symptom`: they follow from another fault.
   */
  readonly strength: 'exact' | 'shared' | 'possible' | 'symptom';
  /** The text also reports that the volume was attached later. */
  readonly settled?: true;
  readonly match: {
    readonly line: number;
    readonly count: number;
    /** The words that decided. */
    readonly words: string;
    readonly text: string;
  };
  /** What to run against the cluster to know. */
  readonly ask?: string;
}

interface Known {
  readonly stages: ReadonlyMap<string, string>;
  readonly sentences: ReadonlyMap<string, string>;
}

interface Asked {
  readonly type: MessageReport['source']['type'];
  readonly name: string;
  readonly text: string;
}

const longestWords = 160;
const longestText = 1000;

export function answerText({ type, name, text }: Asked, known: Known): MessageReport {
  const described = describedObject(plainText(text));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'MessageReport',
    source: {
      type,
      name,
      lines: text.trimEnd().split('\n').length,
      ...(/^(?:[A-Z][a-z]+){2,5}$/.test(text.trim()) && { isReason: true as const }),
    },
    items: matchText(text).map((match) => itemOf(match, described, known)),
  };
}

function itemOf(match: Match, described: NamedObject | undefined, { stages, sentences }: Known): MessageItem {
  const { cause, when, phrase, statement, statements, isSettled } = match;
  const stage = stages.get(cause);
  const object = objectToAsk([statement, ...statements], described, stage);
  return {
    cause,
    ...(stage !== undefined && { stage }),
    summary: sentences.get(cause) ?? '',
    ...(when !== undefined && { when }),
    strength: strengthOf(match),
    ...(isSettled && { settled: true as const }),
    match: {
      line: statement.line,
      count: statement.count,
      words: cutWords(phrase, longestWords),
      text: cutWords(statement.text, longestText),
    },
    ...(object && { ask: commandFor(object) }),
  };
}

function strengthOf({ isSymptom, isPossible, when }: Match): MessageItem['strength'] {
  if (isSymptom) return 'symptom';
  if (isPossible) return 'possible';
  return when === undefined ? 'exact' : 'shared';
}

/** Names from the text are lower case letters, digits, dots and dashes, so they need no quotes. */
function commandFor({ type, name, namespace }: NamedObject): string {
  return `kubectl csi why ${type}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}
