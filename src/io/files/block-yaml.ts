import { keyEnd, knownKey } from './yaml-keys.ts';
import { checkPlain, closingQuote, fold, foldEscaped, giveUp, resolvePlain, unescape } from './yaml-scalars.ts';

/**
 * Reads the plain block style in which Kubernetes tools write YAML, many times faster than a full parser
 * (docs/dependencies.md): nested block mappings and sequences, plain, quoted and block scalars. For anything else
 * (anchors, tags, flow collections that are not empty, comments after values, tabs) the result is `unsure`, never a
 * guess, and the full parser reads it.
 */
export const unsure: unique symbol = Symbol('unsure');

const deepest = 256;
const blockHeader = /^[|>](?:([1-9])([-+]?)|([-+])([1-9])?)?$/;

/** One YAML document without its markers as plain values, or `unsure`. */
export function parseBlockYaml(text: string): unknown {
  try {
    return new BlockReader(text).readDocument();
  } catch (error) {
    if (error === giveUp) return unsure;
    throw error;
  }
}

class BlockReader {
  readonly #lines: string[];
  #line = 0;
  /** Where the unread part of the current line begins: after the `- ` of the sequences that it opens. */
  #column = 0;
  #depth = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
    // Nothing follows the last line break; an empty line there would add a line break to a `|+` scalar.
    if (this.#lines.at(-1) === '') this.#lines.pop();
  }

  readDocument(): unknown {
    if (!this.#toContent()) return null;
    const value = this.#readNode(-1);
    if (this.#toContent()) throw giveUp;
    return value;
  }

  /** Moves to the first column of the next line that is neither blank nor a comment; false at the end. */
  #toContent(): boolean {
    for (; this.#line < this.#lines.length; this.#line += 1, this.#column = 0) {
      const line = this.#lines[this.#line] as string;
      let column = this.#column;
      while (line.charCodeAt(column) === 32) column += 1;
      if (column === line.length) continue;
      const first = line.charCodeAt(column);
      if (first === 9) throw giveUp;
      if (first === 35) continue;
      this.#column = column;
      return true;
    }
    return false;
  }

  #nextLine(): void {
    this.#line += 1;
    this.#column = 0;
  }

