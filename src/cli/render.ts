import type { Diagnosis } from '../core/engine/diagnose.ts';
import { contextFlag } from '../core/kube/context-flag.ts';
import type { Report } from '../core/report/report.ts';
import type { DocumentFormat } from '../terminal/document-format.ts';
import { stdoutScreen } from '../terminal/output.ts';
import type { ConnectionValues } from './connection-flags.ts';
import { commandEnd } from './source-flags.ts';
import type { SourceValues } from './source-flags.ts';

export type ReportFormat = 'text' | 'wide' | 'name' | 'html' | DocumentFormat;

export interface ReportLook {
  readonly output: ReportFormat;
  readonly color: string;
  /** The targets were named, so each of them is reported, healthy or not. */
  readonly named: boolean;
  /** Show every cause in full, however many there are. */
  readonly details?: boolean;
  /** Where the command looked, in words. */
  readonly scope?: string;
  /** The cluster that flags chose, which printed commands have to name. */
  readonly chosen?: SourceValues & ConnectionValues;
}

/** A document for programs to read. Its renderer is loaded only when it is used. */
export async function renderDocument(document: object, format: DocumentFormat): Promise<string> {
  const structured = await import('../terminal/structured.ts');
  return structured.renderDocument(document, format);
}

export async function renderReport(report: Report, look: ReportLook): Promise<string> {
  if (look.output === 'text' || look.output === 'wide') {
    const renderText =
      report.source.contexts === undefined
        ? (await import('../terminal/verdict/text.ts')).renderText
        : (await import('../terminal/verdict/several.ts')).renderSeveralText;
    return renderText(report, {
      ...stdoutScreen(look.color),
      wide: look.output === 'wide',
      details: look.details === true,
      named: look.named,
      ...(look.scope !== undefined && { scope: look.scope }),
      ...(look.chosen && { commandEnd: sourceFlags(look.chosen) }),
    });
  }
  if (look.output === 'html') {
    const { renderReportPage } = await import('../html/verdict/report.ts');
    return renderReportPage(report, { named: look.named, ...(look.scope !== undefined && { scope: look.scope }) });
  }
  if (look.output !== 'name') return renderDocument(report, look.output);
  const { renderName } = await import('../terminal/structured.ts');
  return renderName(report);
}

/** What to append to a command that reads the same dump or cluster again. */
export function sourceFlags(flags: SourceValues & ConnectionValues = {}): string {
  const { kubeconfig, context } = flags;
  const chosen = [
    ...(kubeconfig ? [contextFlag(kubeconfig, '--kubeconfig')] : []),
    ...(context ? [contextFlag(context)] : []),
  ];
  return commandEnd(flags) || chosen.map((flag) => ` ${flag}`).join('');
}

export async function renderDiagnosis(diagnosis: Diagnosis, look: ReportLook): Promise<string> {
  return renderReport(await proveDiagnosis(diagnosis, look), look);
}

/** The report with what each fix would lead to, where something is blocked and fixes are shown. */
export async function proveDiagnosis({ report, snapshot }: Diagnosis, look: ReportLook): Promise<Report> {
  if (look.output === 'name' || report.summary.blocked === 0 || !(await showsFixes(report, look))) return report;
  const { proveFixes } = await import('../core/engine/fixes/prove-fixes.ts');
  const proven = proveFixes(report, snapshot);
  if (look.chosen === undefined) return proven;
  const { inChosenCluster } = await import('./chosen-cluster.ts');
  return inChosenCluster(proven, look.chosen);
}

/** A table of many causes shows no fixes. */
async function showsFixes(report: Report, { output, details }: ReportLook): Promise<boolean> {
  if (output !== 'text' || details === true) return true;
  const { showsDetails } = await import('../terminal/verdict/text.ts');
  return showsDetails(report);
}
