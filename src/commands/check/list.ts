import type { OwnCheck } from '../../core/report/check.ts';
import { alignColumns } from '../../terminal/columns.ts';
import { createTheme } from '../../terminal/theme.ts';
import { hang, usableWidth } from '../../terminal/wrap.ts';

/** The checks that are no causes, each with its sentence. */
export function renderCheckList(
  checks: readonly OwnCheck[],
  options: { readonly width: number; readonly colour: boolean; readonly ascii?: boolean },
): string {
  const theme = createTheme(options);
  const width = usableWidth(options.width);
  const { lines } = alignColumns([
    [{ text: 'CHECK' }, { text: 'SEVERITY' }],
    ...checks.map(({ id, severity }) => [
      { text: id },
      { text: severity, paint: (text: string) => theme.paint(severity === 'blocking' ? 'blocked' : 'unknown', text) },
    ]),
  ]);
  const [title = '', ...rows] = lines;
  const told = rows.flatMap((row, index) => [row, ...hang('    ', theme.prose(checks[index]?.summary ?? ''), width)]);
  return `${[title, ...told, '', ...hang('', 'beside these, every cause is looked for: kubectl csi causes', width)].join('\n')}\n`;
}
