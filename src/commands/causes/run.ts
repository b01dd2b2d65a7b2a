import { firstSentence, readPages } from '../../cli/cause-pages.ts';
import { UserError } from '../../core/kube/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { renderDocument } from '../../cli/render.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import type { CauseRow } from './answer.ts';

interface CausesFlags {
  readonly stage?: string | undefined;
  readonly search?: string | undefined;
  readonly output: 'text' | 'wide' | 'name' | DocumentFormat;
  readonly 'no-headers': boolean;
  readonly color: string;
}

/** `causes` from its flags to its exit code. */
export async function listCauses(flags: CausesFlags): Promise<ExitCode> {
  const { allCauses, findCauses } = await import('./answer.ts');
  const pages = readPages();
  const sentences = new Map([...pages].map(([cause, page]) => [cause, firstSentence(page)]));
  const known = allCauses(sentences).filter((row) => flags.stage === undefined || row.stages.includes(flags.stage));
  const rows = flags.search === undefined ? known : findCauses(known, pages, flags.search);
  if (rows.length === 0 && flags.search !== undefined) throw nothingFound(flags.search, flags.stage);
  await print(await render(rows, flags));
  return exitCodes.ok;
}

function nothingFound(wanted: string, stage: string | undefined): UserError {
  const of = stage === undefined ? 'no cause' : `no cause of stage ${stage}`;
  return new UserError(`${of} mentions "${wanted}"`, "Pass the whole error instead: kubectl csi explain 'ERROR TEXT'");
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
