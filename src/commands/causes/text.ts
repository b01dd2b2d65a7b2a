import { sanitise } from '../../terminal/sanitise.ts';
import { columnGap } from '../../terminal/columns.ts';
import { renderTable } from '../../terminal/table.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Style } from '../../terminal/theme.ts';
import { hang, usableWidth, widest, wrapText } from '../../terminal/wrap.ts';
import type { CauseRow } from './answer.ts';

const titles = ['CAUSE', 'STAGE', 'SEVERITY', 'SUMMARY'];
/** In a narrower column a sentence would be one word a line. */
const narrowest = 24;
const severityStyle = new Map<string, Style>([
  ['blocking', 'blocked'],
  ['warning', 'unknown'],
  ['info', 'waiting'],
]);

/**
 * All causes as kubectl would list them. A very large width keeps each cause on one line, for pipes; if the sentences
 * do not fit next to the other columns, each goes below its row.
 */
export function renderCauseList(
  rows: readonly CauseRow[],
  options: { readonly width: number; readonly colour: boolean; readonly headers: boolean; readonly ascii?: boolean },
): string {
  if (rows.length === 0) return '';
  const theme = createTheme(options);
  const width = usableWidth(options.width);
  const room = width - widthBeforeSummary(rows, options.headers);
  const isStacked = room < narrowest;
  const summaries = rows.map((row) => theme.prose(sanitise(row.summary)));
  const cells = rows.map((row, index) => [
    sanitise(row.cause),
    stagesText(row),
    theme.paint(severityStyle.get(row.severity) ?? 'strong', sanitise(row.severity)),
    ...(isStacked ? [] : [wrapText(summaries[index] ?? '', room).join('\n')]),
  ]);
  const lines = renderTable([...(options.headers ? [isStacked ? titles.slice(0, -1) : titles] : []), ...cells]);
  const headerLines = options.headers ? 1 : 0;
  const stacked = lines.flatMap((line, index) =>
    index < headerLines ? line : [line, ...hang('    ', summaries[index - headerLines] ?? '', width)],
  );
  return `${(isStacked ? stacked : lines).join('\n')}\n`;
}

/** Without blanks, so that a column stays one word for programs that split lines. */
function stagesText({ stages }: CauseRow): string {
  return sanitise(stages.join(','));
}

function widthBeforeSummary(rows: readonly CauseRow[], headers: boolean): number {
  const columns = rows.map((row) => [sanitise(row.cause), stagesText(row), row.severity]);
  if (headers) columns.push(titles.slice(0, -1));
  return [0, 1, 2].reduce((sum, column) => sum + columnGap + widest(columns.map((cells) => cells[column] ?? '')), 0);
}
