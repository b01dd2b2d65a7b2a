import { UserError } from '../../core/kube/errors.ts';
import { causeNames, firstSentence, readCausePage } from '../../cli/cause-pages.ts';
import type { CausePage } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { renderDocument } from '../../cli/render.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';

export interface ExplainFlags {
  readonly message?: string | undefined;
  readonly output: 'text' | 'wide' | 'markdown' | 'name' | DocumentFormat;
  readonly color: string;
}

/** `explain` from its word and flags to its exit code. */
export async function explainCause(word: string | undefined, flags: ExplainFlags): Promise<ExitCode> {
  const id = word === undefined ? undefined : idIn(word);
  if (flags.message !== undefined || (word !== undefined && id === undefined && isText(word))) {
    // The matcher is loaded for a text only: a page is shown faster than kubectl starts.
    const { explainText } = await import('./run/explain-text.ts');
    return explainText(word, flags);
  }
  if (word === undefined)
    throw new UserError(
      'the id of a cause is missing',
      "Run kubectl csi causes to list them all, or pass the text of an error: kubectl csi explain 'ERROR TEXT'",
    );
  await print(await renderPage(await readCausePage(id ?? word), flags));
  return exitCodes.ok;
}

/** An id as people write it: "SC-MISSING", "sc missing", the path of its page. */
function idIn(word: string): string | undefined {
  if (word.length > longestId) return undefined;
  const id = word
    .trim()
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\.md$/, '')
    .replace(/[\s_]+/g, '-');
  return causeNames().includes(id) ? id : undefined;
}
const longestId = 100;

/** Ids are lower case and have no spaces. */
function isText(word: string): boolean {
  return word === '-' || word.trim() === '' || /\s/.test(word.trim()) || /[A-Z]/.test(word);
}

async function renderPage({ cause, markdown }: CausePage, { output, color }: ExplainFlags): Promise<string> {
  if (output === 'markdown') return markdown;
  if (output === 'name') return `${cause}\n`;
  if (isDocumentFormat(output)) {
    const summary = firstSentence(markdown);
    const document = { apiVersion: 'csi.kubectl.dev/v1', kind: 'CausePage', cause, summary, markdown };
    return renderDocument(document, output);
  }
  const { renderExplain } = await import('./text.ts');
  return renderExplain(markdown, stdoutScreen(color));
}
