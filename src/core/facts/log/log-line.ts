import { parseTime } from '../../kube/time.ts';
import { goWord, pairsOf } from './key-values.ts';

/** One line of a log, whichever format it is in. */
export interface LogLine {
  /** As written, without the time that the source put before it. */
  readonly text: string;
  /** RFC 3339, where it is known. */
  readonly at?: string;
  readonly level: 'error' | 'warning' | 'info' | undefined;
  readonly message: string;
  /** The values of a structured line, by name. */
  readonly values: ReadonlyMap<string, string>;
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;
/** klog prints a value of several lines as `err=<`, each line behind a tab, and ` >` at the end. */
const continuation = /^(?:\t| >)/;
const mostContinued = 30;

/** The lines of a log; `clock` gives the year that klog leaves out. */
export function readLines(lines: readonly string[], clock: number): LogLine[] {
  const joined: { at: string | undefined; text: string; parts: number }[] = [];
  for (const line of lines) {
    const at = stamp.exec(line)?.[1];
    const text = at === undefined ? line : line.replace(stamp, '');
    const before = joined.at(-1);
    if (before !== undefined && continuation.test(text) && before.parts < mostContinued) {
      before.text += `\n${text}`;
      before.parts += 1;
    } else if (text.trim() !== '') joined.push({ at, text, parts: 1 });
  }
  return joined.map(({ at, text }) => readLine(text, at, clock));
}

function readLine(text: string, at: string | undefined, clock: number): LogLine {
  const read = readKlog(text, clock) ?? readJson(text) ?? readLogfmt(text) ?? plain(text);
  const written = at ?? read.at;
  return {
    text,
    ...(written !== undefined && { at: written }),
    level: read.level,
    message: read.message,
    values: read.values,
  };
}

type Read = Omit<LogLine, 'text'>;

const klogHeader = /^([IWEF])(\d\d)(\d\d) (\d\d:\d\d:\d\d)(\.\d+)?\s+\d+ [^\s\]]+\] ?([^]*)$/;
const klogLevels: Readonly<Record<string, LogLine['level']>> = { I: 'info', W: 'warning', E: 'error', F: 'error' };

/** k8s.io/klog/v2: `E0301 11:58:02.123456       1 controller.go:974] message`, or `"message" key="value"` behind the header. */
function readKlog(text: string, clock: number): Read | undefined {
  const match = klogHeader.exec(text);
  if (!match) return undefined;
  const [, letter = '', month = '', day = '', time = '', fraction = '', body = ''] = match;
  const at = withYear(`${month}-${day}T${time}${fraction.slice(0, 4)}Z`, clock);
  return { ...structured(body), level: klogLevels[letter], ...(at !== undefined && { at }) };
}

/**
 * A container logs in UTC unless its image says otherwise; a line of December that is read in January is of last year.
 */
function withYear(rest: string, clock: number): string | undefined {
  const year = new Date(clock).getUTCFullYear();
  const day = 24 * 60 * 60_000;
  const found = [year, year - 1].find(
    (each) => (parseTime(`${each}-${rest}`) ?? Number.POSITIVE_INFINITY) <= clock + day,
  );
  return found === undefined ? undefined : `${found}-${rest}`;
}

function structured(body: string): Pick<Read, 'message' | 'values'> {
  const quoted = /^("(?:[^"\\]|\\.)*")(?=\s|$)\s*([^]*)$/.exec(body);
  if (!quoted) return { message: body.trim(), values: none };
  return { message: goWord(quoted[1] ?? ''), values: pairsOf(quoted[2] ?? '') };
}

const levelWords: Readonly<Record<string, LogLine['level']>> = {
  error: 'error',
  err: 'error',
  fatal: 'error',
  panic: 'error',
  critical: 'error',
  warn: 'warning',
  warning: 'warning',
  info: 'info',
  debug: 'info',
  trace: 'info',
};

/** zap, logrus in JSON, and klog with --logging-format=json, where an error has no level but a field of its own. */
function readJson(text: string): Read | undefined {
  if (!text.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const values = new Map(Object.entries(value).map(([key, item]) => [key, wordOf(item)]));
  return fromValues(values);
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** logrus as text: `time="…" level=error msg="…"`. */
function readLogfmt(text: string): Read | undefined {
  if (!/^(?:time|ts|level|msg)=/.test(text) || !/\bmsg=/.test(text)) return undefined;
  return fromValues(pairsOf(text));
}

function fromValues(values: ReadonlyMap<string, string>): Read {
  const first = (...keys: readonly string[]): string => keys.map((key) => values.get(key)).find((text) => text) ?? '';
  const at = timeOf(first('ts', 'time', 'timestamp', '@timestamp'));
  const named = levelWords[first('level', 'severity', 'lvl').toLowerCase()];
  return {
    level: named ?? (first('err', 'error') === '' ? undefined : 'error'),
    message: first('msg', 'message'),
    values,
    ...(at !== undefined && { at }),
  };
}

/** zap counts seconds, klog in JSON milliseconds. */
function timeOf(text: string): string | undefined {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return new Date(Number(text) * 1000).toISOString();
  if (/^\d{13}(?:\.\d+)?$/.test(text)) return new Date(Number(text)).toISOString();
  return parseTime(text) === undefined ? undefined : text;
}

function plain(text: string): Read {
  return { level: undefined, message: text.trim(), values: none };
}

const none: ReadonlyMap<string, string> = new Map();
