import { ageText } from '../../core/kube/time.ts';
import type { TraceAccount, TraceSpan } from '../../core/report/trace.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import type { Screen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/theme.ts';
import { hang, padEnd, widest } from '../../terminal/wrap.ts';

const barWidth = 20;
/** With less room next to the numbers, the bar is left out and the note goes below. */
const leastRoom = 36;

/** Where the time went: a line for each stage, with its share of the time in which a component had to act. */
export function renderAccount(account: TraceAccount, isOnly: boolean, screen: Screen): string[] {
  const { theme } = screen;
  const timed = account.spans.filter(({ seconds }) => seconds !== undefined);
  if (timed.length === 0) return [];
  const whose = isOnly ? '' : `  ${objectName(account.object)}`;
  const title = `${theme.paint('strong', 'where the time went')}${whose}${account.seconds === 0 ? '' : `  ${durationText(account.seconds)} in all`}`;
  const rows = account.spans.filter((span) => span.state !== 'unreached');
  const nameWidth = widest(rows.map(nameOf));
  const timeWidth = Math.max(2, widest(rows.map((span) => spanTime(span, screen))));
  const lines = rows.flatMap((span) => renderSpan(span, nameWidth, timeWidth, screen));
  const unreached = account.spans.filter(({ state }) => state === 'unreached').map(nameOf);
  return [
    title,
    ...lines,
    ...(unreached.length > 0
      ? hang('  ', `${unreached.join(', ')}: not reached`, screen.width).map((line) => theme.paint('faint', line))
      : []),
  ];
}

const styles: Readonly<Record<TraceSpan['state'], Style | undefined>> = {
  done: undefined,
  open: 'waiting',
  idle: 'faint',
  unneeded: 'faint',
  unreached: 'faint',
};

function renderSpan(span: TraceSpan, nameWidth: number, timeWidth: number, screen: Screen): string[] {
  const { theme, width } = screen;
  const time = spanTime(span, screen);
  const share = span.percent === undefined ? '    ' : `${String(span.percent).padStart(3)}%`;
  const lead = `  ${padEnd(nameOf(span), nameWidth)}  ${time.padStart(timeWidth)}  ${share}  `;
  const room = width - lead.length;
  const bar =
    span.percent === undefined || room < leastRoom
      ? ''
      : theme.rule.repeat(Math.round((span.percent * barWidth) / 100));
  const note = noteOf(span);
  const lines = renderLine(lead, bar, theme.prose(note), width);
  const style = styles[span.state];
  return style === undefined ? lines : lines.map((line) => theme.paint(style, line));
}

function renderLine(lead: string, bar: string, note: string, width: number): string[] {
  if (note === '') return [`${lead}${bar}`.trimEnd()];
  if (width - lead.length < leastRoom) return [lead.trimEnd(), ...hang('    ', note, width)];
  return hang(`${lead}${bar}${bar === '' ? '' : ' '}`, note, width, lead.length);
}

export function nameOf({ stages }: TraceSpan): string {
  return stages.join(' + ');
}

export function noteOf({ state, note, seconds }: TraceSpan): string {
  if (state === 'unneeded') return 'not needed';
  if (state === 'idle') return note === undefined ? 'no action needed' : `no action needed: ${note}`;
  return [state === 'open' ? 'still open' : undefined, seconds === undefined ? (note ?? 'time unknown') : note]
    .filter(Boolean)
    .join(', ');
}

function spanTime({ seconds, certainty, state }: TraceSpan, { theme }: Screen): string {
  if (seconds === undefined) return state === 'unneeded' ? '-' : '?';
  return `${certainty === 'latest' ? theme.prose('≤') : ''}${durationText(seconds)}`;
}

/** Most times have a resolution of one second, so zero means less than one. */
export function durationText(seconds: number): string {
  return seconds === 0 ? '<1s' : ageText(0, seconds * 1000);
}
