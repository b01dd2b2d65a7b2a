import { diagnose } from '../engine/diagnose.ts';
import { UserError } from '../model/errors.ts';
import type { Report, ReportItem } from '../model/report.ts';
import type { Selection } from '../model/selection.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Status } from '../model/status.ts';
import { surveyStatus } from '../survey/status.ts';
import type { StatusSurvey } from '../survey/status.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { commandEnd, openSource, refuseSourceContradictions } from './open-source.ts';
import type { ClusterSource, ConnectionValues, SourceValues } from './open-source.ts';
import { print, screenOf } from './output.ts';
import type { ColourChoice } from './output.ts';
import { withProgress } from './progress.ts';
import { renderDocument } from './render.ts';

export interface StatusFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly output: 'text' | 'wide' | 'json' | 'yaml';
  readonly watch: boolean;
  readonly color: string;
}

/** `status` from its flags to its exit code. */
export async function runStatus(flags: StatusFlags): Promise<ExitCode> {
  refuseSourceContradictions(flags, flags.watch);
  const source = await openSource(flags);
  try {
    if (flags.watch) {
      const { printOnChange, separator, withoutAges } = await import('./watch-loop.ts');
      return await printOnChange(source, { kinds: ['PersistentVolumeClaim', 'Pod', 'CSINode', 'VolumeAttachment'], namespace: namespaceOf(flags) }, async (isFirst) => {
        const status = await readStatus(source, flags);
        const { takenAt, ...rest } = status;
        return { essence: withoutAges(rest), exitCode: exitCodeOfStatus(status), render: async () => separator(flags.output, isFirst, takenAt) + (await renderStatus(status, flags)) };
      });
    }
    const status = await withProgress(`reading ${source.name}`, () => readStatus(source, flags));
    await print(await renderStatus(status, flags));
    return exitCodeOfStatus(status);
  } finally {
    await source.close();
  }
}

/** The whole cluster is meant unless a namespace is named: a screen of the current namespace alone would hide the rest. */
function namespaceOf(flags: StatusFlags): string | undefined {
  return flags['all-namespaces'] || !flags.namespace ? undefined : flags.namespace;
}

async function readStatus(source: ClusterSource, flags: StatusFlags): Promise<Status> {
  const namespace = namespaceOf(flags);
  const selection: Selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  const { status, noNamespace } = await source.answer((snapshot) => askStatus(snapshot, selection, commandEnd(flags)), { search: selection });
  if (noNamespace) throw noNamespaceError(namespace, noNamespace);
  return status;
}

export function noNamespaceError(namespace: string | undefined, near: readonly string[]): UserError {
  return new UserError(`there is no namespace ${namespace ?? ''}`, near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'leave -n out to see the whole cluster');
}

export interface StatusAnswer extends StatusSurvey {
  /** The verdicts that the survey was made with. */
  readonly verdicts: { readonly stuck: Report; readonly drivers: readonly ReportItem[] };
}

/** The survey and the verdicts beside it, from one snapshot; what either lacks is read before both are made again. */
export function askStatus(snapshot: Snapshot, selection: Selection, end = ''): StatusAnswer {
  const stuck = diagnose(snapshot, selection);
  const needs = [...stuck.needs];
  let drivers: readonly ReportItem[] = [];
  const judgeDrivers = (names: readonly string[]) => {
    const diagnosis = diagnose(snapshot, { targets: names.map((name) => ({ kind: 'CSIDriver', name })) });
    needs.push(...diagnosis.needs);
    return (drivers = diagnosis.report.items);
  };
  const survey = surveyStatus(snapshot, { commandEnd: end, ...(selection.namespace !== undefined && { namespace: selection.namespace }) }, { stuck: stuck.report, judgeDrivers });
  return { ...survey, needs: [...needs, ...survey.needs], verdicts: { stuck: stuck.report, drivers } };
}

/** A dump that leaves out what only describes leaves no verdict open; one without claims or pods does, and so does a refusal. */
export function exitCodeOfStatus({ summary, isSearched }: Status): ExitCode {
  if (summary.blocked > 0) return exitCodes.blocked;
  return summary.unknown > 0 || !isSearched ? exitCodes.inconclusive : exitCodes.ok;
}

async function renderStatus(status: Status, flags: StatusFlags): Promise<string> {
  if (flags.output === 'text' || flags.output === 'wide') {
    const { renderStatusText } = await import('../report/status-text.ts');
    return renderStatusText(status, { ...screenOf(flags.color as ColourChoice, process.env, process.stdout), wide: flags.output === 'wide' });
  }
  return renderDocument(status, flags.output);
}
