import type { LogAccount, LogReading } from '../../core/report/log-account.ts';
import type { Finding, ReportItem } from '../../core/report/report.ts';
import type { Screen } from '../screen.ts';
import { hang } from '../wrap.ts';
import { objectName } from './nouns.ts';

/** `certain`, and whether the log of a component made it certain. */
export function confidenceText(finding: Finding, screen: Screen): string {
  const { confidence } = finding;
  const line = finding.evidence.find(({ path }) => path?.startsWith('log[') === true);
  if (line === undefined) return confidence;
  const container = /^log\[([^\]]*)\](.*)$/.exec(line.path ?? '');
  const age = screen.age(line.at);
  const earlier = container?.[2] === '' ? '' : ', before its restart';
  return `${confidence}, from the log of ${line.object.name}/${container?.[1] ?? ''}${earlier}${age === undefined ? '' : `, ${age} ago`}`;
}

/** What was read of which log, and the first error; short where the evidence above quotes it already. */
export function renderLogs(item: ReportItem, screen: Screen): string[] {
  const { logs } = item;
  if (logs === undefined) return [];
  const errors = renderFirstError(item, logs, screen);
  const isSilent = errors.length === 0 && logs.effect === 'none';
  const readings = isSilent || screen.wide ? renderReadings(item, logs.read, screen) : [];
  const change = changeText(logs);
  const lines = [...(change === undefined ? [] : hang('  ', change, screen.width, 4)), ...errors, ...readings];
  return lines.length === 0 ? [] : ['Log', ...lines];
}

function changeText({ effect, without }: LogAccount): string | undefined {
  if (effect === 'confidence') return `Without this log, the cause would be only ${without?.confidence ?? 'possible'}.`;
  if (effect !== 'cause') return undefined;
  const before = without?.cause;
  return before === undefined || before === 'blocked-unexplained'
    ? 'Objects and events alone do not show this cause.'
    : `Objects and events alone show ${before} (${without?.confidence ?? 'possible'}).`;
}

function renderFirstError(item: ReportItem, { firstError }: LogAccount, screen: Screen): string[] {
  if (firstError === undefined) return [];
  const quoted = item.findings.flatMap(({ evidence }) => evidence.map(({ value }) => value));
  if (quoted.includes(firstError.line) && !screen.wide) return [];
  const { pod, container, rpc, line, at, previous } = firstError;
  const age = screen.age(at);
  const call = rpc === undefined ? '' : ` is from ${rpc}`;
  const where = `${objectName(pod)}, container ${container}${previous === true ? ', before its restart' : ''}`;
  const head = `The first error about ${objectName(item.target)}${call}${age === undefined ? '' : `, ${age} ago`} (${where}):`;
  return [...hang('  ', head, screen.width, 4), ...hang('    ', line, screen.width, 6)];
}

/** Only what was read is reported as read: a log that is gone proves nothing about its contents. */
function renderReadings(item: ReportItem, read: readonly LogReading[], screen: Screen): string[] {
  return read.flatMap((reading) => {
    const { pod, container, what, previous } = reading;
    const earlier = previous === true ? ' (before its restart)' : '';
    const text = `${objectName(pod)}, container ${container}${earlier}, ${what}: ${outcomeText(item, reading)}`;
    return hang('  ', text, screen.width, 4);
  });
}

function outcomeText(item: ReportItem, { state, lines, about, isCut, message }: LogReading): string {
  const name = objectName(item.target);
  switch (state) {
    case 'forbidden':
      return 'could not be read (forbidden)';
    case 'failed':
      return `could not be read${message === undefined ? '' : `: ${message}`}`;
    case 'gone':
      return 'there is no such log any more';
    case 'not in the dump':
      return 'not in the dump';
    default:
  }
  const extent = `${isCut === true ? 'the last ' : ''}${lines === 1 ? '1 line' : `${lines} lines`}`;
  if (lines === 0) return 'nothing was logged since this stage began';
  return about === 0
    ? `none of ${extent} names ${name}`
    : `${about} of ${extent} ${about === 1 ? 'names' : 'name'} ${name}`;
}
