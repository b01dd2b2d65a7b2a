import type { OwnCheck } from '../../core/report/check.ts';
import { renderTable } from '../../terminal/table.ts';
import { createTheme } from '../../terminal/theme.ts';
import { hang, usableWidth } from '../../terminal/wrap.ts';

/** The checks that are no causes, each with its sentence. */
export function renderCheckList(
  checks: readonly OwnCheck[],
  options: { readonly width: number; readonly colour: boolean; readonly ascii?: boolean },
): string {
  const theme = createTheme(options);
  const width = usableWidth(options.width);
  const [title = '', ...rows] = renderTable([
    ['CHECK', 'SEVERITY'],
    ...checks.map(({ id, severity }) => [id, theme.paint(severity === 'blocking' ? 'blocked' : 'unknown', severity)]),
  ]);
  const told = rows.flatMap((row, index) => [row, ...hang('    ', theme.prose(checks[index]?.summary ?? ''), width)]);
  const more = hang('', 'In addition, check reports every cause: kubectl csi causes lists them.', width);
  return `${[title, ...told, '', ...more].join('\n')}\n`;
}