  #readNode(parent: number): unknown {
    if (++this.#depth > deepest) throw giveUp;
    const line = this.#lines[this.#line] as string;
    const opensItem =
      line.charCodeAt(this.#column) === 45 &&
      (this.#column + 1 === line.length || line.charCodeAt(this.#column + 1) === 32);
    const value = opensItem ? this.#readSequence() : this.#readMappingOrScalar(line, parent);
    this.#depth -= 1;
    return value;
  }

  #readMappingOrScalar(line: string, parent: number): unknown {
    return keyEnd(line, this.#column) >= 0 ? this.#readMapping() : this.#readScalar(parent);
  }

  #readSequence(): unknown[] {
    const indent = this.#column;
    const items: unknown[] = [];
    while (this.#toContent() && this.#column === indent) {
      const line = this.#lines[this.#line] as string;
      if (line.charCodeAt(indent) !== 45 || (indent + 1 < line.length && line.charCodeAt(indent + 1) !== 32)) break;
      this.#column = indent + 1;
      const here = this.#line;
      if (!this.#toContent()) {
        items.push(null);
        break;
      }
      if (this.#line === here || this.#column > indent) items.push(this.#readNode(indent));
      else items.push(null);
    }
    if (this.#line < this.#lines.length && this.#column > indent) throw giveUp;
    return items;
  }

  #readMapping(): Record<string, unknown> {
    const indent = this.#column;
    const mapping: Record<string, unknown> = {};
    while (this.#toContent() && this.#column === indent) {
      const line = this.#lines[this.#line] as string;
      const end = keyEnd(line, indent);
      if (end < 0) throw giveUp;
      const key = knownKey(line.slice(indent, end));
      this.#column = end + 1;
      const value = this.#readValue(indent, line);
      if (key === '__proto__') throw giveUp;
      mapping[key] = value;
    }
    if (this.#line < this.#lines.length && this.#column > indent) throw giveUp;
    return mapping;
  }

  #readValue(indent: number, line: string): unknown {
    while (line.charCodeAt(this.#column) === 32) this.#column += 1;
    if (this.#column < line.length) return this.#readScalar(indent);
    this.#nextLine();
    if (!this.#toContent()) return null;
    if (this.#column > indent) return this.#readNode(indent);
    const next = this.#lines[this.#line] as string;
    const isList =
      this.#column === indent &&
      next.charCodeAt(indent) === 45 &&
      (indent + 1 === next.length || next.charCodeAt(indent + 1) === 32);
    return isList ? this.#readNode(indent) : null;
  }

  #readScalar(indent: number): unknown {
    const line = this.#lines[this.#line] as string;
    const text = line.slice(this.#column).trimEnd();
    switch (text.charCodeAt(0)) {
      case 34:
        return this.#readQuoted(text, '"');
      case 39:
        return this.#readQuoted(text, "'");
      case 124:
      case 62:
        return this.#readBlock(text, indent);
      case 123:
      case 91:
        if (text !== '{}' && text !== '[]') throw giveUp;
        this.#nextLine();
        return text === '{}' ? {} : [];
      default:
        return this.#readPlain(text, indent);
    }
  }

  #readPlain(text: string, indent: number): unknown {
    checkPlain(text, true);
    this.#nextLine();
    const more = this.#continuation(indent);
    if (more === undefined) return resolvePlain(text);
    for (const part of more) if (part !== '') checkPlain(part, false);
    return fold([text, ...more]);
  }

  /** The continuation lines of a plain scalar: those indented deeper than its parent. */
  #continuation(indent: number): string[] | undefined {
    let parts: string[] | undefined;
    let blanks = 0;
    for (let at = this.#line; at < this.#lines.length; at += 1) {
      const line = this.#lines[at] as string;
      const spaces = leading(line);
      if (spaces <= indent && spaces < line.length) break;
      const trimmed = line.trim();
      if (trimmed === '') {
        blanks += 1;
        continue;
      }
      if (trimmed.startsWith('#')) throw giveUp;
      parts ??= [];
      for (; blanks > 0; blanks -= 1) parts.push('');
      parts.push(trimmed);
      this.#line = at + 1;
    }
    return parts;
  }

  #readQuoted(start: string, quote: '"' | "'"): string {
    const parts: string[] = [];
    for (let rest = start.slice(1); ; rest = (this.#lines[this.#line] ?? '').trim()) {
      const end = closingQuote(rest, quote);
      if (end >= 0) {
        if (rest.slice(end + 1).trim() !== '') throw giveUp;
        parts.push(rest.slice(0, end));
        this.#nextLine();
        break;
      }
      // Trailing spaces matter only if they are escaped, which is too rare to handle here.
      if ((this.#lines[this.#line] as string).endsWith(' ')) throw giveUp;
      parts.push(rest);
      this.#nextLine();
      if (this.#line >= this.#lines.length) throw giveUp;
    }
    if (quote === "'") return fold(parts).replaceAll("''", "'");
    return unescape(parts.length === 1 ? (parts[0] as string) : foldEscaped(parts));
  }

  #readBlock(header: string, indent: number): string {
    const match = blockHeader.exec(header);
    if (!match) throw giveUp;
    const explicit = match[1] ?? match[4];
    const chomp = match[2] ?? match[3] ?? '';
    this.#nextLine();
    if (indent < 0) throw giveUp;
    let depth = explicit === undefined ? -1 : indent + Number(explicit);
    const content: string[] = [];
    for (; this.#line < this.#lines.length; this.#line += 1) {
      const line = this.#lines[this.#line] as string;
      const spaces = leading(line);
      if (spaces === line.length) {
        if (depth < 0 && spaces > indent + 1) throw giveUp;
        content.push(depth < 0 ? '' : line.slice(depth));
        continue;
      }
      if (spaces <= indent) break;
      if (depth < 0) depth = spaces;
      if (spaces < depth) throw giveUp;
      content.push(line.slice(depth));
    }
    this.#column = 0;
    let last = content.length;
    while (last > 0 && content[last - 1] === '') last -= 1;
    const body = content.slice(0, last);
    if (
      header.startsWith('>') &&
      (body[0] === '' || body.some((line) => line.startsWith(' ') || line.startsWith('\t')))
    )
      throw giveUp;
    const text = header.startsWith('>') ? fold(body) : body.join('\n');
    if (chomp === '-') return text;
    if (chomp === '+') return text + '\n'.repeat(body.length === 0 ? content.length : content.length - last + 1);
    return body.length === 0 ? '' : `${text}\n`;
  }
}

function leading(line: string): number {
  let spaces = 0;
  while (line.charCodeAt(spaces) === 32) spaces += 1;
  return spaces;
}
