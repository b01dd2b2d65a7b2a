import type { Report } from '../core/report/report.ts';
import { screenOf } from '../terminal/output.ts';
import type { ColourChoice } from '../terminal/output.ts';

export type ReportFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

export interface ReportLook {
  readonly output: ReportFormat;
  readonly color: string;
  /** The targets were named: each is answered, healthy or not. */
  readonly named: boolean;
  /** Where was looked, in words. */
  readonly scope?: string;
}

/** Any document for programs. */
export async function renderDocument(document: object, format: 'json' | 'yaml'): Promise<string> {
  const { renderJson, renderYaml } = await import('../terminal/structured.ts');
  return format === 'yaml' ? renderYaml(document) : renderJson(document);
}

export async function renderReport(report: Report, look: ReportLook): Promise<string> {
  if (look.output === 'text' || look.output === 'wide') {
    const { renderText } = await import('../terminal/verdict/text.ts');
    const screen = screenOf(look.color as ColourChoice, process.env, process.stdout);
    return renderText(report, {
      ...screen,
      wide: look.output === 'wide',
      named: look.named,
      ...(look.scope !== undefined && { scope: look.scope }),
    });
  }
  if (look.output !== 'name') return renderDocument(report, look.output);
  const { renderName } = await import('../terminal/structured.ts');
  return renderName(report);
}
