import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { mayAskSeveral } from '../../cli/contexts/contexts-flags.ts';
import type { ContextsValues } from '../../cli/contexts/contexts-flags.ts';
import { exitCodeOfStatus } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { refuseWatchedPage } from '../../cli/output-format.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { readStatus } from '../../cli/read/read-status.ts';
import { renderDocument } from '../../cli/render.ts';
import { commandEnd, refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import type { Status } from '../../core/report/status.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';

export interface StatusFlags extends SourceValues, ConnectionValues, ContextsValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly output: 'text' | 'wide' | 'html' | DocumentFormat;
  readonly watch: boolean;
  readonly color: string;
}

/** `status` from its flags to its exit code. */
export async function runStatus(flags: StatusFlags): Promise<ExitCode> {
  refuseSourceContradictions(flags, flags.watch);
  refuseWatchedPage(flags.output, flags.watch);
  if (mayAskSeveral(flags)) {
    const { statusOfSeveral } = await import('./run/several.ts');
    const exitCode = await statusOfSeveral(flags, (source, end) => readStatus(source, namespaceOf(flags), end));
    if (exitCode !== undefined) return exitCode;
  }
  const source = await openSource(flags);
  try {
    if (flags.watch) return await watchStatus(source, flags);
    const status = await withProgress(`reading ${source.name}`, () =>
      readStatus(source, namespaceOf(flags), commandEnd(flags)),
    );
    await print(await renderStatus(status, flags));
    return exitCodeOfStatus(status);
  } finally {
    await source.close();
  }
}

async function watchStatus(source: ClusterSource, flags: StatusFlags): Promise<ExitCode> {
  const { printOnChange, separator, watchOf, withoutAges } = await import('../../cli/watch-loop.ts');
  const kinds = ['PersistentVolumeClaim', 'Pod', 'CSINode', 'VolumeAttachment'] as const;
  return printOnChange(
    async (isFirst) => {
      const status = await readStatus(source, namespaceOf(flags), commandEnd(flags));
      const { takenAt, ...rest } = status;
      return {
        essence: withoutAges(rest),
        exitCode: exitCodeOfStatus(status),
        render: async () => separator(flags.output, isFirst, takenAt) + (await renderStatus(status, flags)),
      };
    },
    { watch: watchOf(source, { kinds, namespace: namespaceOf(flags) }) },
  );
}

/** The whole cluster unless a namespace is named: a screen of the current namespace alone would hide the rest. */
function namespaceOf(flags: StatusFlags): string | undefined {
  return flags['all-namespaces'] || !flags.namespace ? undefined : flags.namespace;
}

async function renderStatus(found: Status, flags: StatusFlags): Promise<string> {
  const status = await inChosenCluster(found, flags);
  if (isDocumentFormat(flags.output)) return renderDocument(status, flags.output);
  if (flags.output === 'html') return (await import('../../html/status/page.ts')).renderStatusPage(status);
  const { renderStatusText } = await import('./text.ts');
  return renderStatusText(status, {
    ...stdoutScreen(flags.color),
    wide: flags.output === 'wide',
    endOf: endOfSource(flags),
  });
}
