/**
 * RFC 3339 as the API writes it, with or without a fraction; Date.parse alone would take `2024` and the 31st of June.
 */
const timePattern = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.(\d{1,9})\d*)?(?:Z|[+-]\d{2}:\d{2})$/;

const millisecondsPerSecond = 1000;
/** How Go writes a time that was never set. */
const neverSet = Date.parse('0001-01-01T00:00:00Z');

/** Rules parse the same few times over and over. */
const parsed = new Map<string, number | undefined>();
const mostParsed = 20_000;

/** Milliseconds since 1970; undefined for what is not a time, or is Go's zero time. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const known = parsed.get(text);
  if (known !== undefined || parsed.has(text)) return known;
  if (parsed.size >= mostParsed) parsed.clear();
  const milliseconds = readTime(text);
  parsed.set(text, milliseconds);
  return milliseconds;
}

function readTime(text: string): number | undefined {
  const match = timePattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day] = match;
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) > daysInMonth) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) || milliseconds === neverSet ? undefined : milliseconds;
}

/** Whole seconds, towards zero; negative when `toMs` is the earlier one. */
export function secondsBetween(fromMs: number, toMs: number): number {
  // Adding zero turns -0 into 0.
  return Math.trunc((toMs - fromMs) / millisecondsPerSecond) + 0;
}

/**
 * An age as kubectl prints it (apimachinery pkg/util/duration HumanDuration): at most three digits a unit, at most two
 * units.
 */
export function ageText(fromMs: number, toMs: number): string {
  const seconds = secondsBetween(fromMs, toMs);
  // Clocks differ by a second or so; more than that in the future cannot be an age.
  if (Number.isNaN(seconds) || seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
