import type { Diagnosis } from '../core/engine/diagnose.ts';
import type { Report } from '../core/report/report.ts';
import type { DocumentFormat } from '../terminal/document-format.ts';
import { stdoutScreen } from '../terminal/output.ts';
import type { EndOf, Hint } from '../terminal/screen.ts';
import type { ConnectionValues } from './connection-flags.ts';
import { endOfSource, inChosenCluster } from './chosen-cluster.ts';
import type { SourceValues } from './source-flags.ts';

export type ReportFormat = 'text' | 'wide' | 'name' | 'html' | DocumentFormat;

export interface ReportLook {
  readonly output: ReportFormat;
  readonly color: string;
  /** The targets were named, so each of them is reported, healthy or not. */
  readonly named: boolean;
  /** Show every cause in full, even if there are many. */
  readonly details?: boolean;
  /** Where the command searched, in words. */
  readonly scope?: string;
  /** The cluster that flags chose, which printed commands have to name. */
  readonly chosen?: SourceValues & ConnectionValues;
  /** Where the details are, instead of a command that asks this cluster. */
  readonly hint?: Hint;
  /** The same for several clusters. */
  readonly endOf?: EndOf;
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
      ...(look.hint && { hint: look.hint }),
      endOf: look.endOf ?? endOfSource(look.chosen),
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

export async function renderDiagnosis(diagnosis: Diagnosis, look: ReportLook): Promise<string> {
  return renderReport(await proveDiagnosis(diagnosis, look), look);
}

/** The report with what each fix would lead to, where something is blocked and fixes are shown. */
export async function proveDiagnosis({ report, snapshot }: Diagnosis, look: ReportLook): Promise<Report> {
  if (look.output === 'name' || !(await showsFixes(report, look))) return report;
  const proven = report.summary.blocked === 0 ? report : await prove(report, snapshot);
  return look.chosen === undefined ? proven : inChosenCluster(proven, look.chosen);
}

async function prove(report: Report, snapshot: Diagnosis['snapshot']): Promise<Report> {
  const { proveFixes } = await import('../core/engine/fixes/prove-fixes.ts');
  return proveFixes(report, snapshot);
}

/** A table of many causes shows no fixes. */
async function showsFixes(report: Report, { output, details }: ReportLook): Promise<boolean> {
  if (output !== 'text' || details === true) return true;
  const { showsDetails } = await import('../terminal/verdict/text.ts');
  return showsDetails(report);
}
