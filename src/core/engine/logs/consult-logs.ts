import type { ContainerLog, LogNeed } from '../../kube/container-log.ts';
import { logKey } from '../../kube/container-log.ts';
import { shortNameOf } from '../../kube/resources.ts';
import { parseTime } from '../../kube/time.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { LogAccount, LoggedErrorReport, LogReading } from '../../report/log-account.ts';
import type { Confidence, ReportItem, Unread } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { readLines } from '../../facts/log/log-line.ts';
import type { LogConsultant, Logged } from '../judge-target.ts';
import type { Judged } from '../report-item.ts';
import type { Verdict } from '../verdict.ts';
import { controllerCalls } from './controller-calls.ts';
import { expectedCalls } from './expected-calls.ts';
import { eventsOf, findCallErrors, quoteLine, secondsOnly } from './log-events.ts';
import type { FoundError, ReadLog } from './log-events.ts';
import { logPlacesOf } from './log-places.ts';
import { registrarCalls } from './registrar-log.ts';
import { openCauses, wantsLogs } from './wants-logs.ts';
import type { LogUse } from './wants-logs.ts';

/** A target that was judged without logs. */
interface Plain {
  readonly judged: Judged;
  readonly verdict: Verdict;
}

/** Before the stage opened, something may have led to it; clocks differ too. */
const marginMs = 60_000;

/** For diagnose: consults the logs of the targets whose answer they could change. */
export function logConsultant(use: LogUse): LogConsultant {
  return (plain, ask, again, onNeed) =>
    wantsLogs(plain.judged.item, use, ask.now) ? consultLogs(plain, ask, use, again, onNeed) : plain.judged;
}

/** Judges a target again with what its component logged; requests logs that were not read yet. */
function consultLogs(
  plain: Plain,
  ask: Inquiry,
  use: LogUse,
  again: (logged: Logged) => Judged | undefined,
  onNeed: (need: LogNeed) => void,
): Judged {
  const { verdict, judged } = plain;
  const since = verdict.stages.find(({ stage }) => stage === verdict.stage)?.since;
  const known = new Map((ask.graph.snapshot.logs ?? []).map((log) => [logKey(log), log]));
  const found: { readonly place: LogPlace; readonly log: ContainerLog }[] = [];
  for (const place of logPlacesOf(verdict, ask)) {
    const need = needOf(place, judged.item, since);
    for (const each of place.hasPrevious ? [need, { ...need, previous: true as const }] : [need]) {
      const log = known.get(logKey(each));
      if (log) found.push({ place, log });
      else onNeed(each);
    }
  }
  if (found.length === 0) return judged;
  const logs = found
    .filter(({ log }) => log.state === 'complete')
    .map((each): ReadLog => ({ ...each, parsed: readLines(each.log.lines, ask.now) }));
  const opened = parseTime(since);
  const { errors, about } = findCallErrors(
    logs,
    [
      ...expectedCalls(verdict, ask),
      ...controllerCalls(verdict, ask),
      ...(verdict.stage ? registrarCalls(verdict.journey, verdict.stage, ask) : []),
    ],
    opened === undefined ? Number.NEGATIVE_INFINITY : opened - marginMs,
  );
  const logged = eventsOf(errors);
  const informed = logged.size > 0 ? (again(logged) ?? judged) : judged;
  // An event is nearer to the object than a log: where both say the same, the event is the evidence.
  const effect = effectOf(judged.item, informed.item);
  const isSaid = effect === 'evidence' && quotesEvent(judged.item);
  const second = isSaid || (effect === 'cause' && isProven(judged.item)) ? judged : informed;
  const account = accountOf(judged.item, second.item, found, about, errors);
  const unread = [...second.item.unread, ...unreadLogs(second.item, found, use)];
  // If logs are read without a flag, their absence is not reported.
  const isNews = use.isAsked || logs.length > 0;
  return { ...second, item: { ...second.item, unread, ...(isNews && { logs: account }) } };
}

function needOf({ namespace, pod, container, what }: LogPlace, item: ReportItem, since: string | undefined): LogNeed {
  const opened = parseTime(since);
  return {
    namespace,
    pod,
    container,
    ...(opened !== undefined && { since: new Date(opened - marginMs).toISOString().replace(/\.\d+Z$/, 'Z') }),
    needed: `what ${what.replace(/, leader$/, '')} logged about ${nameOf(item)}`,
  };
}

function nameOf({ target: { kind, name } }: ReportItem): string {
  return `${shortNameOf(kind)}/${name}`;
}

