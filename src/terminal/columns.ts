import { displayWidth, padEnd } from './wrap.ts';

/** Spaces between two columns, as kubectl leaves them. */
export const columnGap = 3;

export interface Cell {
  readonly text: string;
  /** Colours the text, which is measured without it. */
  readonly paint?: (text: string) => string;
}

/** Lines of a long table of short cells, at a cost that grows with their number; no column is narrower than `least` says. */
export function alignColumns(
  rows: readonly (readonly Cell[])[],
  least: readonly number[] = [],
): { readonly lines: string[]; readonly widths: readonly number[] } {
  const widths = [...least];
  for (const row of rows)
    for (const [column, { text }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(text));
  const gap = ' '.repeat(columnGap);
  const lines = rows.map((row) =>
    row
      .map(({ text, paint = (plain) => plain }, column) => {
        const isLast = column === row.length - 1;
        return paint(text) + (isLast ? '' : padEnd(text, widths[column] ?? 0).slice(text.length) + gap);
      })
      .join('')
      .trimEnd(),
  );
  return { lines, widths };
}
