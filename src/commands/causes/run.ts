import { readSentences } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { renderDocument } from '../../cli/render.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import type { CauseRow } from './answer.ts';

interface CausesFlags {
  readonly stage?: string | undefined;
  readonly output: 'text' | 'wide' | 'name' | DocumentFormat;
  readonly 'no-headers': boolean;
  readonly color: string;
}

/** `causes` from its flags to its exit code. */
export async function listCauses(flags: CausesFlags): Promise<ExitCode> {
  const { allCauses } = await import('./answer.ts');
  const rows = allCauses(readSentences()).filter(({ stage }) => flags.stage === undefined || stage === flags.stage);
  await print(await render(rows, flags));
  return exitCodes.ok;
}

async function render(rows: readonly CauseRow[], flags: CausesFlags): Promise<string> {
  if (flags.output === 'name') return rows.map((row) => `${row.cause}\n`).join('');
  if (isDocumentFormat(flags.output))
    return renderDocument({ apiVersion: 'csi.kubectl.dev/v1', kind: 'CauseList', items: rows }, flags.output);
  const { renderCauseList } = await import('./text.ts');
  const screen = stdoutScreen(flags.color);
  const width = flags.output === 'wide' ? Number.MAX_SAFE_INTEGER : screen.width;
  return renderCauseList(rows, { ...screen, width, headers: !flags['no-headers'] });
}
