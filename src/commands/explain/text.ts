import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Theme } from '../../terminal/theme.ts';
import { hang, usableWidth } from '../../terminal/wrap.ts';

interface Paper {
  readonly theme: Theme;
  readonly width: number;
}

/** The forms of Markdown that the cause pages use, as lines for a terminal; any other form is printed unchanged. */
export function renderExplain(
  pageMarkdown: string,
  options: { readonly width: number; readonly colour: boolean; readonly ascii?: boolean },
): string {
  const paper: Paper = { theme: createTheme(options), width: usableWidth(options.width) };
  const source = sanitise(pageMarkdown, { newlines: true }).split('\n');
  const lines: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) lines.push(...renderParagraph(paragraph, paper));
    paragraph = [];
  };
  for (let index = 0; index < source.length; index += 1) {
    const line = (source[index] as string).trimEnd();
    const fence = /^( *)(```+|~~~+)/.exec(line);
    if (fence !== null) {
      flush();
      const end = source.findIndex((later, at) => at > index && later.trim() === fence[2]);
      const last = end === -1 ? source.length : end;
      lines.push(...source.slice(index + 1, last).map((code) => renderCode(code, fence[1]?.length ?? 0, paper)));
      index = last;
    } else if (/^#{1,6} /.test(line)) {
      flush();
      lines.push(...renderHeading(line, paper));
    } else if (line.trim() === '') {
      flush();
      lines.push('');
    } else if (line.startsWith('|')) {
      // Wrapping would break the columns of a table.
      flush();
      lines.push(`  ${line}`);
    } else if (isListItem(line) && paragraph.length > 0) {
      flush();
      paragraph.push(line);
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return `${squeeze(lines).join('\n')}\n`;
}

function isListItem(line: string): boolean {
  return /^ *(?:[-*+]|\d+[.)]) /.test(line);
}

function renderHeading(line: string, paper: Paper): string[] {
  const text = inlineText(line.replace(/^#+ +/, '').replace(/ +#+$/, ''), paper);
  return ['', ...hang('', text, paper.width).map((part) => paper.theme.paint('strong', part)), ''];
}

function renderCode(code: string, strip: number, paper: Paper): string {
  const text = code.slice(Math.min(strip, code.length - code.trimStart().length)).trimEnd();
  return text === '' ? '' : `    ${paper.theme.paint('strong', text)}`;
}

/** A paragraph, a list item or a quotation, with its lines joined and wrapped. */
function renderParagraph(source: readonly string[], paper: Paper): string[] {
  const item = /^( *)([-*+]|\d+[.)]) +(.*)$/.exec(source[0] ?? '');
  const rest = source.slice(1).map((line) => line.trim().replace(/^> ?/, ''));
  const opening = item?.[3] ?? (source[0] ?? '').trim().replace(/^> ?/, '');
  const text = inlineText([opening, ...rest].join(' '), paper);
  if (item !== null) {
    const bullet = /\d/.test(item[2] ?? '') ? item[2] : '-';
    return emphasise(hang(`  ${item[1] ?? ''}${bullet} `, text, paper.width), paper);
  }
  return emphasise(hang((source[0] ?? '').startsWith('>') ? '  | ' : '  ', text, paper.width), paper);
}

/** Removes emphasis and shows the addresses of links; code keeps its back quotes, which mark it without colour. */
function inlineText(text: string, paper: Paper): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : paper.theme.prose(plainInline(part))))
    .join('');
}

function plainInline(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_all, label: string, address: string) =>
      label === address || !/^https?:/.test(address) ? label : `${label} (${address})`,
    )
    .replace(/<(https?:[^>\s]*)>/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/(^|[\s(])[*_]([^*_\s](?:[^*_]*[^*_\s])?)[*_](?=[\s).,;:!?]|$)/g, '$1$2');
}

/** Paints inline code, which may continue on the next line. */
function emphasise(lines: readonly string[], paper: Paper): string[] {
  let isCode = false;
  return lines.map((line) => {
    const indent = line.length - line.trimStart().length;
    const parts = line.slice(indent).split('`');
    return (
      line.slice(0, indent) +
      parts
        .map((part, index) => {
          if (index > 0) isCode = !isCode;
          return (index > 0 ? '`' : '') + (isCode ? paper.theme.paint('strong', part) : part);
        })
        .join('')
    );
  });
}

/** Removes repeated blank lines, and those at both ends. */
function squeeze(lines: readonly string[]): string[] {
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  while (kept.at(-1) === '') kept.pop();
  if (kept[0] === '') kept.shift();
  return kept;
}
