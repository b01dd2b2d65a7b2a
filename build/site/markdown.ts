/** Markdown of generated pages: text from anywhere may hold any character. */

/** Text as inline code, whatever back quotes it holds. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Within a table, also inside of code. */
function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Prose that is no Markdown and no HTML. */
export function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>{}#|]/g, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

export function block(text: string, language = ''): string {
  return `\`\`\`${language}\n${text.replace(/\n+$/, '')}\n\`\`\``;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** The head of a page. JSON is YAML. */
export function frontmatter(fields: Readonly<Record<string, unknown>>): string {
  return `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')}---\n\n`;
}
