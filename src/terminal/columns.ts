import { displayWidth, padEnd } from './wrap.ts';

/** Spaces between two columns, as kubectl prints them. */
export const columnGap = 3;

export interface Cell {
  readonly text: string;
  /** Colours the text; its width is measured without the colour. */
  readonly paint?: (text: string) => string;
}

/**
 * The lines of a table that may be long; no column is narrower than in `least`. Other tables are laid out by cli-table3
 * (table.ts), which takes time quadratic in the number of rows: 40 s for 10,000 rows, for which this takes 50 ms.
 */
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
