import { parseBlockYaml, unsure } from './block-yaml.ts';
import { BrokenInput, lineAt } from './broken-input.ts';
import { breathe, kindOf, listKeys } from './document.ts';
import { checkYamlDepth } from './depth.ts';
import { tooDeep } from './limits.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

const newline = 0x0a;
const space = 0x20;
const dash = 0x2d;
const hash = 0x23;
const percent = 0x25;
const wholeLimit = 8_000_000;
/** The full parser needs about a hundred times the memory of its text. */
const mostWhole = 16_000_000;

interface YamlSpan {
  readonly start: number;
  end: number;
  /** What is outside the list. */
  readonly head: [number, number][];
  /** The start and end of each item of the top-level list; `indent` is the indentation of their `-`. */
  items: [number, number][] | undefined;
  indent: number;
}

/**
 * All YAML documents of a file whose lines end with \n. The items of a top-level list are split at their `- ` lines and
 * parsed one by one; a document that cannot be split this way goes to the full parser as a whole.
 */
export async function readYamlDocuments(bytes: Buffer, keeps: KeepsKind): Promise<ParsedDocument[]> {
  const documents: ParsedDocument[] = [];
  for (const span of splitDocuments(bytes)) {
    const document = (span.items && (await readList(bytes, span, span.items, keeps))) ?? (await readWhole(bytes, span));
    if (document.head !== null && document.head !== undefined) documents.push(document);
    await breathe();
  }
  return documents;
}

/** Parses one document with the block reader, or with the full parser if that is unsure. */
async function parseYaml(text: string): Promise<unknown> {
  const value = parseBlockYaml(text);
  return value === unsure ? parseFully(text) : value;
}

async function readList(
  bytes: Buffer,
  span: YamlSpan,
  ranges: readonly [number, number][],
  keeps: KeepsKind,
): Promise<ParsedDocument | undefined> {
  const kindLine = new RegExp(`^ {${span.indent + 2}}kind: (\\S+)$`, 'm');
  const items: unknown[] = [];
  let breath = span.start;
  let at: readonly [number, number] | undefined;
  try {
    for (const range of ranges) {
      at = range;
      const [start, end] = range;
      const text = `${' '.repeat(span.indent + 2)}${bytes.toString('utf8', start + span.indent + 2, end)}`;
      const kind = kindLine.exec(text)?.[1];
      if (kind !== undefined && /^\w+$/.test(kind) && !keeps(kind)) continue;
      const item = await parseYaml(text);
      const itemKind = kindOf(item);
      if (itemKind === undefined || keeps(itemKind)) items.push(item);
      if (start - breath > 4_000_000) {
        breath = start;
        await breathe();
      }
    }
    const head = await parseYaml(span.head.map(([start, end]) => bytes.toString('utf8', start, end)).join(''));
    return { head, items, itemCount: ranges.length };
  } catch (error) {
    if (!(error instanceof BrokenInput) || error.problem === 'tooLarge') throw error;
    // A wrong split shows as a broken item, so the whole document is parsed instead, unless that would take minutes.
    if (span.end - span.start <= wholeLimit) return undefined;
    throw new BrokenInput(
      at === ranges.at(-1) ? 'truncated' : 'invalid',
      error.message,
      lineAt(bytes, at?.[0] ?? span.start) + (error.line ?? 1) - 1,
    );
  }
}

async function readWhole(bytes: Buffer, span: YamlSpan): Promise<ParsedDocument> {
  if (span.end - span.start > 16 * wholeLimit)
    throw new BrokenInput('tooLarge', 'is not YAML as kubectl writes it, and too large to be read in one piece');
  try {
    return { head: await parseYaml(bytes.toString('utf8', span.start, span.end)), itemCount: 0 };
  } catch (error) {
    if (!(error instanceof BrokenInput) || error.line === undefined || error.problem === 'tooLarge') throw error;
    const line = error.line + lineAt(bytes, span.start) - 1;
    const lines = lineAt(bytes, span.end);
    const isCut = error.problem === 'truncated' || line >= lines - 1;
    throw new BrokenInput(isCut ? 'truncated' : 'invalid', error.message, line);
  }
}

