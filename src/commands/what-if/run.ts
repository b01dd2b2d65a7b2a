import { readManifests } from '../../io/files/manifests.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { WhatIfReport } from '../../core/report/what-if.ts';
import { exitCodeOfWhatIf } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { openSource } from '../../cli/open-source.ts';
import { refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { renderDocument } from '../../cli/render.ts';
import { whatIf } from './answer.ts';
import type { whatIfFormats } from './format.ts';
import { misnomerError } from './misnomer.ts';
import { parseOperations } from './parse.ts';

interface WhatIfFlags extends SourceValues, ConnectionValues {
  readonly filename: readonly string[] | undefined;
  readonly recursive: boolean;
  readonly replicas: readonly string[] | undefined;
  readonly namespace?: string | undefined;
  readonly output: (typeof whatIfFormats)[number] | DocumentFormat;
  readonly color: string;
}

/** `what-if` from its words and flags to its exit code. */
export async function runWhatIf(words: readonly string[], flags: WhatIfFlags): Promise<ExitCode> {
  const paths = flags.filename ?? [];
  if (paths.filter((path) => path === '-').length + (flags.from ?? []).filter((path) => path === '-').length > 1)
    throw new UserError(
      'standard input cannot be both the manifests and the dump',
      'Pass the manifests or the dump as a file',
    );
  refuseSourceContradictions(flags);
  const particulars = { namespace: flags.namespace || 'default', replicas: flags.replicas ?? [], manifests: [] };
  // Mistakes in the words are reported before anything is read.
  if (paths.length === 0) await parseOperations(words, particulars);
  const manifests =
    paths.length === 0 ? [] : await readManifests(paths, { recursive: flags.recursive, stdin: process.stdin });
  const source = await openSource(flags);
  try {
    const namespace = flags.namespace || source.namespace || 'default';
    const operations = await parseOperations(words, { ...particulars, namespace, manifests });
    const { report, misnomers } = await withProgress(`reading ${source.name}`, () =>
      source.answer((snapshot) => whatIf(snapshot, operations, namespace)),
    );
    if (misnomers.length > 0) throw misnomerError(misnomers);
    await print(await render(await inChosenCluster(report, flags), flags));
    return exitCodeOfWhatIf(report);
  } finally {
    await source.close();
  }
}

async function render(report: WhatIfReport, flags: WhatIfFlags): Promise<string> {
  if (isDocumentFormat(flags.output)) return renderDocument(report, flags.output);
  switch (flags.output) {
    case 'markdown':
      return (await import('./markdown.ts')).renderWhatIfMarkdown(report);
    case 'html':
      return (await import('./html.ts')).renderWhatIfPage(report);
    case 'name':
      return (await import('./name.ts')).renderWhatIfNames(report);
    default: {
      const { renderWhatIf } = await import('./text.ts');
      return renderWhatIf(report, {
        ...stdoutScreen(flags.color),
        wide: flags.output === 'wide',
        endOf: endOfSource(flags),
      });
    }
  }
}
