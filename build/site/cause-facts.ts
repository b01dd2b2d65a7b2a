import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { firstSentence } from '../../src/cli/cause-pages.ts';
import { allCauses } from '../../src/commands/causes/answer.ts';
import { everyRule } from '../../src/core/causes/index.ts';
import { matchText } from '../../src/core/causes/messages/match.ts';
import { titleOf } from './cause-title.ts';

export const root = join(import.meta.dirname, '../..');
const pageFolder = join(root, 'docs/causes');
const scenarioFolder = join(root, 'test/scenarios');

/** Everything that the site shows about a cause, from the page, the rules, the scenarios and the matcher. */
export interface CauseFacts {
  readonly id: string;
  /** What people see: a message, or a sentence about the state where nothing reports it. */
  readonly title: string;
  readonly isMessage: boolean;
  /** Where it can stop a journey, in the order of `kubectl csi causes`; none for the two verdicts of the engine itself. */
  readonly stages: readonly string[];
  readonly severity: string;
  /** The first sentence of the page. */
  readonly sentence: string;
  /** Messages that lead to this cause, as events, conditions and logs have them. */
  readonly messages: readonly string[];
  readonly related: readonly Related[];
  readonly markdown: string;
}

/** Another cause that the same words can mean, or that the page names. */
interface Related {
  readonly id: string;
  /** Completes "it is this one if …". */
  readonly when?: string;
}

const mostMessages = 6;
const mostRelated = 8;
/** A message that means several other causes first is no help on this page. */
const latestPlace = 3;

/** All causes by their first stage and name. */
export function readCauses(): CauseFacts[] {
  const pages = new Map(
    readdirSync(pageFolder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file.slice(0, -'.md'.length), readFileSync(join(pageFolder, file), 'utf8')]),
  );
  const sentences = new Map([...pages].map(([id, page]) => [id, firstSentence(page)]));
  const reported = scenarioMessages();
  const taken = new Set<string>();
  return allCauses(sentences).map(({ cause: id, stages, severity, summary: sentence }) => {
    const markdown = pages.get(id) ?? '';
    const messages = reported.get(id) ?? [];
    const title = titleOf({ id, markdown, messages, sentence }, taken);
    taken.add(title.text);
    return {
      id,
      title: title.text,
      isMessage: title.isMessage,
      stages: stages.filter((stage) => stage !== 'any'),
      severity,
      sentence,
      messages: messages.filter((message) => leadsTo(id, message)).slice(0, mostMessages),
      related: relatedTo(id, markdown, messages, pages),
      markdown,
    };
  });
}

function causesOf(message: string): string[] {
  return matchText(message).map(({ cause }) => cause);
}

function leadsTo(id: string, message: string): boolean {
  return causesOf(message).slice(0, latestPlace).includes(id);
}

/** First what shares the words, then what the page names. */
function relatedTo(
  id: string,
  markdown: string,
  messages: readonly string[],
  pages: ReadonlyMap<string, string>,
): Related[] {
  const related = new Map<string, Related>();
  for (const message of messages) {
    if (!leadsTo(id, message)) continue;
    const matches = matchText(message);
    for (const { cause, when } of matches)
      if (cause !== id && !related.has(cause)) related.set(cause, { id: cause, ...(when !== undefined && { when }) });
  }
  for (const [, named = ''] of markdown.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g))
    if (named !== id && pages.has(named) && !related.has(named)) related.set(named, { id: named });
  return [...related.values()].slice(0, mostRelated);
}

/** The causes before and after this one in the order in which a stage is judged. */
export function neighboursOf(causes: readonly CauseFacts[]): ReadonlyMap<string, readonly string[]> {
  const order = [...new Set(everyRule().map(({ cause }) => cause))];
  const stages = new Map(causes.map(({ id, stages: own }) => [id, own[0]]));
  return new Map(
    causes.map(({ id, stages: [stage] }) => {
      const inStage = order.filter((other) => stages.get(other) === stage);
      const place = inStage.indexOf(id);
      const near = place < 0 ? [] : [inStage[place - 1], inStage[place + 1]];
      return [id, near.filter((other) => other !== undefined)];
    }),
  );
}

interface Loose {
  readonly [field: string]: unknown;
}

/** What the objects of each cause's scenarios report, what is most specific first. */
function scenarioMessages(): Map<string, string[]> {
  const messages = new Map<string, string[]>();
  const files = readdirSync(scenarioFolder).filter((name) => name.endsWith('.yaml') && name !== 'base.yaml');
  // The scenario without a variant comes first: it shows the usual case.
  for (const file of files.sort((a, b) => Number(a.includes('--')) - Number(b.includes('--')))) {
    const [cause = ''] = file.replace(/\.yaml$/, '').split('--');
    const known = messages.get(cause) ?? [];
    const { objects = [] } = parse(readFileSync(join(scenarioFolder, file), 'utf8')) as { objects?: unknown };
    for (const message of messagesIn(objects)) if (!known.includes(message)) known.push(message);
    messages.set(cause, known);
  }
  for (const [cause, known] of messages)
    known.sort((a, b) => Number(causesOf(b)[0] === cause) - Number(causesOf(a)[0] === cause));
  return messages;
}

/** Progress that healthy objects report as well. */
const progress = /^(?:Successfully assigned|AttachVolume\.Attach succeeded|External provisioner is provisioning)/;

function messagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(messagesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Loose).flatMap(([field, inner]) => {
    if (field !== 'message' || typeof inner !== 'string') return messagesIn(inner);
    const message = inner.replace(/\s+/g, ' ').trim();
    return message.split(' ').length < 3 || progress.test(message) ? [] : [message];
  });
}
