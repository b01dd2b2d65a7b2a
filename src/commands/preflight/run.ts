import { readManifests } from '../../io/files/manifests.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { PreflightReport } from '../../core/report/preflight.ts';
import { preflight } from './answer.ts';
import { addToJobSummary, writeJunitFile } from '../../cli/ci-files.ts';
import { exitCodeOfPreflight } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { openSource } from '../../cli/open-source.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, printWorkflow, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { renderDocument } from '../../cli/render.ts';
import type { preflightFormats } from './format.ts';

interface PreflightFlags extends SourceValues, ConnectionValues {
  readonly filename: readonly string[] | undefined;
  readonly recursive: boolean;
  readonly namespace?: string | undefined;
  readonly output: (typeof preflightFormats)[number] | DocumentFormat;
  readonly 'junit-file'?: string | undefined;
  readonly color: string;
}

/** `preflight` from its flags to its exit code. */
export async function runPreflight(words: readonly string[], flags: PreflightFlags): Promise<ExitCode> {
  const paths = flags.filename ?? [];
  if (words.length > 0)
    throw new UserError(`"${words[0]}" is not a flag`, `Pass manifests with -f: kubectl csi preflight -f ${words[0]}`);
  if (paths.length === 0)
    throw new UserError('no manifest was given', 'Pass files or directories with -f, or -f - for standard input');
  if (paths.filter((path) => path === '-').length + (flags.from ?? []).filter((path) => path === '-').length > 1)
    throw new UserError(
      'standard input cannot be both the manifests and the dump',
      'Pass the manifests or the dump as a file',
    );
  refuseSourceContradictions(flags);
  const manifests = await readManifests(paths, { recursive: flags.recursive, stdin: process.stdin });
  const source = await openSource(flags);
  try {
    const namespace = flags.namespace || source.namespace || 'default';
    const { report: found } = await withProgress(`reading ${source.name}`, () =>
      source.answer((snapshot) => preflight(snapshot, manifests, namespace)),
    );
    const report = await inChosenCluster(found, flags);
    await (flags.output === 'github' ? printWorkflow : print)(await render(report, flags));
    await writeCiFiles(report, flags);
    return exitCodeOfPreflight(report);
  } finally {
    await source.close();
  }
}

async function writeCiFiles(report: PreflightReport, { output, 'junit-file': junitFile }: PreflightFlags) {
  if (junitFile !== undefined)
    await writeJunitFile(junitFile, (await import('./junit.ts')).renderPreflightJunit(report));
  if (output === 'github') await addToJobSummary((await import('./markdown.ts')).renderPreflightMarkdown(report));
}

async function render(report: PreflightReport, flags: PreflightFlags): Promise<string> {
  if (isDocumentFormat(flags.output)) return renderDocument(report, flags.output);
  switch (flags.output) {
    case 'junit':
      return (await import('./junit.ts')).renderPreflightJunit(report);
    case 'github':
      return (await import('./github.ts')).renderPreflightGithub(report);
    case 'markdown':
      return (await import('./markdown.ts')).renderPreflightMarkdown(report);
    case 'html':
      return (await import('./html.ts')).renderPreflightPage(report);
    default: {
      const { renderPreflight } = await import('./text.ts');
      return renderPreflight(report, {
        ...stdoutScreen(flags.color),
        wide: flags.output === 'wide',
        endOf: endOfSource(flags),
      });
    }
  }
}