async function parseFully(text: string): Promise<unknown> {
  checkYamlDepth(text);
  if (text.length > mostWhole)
    throw new BrokenInput('tooLarge', 'is not YAML as kubectl writes it, and too large to be read in one piece');
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, {
      schema: 'core',
      uniqueKeys: false,
      logLevel: 'silent',
      lineCounter,
      prettyErrors: false,
    });
    const [problem] = document.errors;
    if (problem) throw new BrokenInput('invalid', 'not valid YAML', lineCounter.linePos(problem.pos[0]).line);
    return document.toJS() as unknown;
  } catch (error) {
    if (error instanceof BrokenInput) throw error;
    // The parser's own limits on aliases, and the end of the stack.
    if (error instanceof RangeError) throw tooDeep(1);
    throw new BrokenInput('tooLarge', 'repeats its aliases until they exceed any memory', 1);
  }
}

function splitDocuments(bytes: Buffer): YamlSpan[] {
  const spans: YamlSpan[] = [];
  let span: YamlSpan | undefined;
  let inItems = false;
  const close = (end: number): void => {
    if (!span) return;
    const lastItem = inItems ? span.items?.at(-1) : undefined;
    if (lastItem) lastItem[1] = end;
    span.end = end;
    spans.push(span);
    span = undefined;
    inItems = false;
  };
  for (let position = 0; position < bytes.length;) {
    const found = bytes.indexOf(newline, position);
    const next = found < 0 ? bytes.length : found + 1;
    const first = bytes[position] as number;
    if (isMarker(bytes, position)) {
      close(position);
      // `--- value` is rare: everything after the marker goes to the full parser.
      const rest = bytes.toString('latin1', position + 3, next).trim();
      if (rest !== '' && !rest.startsWith('#'))
        span = { start: position + 3, end: next, head: [], items: undefined, indent: 0 };
    } else if (first !== newline && (span || first !== percent)) {
      span ??= { start: position, end: next, head: [], items: undefined, indent: 0 };
      if (inItems && span.items) inItems = takeItemLine(bytes, position, first, span, span.items);
      if (!inItems) {
        if (first !== space && first !== hash && span.items === undefined && isListKey(bytes, position, next)) {
          span.items = [];
          inItems = true;
        } else if (span.head.at(-1)?.[1] === position) (span.head.at(-1) as [number, number])[1] = next;
        else span.head.push([position, next]);
      }
    } else if (span && !inItems) {
      const last = span.head.at(-1);
      if (last?.[1] === position) last[1] = next;
    }
    position = next;
  }
  close(bytes.length);
  return spans;
}

/** Whether the line still belongs to the list; a line that begins an item ends the one before. */
function takeItemLine(
  bytes: Buffer,
  position: number,
  first: number,
  span: YamlSpan,
  items: [number, number][],
): boolean {
  if (first === hash) return true;
  let at = position;
  const limit = items.length === 0 ? bytes.length : position + span.indent + 1;
  while (at < limit && bytes[at] === space) at += 1;
  if (items.length === 0) span.indent = at - position;
  const isItem =
    at - position === span.indent && bytes[at] === dash && (bytes[at + 1] === space || bytes[at + 1] === newline);
  if (isItem || first !== space) {
    const last = items.at(-1);
    if (last) last[1] = position;
  }
  if (isItem) items.push([position, bytes.length]);
  return isItem || first === space;
}

function isMarker(bytes: Buffer, position: number): boolean {
  const first = bytes[position];
  if ((first !== dash && first !== 0x2e) || bytes[position + 1] !== first || bytes[position + 2] !== first)
    return false;
  const after = bytes[position + 3];
  return after === undefined || after === newline || after === space;
}

function isListKey(bytes: Buffer, position: number, next: number): boolean {
  if (next - position > 20) return false;
  const line = bytes.toString('latin1', position, next).trimEnd();
  return line.endsWith(':') && listKeys.has(line.slice(0, -1));
}
