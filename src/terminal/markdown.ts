import { commandsOf } from '../core/report/fix-commands.ts';
import type { Fix } from '../core/report/report.ts';
import { fixText } from './verdict/finding.ts';

/** A Markdown table, and nothing where there are no rows. The cells are Markdown already. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [
    `| ${titles.join(' | ')} |`,
    `|${titles.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ];
}

/** Text from a cluster, escaped so that it cannot become markup, HTML, or a link to a person or an issue. */
export function markdownText(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>|~$]/g, (character) => `\\${character}`)
    .replace(/[@#]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A code span: its quotes are longer than any inside it, and a bar would end the table cell. */
export function markdownCode(text: string): string {
  const ticks = '`'.repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${gap}${text.replaceAll('|', '\\|')}${gap}${ticks}`;
}

export function markdownFix(fix: Fix): string {
  const commands = commandsOf(fix);
  if (commands.length === 0) return markdownText(fixText(fix));
  return `${markdownText(fixText(fix).replace(/[.:]$/, ''))}: ${commands.map(markdownCode).join(', then ')}`;
}
