import { columnGap } from '../../terminal/columns.ts';
import { statusState, statusStyle } from '../../terminal/theme.ts';
import { displayWidth, padEnd } from '../../terminal/wrap.ts';
import { fitText, plainSpans } from '../spans.ts';
import type { Span } from '../spans.ts';
import type { TuiTheme } from '../theme.ts';
import type { CauseRow, CellRow, KeyRow, Row } from '../view-models/rows.ts';

/** The pieces of a row. */
export function rowSpans(row: Exclude<Row, KeyRow>, width: number, theme: TuiTheme): readonly Span[] {
  switch (row.type) {
    case 'title':
      return [{ text: row.text, style: 'strong' }];
    case 'text':
      return [{ text: row.text }];
    case 'cause':
      return causeSpans(row, width, theme);
    case 'cells':
      return cellSpans(row);
  }
}

/** With less room than this the sentence is left out. */
const leastSummary = 24;

function causeSpans(row: CauseRow, width: number, theme: TuiTheme): Span[] {
  const { columns, status, cause, age, subject, summary } = row;
  const start: Span[] = [
    { text: `${foldMark(row, theme)} ` },
    { text: theme.glyph[statusState[status]], style: statusStyle[status] },
    { text: ' ' },
    { text: fitText(cause, columns.cause, theme.ellipsis), style: 'strong' },
    { text: ` ${age.padStart(columns.age)}  ` },
  ];
  const room = width - displayWidth(plainSpans(start)) - columns.subject - 4;
  if (room < leastSummary) return [...start, { text: subject }];
  return [...start, { text: `${fitText(subject, columns.subject, theme.ellipsis)}  ${summary}` }];
}

function foldMark({ fold }: CauseRow, { folded, unfolded }: TuiTheme): string {
  if (fold === undefined) return ' ';
  return fold === 'folded' ? folded : unfolded;
}

/** Each cell as wide as its column, except the last one. */
function cellSpans({ cells, widths }: CellRow): Span[] {
  const last = cells.length - 1;
  return cells.flatMap(({ text, style }, column): Span[] => {
    if (column === last) return [{ text, style }];
    const padding = padEnd(text, widths[column] ?? 0).slice(text.length) + ' '.repeat(columnGap);
    return [{ text, style }, { text: padding }];
  });
}

/** The same text with the wanted word standing out; the colours of such a line are dropped. */
export function withFound(spans: readonly Span[], wanted: string): readonly Span[] {
  if (wanted === '') return spans;
  const plain = plainSpans(spans);
  const at = plain.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return spans;
  const end = at + wanted.length;
  return [{ text: plain.slice(0, at) }, { text: plain.slice(at, end), style: 'reversed' }, { text: plain.slice(end) }];
}