function confidenceOf({ findings }: ReportItem): Confidence | undefined {
  return findings.find(({ role }) => role === 'cause')?.confidence;
}

/** What objects prove, and what tells why: a line of a log is then only one more thing that happened. */
function isProven(item: ReportItem): boolean {
  return item.cause !== undefined && !openCauses.has(item.cause) && confidenceOf(item) === 'certain';
}

const surer: Readonly<Record<Confidence, number>> = { possible: 0, likely: 1, certain: 2 };

function accountOf(
  before: ReportItem,
  after: ReportItem,
  found: readonly { readonly place: LogPlace; readonly log: ContainerLog }[],
  about: ReadonlyMap<ReadLog, number>,
  errors: readonly FoundError[],
): LogAccount {
  const [first] = errors;
  const counts = new Map([...about].map(([{ log }, count]) => [log, count]));
  const effect = effectOf(before, after);
  const confidence = confidenceOf(before);
  return {
    read: found.map(({ place, log }) => readingOf(place, log, counts.get(log) ?? 0)),
    ...(first && { firstError: errorReport(first) }),
    effect,
    ...((effect === 'cause' || effect === 'confidence') && {
      without: { ...(before.cause !== undefined && { cause: before.cause }), ...(confidence && { confidence }) },
    }),
  };
}

function effectOf(before: ReportItem, after: ReportItem): LogAccount['effect'] {
  const cause = after.findings.find(({ role }) => role === 'cause');
  const isQuoted = cause?.evidence.some(({ path }) => path?.startsWith('log[')) === true;
  if (before.cause !== after.cause) return 'cause';
  const [earlier, later] = [confidenceOf(before), cause?.confidence];
  if (earlier && later && surer[later] > surer[earlier]) return 'confidence';
  return isQuoted ? 'evidence' : 'none';
}

/** Events that report who has to act, and no error. */
const reportsWait = /^event (?:ExternalProvisioning|ExternalExpanding|Provisioning|WaitForFirstConsumer)$/;

function quotesEvent({ findings }: ReportItem): boolean {
  const cause = findings.find(({ role }) => role === 'cause');
  return cause?.evidence.some(({ path }) => path?.startsWith('event ') && !reportsWait.test(path)) === true;
}

const refusals = { denied: 'forbidden', failed: 'failed' } as const;
const states = { complete: 'read', denied: 'forbidden', missing: 'gone', failed: 'failed' } as const;

function readingOf({ what }: LogPlace, log: ContainerLog, about: number): LogReading {
  const { namespace, pod, container, previous, state, message, lines, isCut } = log;
  return {
    pod: { kind: 'Pod', namespace, name: pod },
    container,
    ...(previous === true && { previous }),
    what,
    state: state === 'missing' && message === notInDump ? notInDump : states[state],
    ...(message !== undefined && message !== notInDump && { message }),
    lines: lines.length,
    about,
    ...(isCut === true && { isCut }),
  };
}

/** The message of a log that a dump leaves out. */
const notInDump = 'not in the dump';

function errorReport({ source: { log }, rpc, line }: FoundError): LoggedErrorReport {
  return {
    pod: { kind: 'Pod', namespace: log.namespace, name: log.pod },
    container: log.container,
    ...(log.previous === true && { previous: true }),
    ...(rpc !== undefined && { rpc }),
    line: quoteLine(line),
    ...(line.at !== undefined && { at: secondsOnly(line.at) }),
  };
}

/** Logs that were refused matter as long as the cause is not proven; unasked, only where no cause was found at all. */
function unreadLogs(
  item: ReportItem,
  found: readonly { readonly place: LogPlace; readonly log: ContainerLog }[],
  { isAsked }: LogUse,
): Unread[] {
  const { cause } = item;
  const isBlank = cause === undefined || cause === 'blocked-unexplained' || item.status === 'unknown';
  const isSettled = !isBlank && !openCauses.has(cause) && confidenceOf(item) === 'certain';
  if (isSettled || (!isAsked && !isBlank)) return [];
  return found.flatMap(({ place, log: { state, message, previous } }): Unread[] => {
    if (state === 'complete' || previous === true || (state === 'missing' && (message !== notInDump || !isAsked)))
      return [];
    const needed = needOf(place, item, undefined).needed;
    const reason = state === 'missing' ? notInDump : refusals[state];
    return [
      {
        resource: 'pods/log',
        verb: 'get',
        reason,
        needed,
        ...(message !== undefined && state !== 'missing' && { message }),
      },
    ];
  });
}
