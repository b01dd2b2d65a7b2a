import type { ContainerLog } from '../../kube/container-log.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { LogPlace } from '../../report/component-log.ts';
import { markLogged } from '../../graph/log-origin.ts';
import { errorOf } from '../../facts/log/grpc-calls.ts';
import { findErrors } from '../../facts/log/logged-errors.ts';
import type { LoggedError } from '../../facts/log/logged-errors.ts';
import type { LogLine } from '../../facts/log/log-line.ts';
import type { ExpectedCall } from './expected-calls.ts';

/** A log that was read, taken apart. */
export interface ReadLog {
  readonly place: LogPlace;
  readonly log: ContainerLog;
  readonly parsed: readonly LogLine[];
}

/** An error about the expected call, and where it was found. */
export interface FoundError extends LoggedError {
  readonly source: ReadLog;
  readonly call: ExpectedCall;
}

const longestQuote = 800;
/** Of one call, the first error and the latest others: between them there are only retries. */
const mostErrors = 6;

/** The errors of these logs about these calls since the stage opened, oldest first. */
export function findCallErrors(
  logs: readonly ReadLog[],
  calls: readonly ExpectedCall[],
  since: number,
): { readonly errors: readonly FoundError[]; readonly about: ReadonlyMap<ReadLog, number> } {
  const about = new Map<ReadLog, number>();
  const errors: FoundError[] = [];
  for (const source of logs) {
    errors.push(...calls.flatMap((call) => ownErrors(source, call, since)));
    const named = calls.filter(({ own }) => own === undefined);
    const byNames = Map.groupBy(named, ({ names }) => names.join('\n'));
    for (const alike of byNames.values()) {
      const found = findErrors(source.parsed, alike[0]?.names ?? [], source.place.speaks ?? 'driver');
      about.set(source, (about.get(source) ?? 0) + found.about);
      for (const error of found.errors) {
        const call = alike.find(({ rpc }) => rpc === error.rpc) ?? namedIn(error, alike);
        const at = parseTime(error.line.at);
        if (call && (at === undefined || at >= since)) errors.push({ ...error, rpc: call.rpc, source, call });
      }
    }
  }
  return { errors: errors.sort(byTime), about };
}

/** The last error of a component about itself; those before it are the same again, or led to it. */
function ownErrors(source: ReadLog, call: ExpectedCall, since: number): FoundError[] {
  const { own } = call;
  const { place, parsed } = source;
  if (!own) return [];
  if (own.speaker !== undefined && own.speaker !== place.speaks) return [];
  if (own.container !== undefined && (own.container !== place.container || own.pod !== place.pod)) return [];
  const ofLevel = (level: LogLine['level']): number =>
    parsed.findLastIndex((line) => line.level === level && own.isError(wordsOf(line)));
  const error = ofLevel('error');
  const at = error === -1 ? ofLevel(undefined) : error;
  const line = parsed[at];
  if (!line || parsed.slice(at + 1).some(({ text }) => own.isOvercome?.(text) === true)) return [];
  const time = parseTime(line.at);
  return time !== undefined && time < since ? [] : [{ line, text: wordsOf(line), rpc: call.rpc, source, call }];
}

/** With the message: a structured line keeps what failed there, and the reason in a value. */
function wordsOf(line: LogLine): string {
  const error = errorOf(line);
  return error === line.message || line.message.includes(error) ? line.message : `${line.message}: ${error}`;
}

/** A driver's own line may name the call in its text. */
function namedIn({ line, rpc }: LoggedError, calls: readonly ExpectedCall[]): ExpectedCall | undefined {
  if (rpc !== undefined) return undefined;
  const named = calls.filter((call) => new RegExp(String.raw`\b${call.rpc}\b`).test(line.text));
  return named.length === 1 ? named[0] : undefined;
}

function byTime(a: FoundError, b: FoundError): number {
  return (parseTime(a.line.at) ?? 0) - (parseTime(b.line.at) ?? 0);
}

/**
 * The events that these errors would have been, by the uid of their object. An error without a time proves nothing
 * about now.
 */
export function eventsOf(errors: readonly FoundError[]): ReadonlyMap<string, readonly KubeEvent[]> {
  const byUid = new Map<string, KubeEvent[]>();
  const timed = errors.filter(({ call, line }) => line.at !== undefined && call.report?.about.metadata.uid);
  const groups = Map.groupBy(timed, ({ call, text }) => `${call.rpc} ${call.report?.message(text) ?? ''}`);
  for (const [index, group] of [...groups.values()].entries()) {
    const event = eventOf(group, index);
    const uid = event.involvedObject?.uid ?? '';
    byUid.set(uid, [...(byUid.get(uid) ?? []), event]);
  }
  for (const [uid, events] of byUid)
    if (events.length > mostErrors) byUid.set(uid, [...events.slice(0, 1), ...events.slice(1 - mostErrors)]);
  return byUid;
}

function eventOf(group: readonly FoundError[], index: number): KubeEvent {
  const [first, last] = [group[0] as FoundError, group.at(-1) as FoundError];
  const { report } = first.call;
  const { kind = '', metadata } = report?.about ?? {};
  const { namespace, pod, container, previous } = last.source.log;
  const at = secondsOnly(last.line.at ?? '');
  const event: KubeEvent = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `log-${index}`, namespace: metadata?.namespace ?? 'default' },
    type: 'Warning',
    reason: report?.reason ?? '',
    message: report?.message(last.text) ?? last.text,
    count: group.length,
    firstTimestamp: secondsOnly(first.line.at ?? ''),
    lastTimestamp: at,
    involvedObject: {
      kind,
      name: metadata?.name ?? '',
      ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }),
      ...(metadata?.uid !== undefined && { uid: metadata.uid }),
    },
    source: { component: report?.component ?? '' },
  };
  return markLogged(event, {
    namespace,
    pod,
    container,
    ...(previous === true && { previous }),
    line: quoteLine(last.line),
    at,
  });
}

/** A line as evidence shows it: one line, and not endless. */
export function quoteLine({ text }: LogLine): string {
  return cutWords(text.replaceAll(/\s*\n\s*/g, ' ').trim(), longestQuote, /rpc error: code = \w+ desc = /);
}

/** The form in which the API writes times. */
export function secondsOnly(time: string): string {
  const milliseconds = parseTime(time);
  return milliseconds === undefined ? time : new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
