import { constants } from 'node:buffer';
import { BrokenInput, lineAt } from './broken-input.ts';
import { checkJsonDepth } from './depth.ts';
import { breathe, kindOf, listKeys } from './document.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;

interface JsonSpan {
  readonly start: number;
  readonly end: number;
  /** The list of the document, from after its `[` to its `]`, and its elements. */
  readonly list?: {
    readonly start: number;
    readonly end: number;
    readonly elements: readonly (readonly [number, number])[];
  };
}

/** All JSON documents of a file. Nearly always there is one, and reading it costs no more than JSON.parse. */
export async function readJsonDocuments(bytes: Buffer, keeps: KeepsKind): Promise<ParsedDocument[]> {
  checkJsonDepth(bytes);
  const only = bytes.length > constants.MAX_STRING_LENGTH ? undefined : readOnlyDocument(bytes.toString('utf8'), keeps);
  return only ? [only] : readOneByOne(bytes, keeps);
}

/** The document of a text that is one JSON document; undefined for any other text. */
export function readOnlyDocument(text: string, keeps: KeepsKind): ParsedDocument | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return typeof value === 'object' && value !== null ? takeApart(value, keeps) : undefined;
}

function takeApart(value: object, keeps: KeepsKind): ParsedDocument {
  if (Array.isArray(value)) return { head: [], ...itemsOf(value, keeps) };
  for (const key in value) {
    const list = (value as Readonly<Record<string, unknown>>)[key];
    if (!listKeys.has(key) || !Array.isArray(list)) continue;
    const { [key]: _, ...head } = value as Record<string, unknown>;
    return { head, ...itemsOf(list, keeps) };
  }
  return { head: value, itemCount: 0 };
}

function itemsOf(
  list: readonly unknown[],
  keeps: KeepsKind,
): { readonly items: readonly unknown[]; readonly itemCount: number } {
  const all = list.filter((item) => typeof item === 'object' && item !== null);
  return { items: all.filter((item) => isKept(item, keeps)), itemCount: all.length };
}

function isKept(item: unknown, keeps: KeepsKind): boolean {
  const kind = kindOf(item);
  return kind === undefined || keeps(kind);
}

/**
 * Documents one after another as kubectl prints them, their items parsed one by one: a string in JavaScript is limited
 * to half a gigabyte and a dump is not, and an error can be reported with its line.
 */
async function readOneByOne(bytes: Buffer, keeps: KeepsKind): Promise<ParsedDocument[]> {
  const documents: ParsedDocument[] = [];
  let position = 0;
  for (;;) {
    position = skipBetweenDocuments(bytes, position);
    if (position >= bytes.length) return documents;
    const span = measure(bytes, position);
    documents.push(await readSpan(bytes, span, keeps));
    position = span.end;
  }
}

async function readSpan(bytes: Buffer, span: JsonSpan, keeps: KeepsKind): Promise<ParsedDocument> {
  if (!span.list) return { head: parse(bytes, span.start, span.end), itemCount: 0 };
  const items: unknown[] = [];
  let breath = span.start;
  for (const [start, end] of span.list.elements) {
    const item = parse(bytes, start, end);
    if (isKept(item, keeps)) items.push(item);
    if (start - breath > 4_000_000) {
      breath = start;
      await breathe();
    }
  }
  const head = parseText(
    bytes.toString('utf8', span.start, span.list.start) + bytes.toString('utf8', span.list.end, span.end),
    bytes,
    span.start,
  );
  return { head, items, itemCount: span.list.elements.length };
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  return parseText(bytes.toString('utf8', start, end), bytes, start);
}

function parseText(text: string, bytes: Buffer, start: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const offset = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw new BrokenInput('invalid', 'not valid JSON', lineAt(bytes, start + Number(offset ?? 0)));
  }
}

/** `kubectl cluster-info dump` prints container logs between its JSON documents. */
function skipBetweenDocuments(bytes: Buffer, from: number): number {
  let position = from;
  for (;;) {
    while (position < bytes.length && isSpace(bytes[position] as number)) position += 1;
    const byte = bytes[position];
    if (byte === undefined || byte === openBrace || byte === openBracket) return position;
    if (bytes.toString('latin1', position, position + 10) !== '==== START')
      throw new BrokenInput('invalid', 'something other than JSON follows', lineAt(bytes, position));
    const end = bytes.indexOf('\n==== END', position);
    const lineEnd = end < 0 ? -1 : bytes.indexOf(10, end + 1);
    position = lineEnd < 0 ? bytes.length : lineEnd + 1;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) throw new BrokenInput('truncated', 'ends in the middle', lineAt(bytes, bytes.length));
    if (byte === quote) return at;
    at += byte === backslash ? 2 : 1;
  }
}

/** Finds the end of a document and the elements of its list by brackets alone. */
function measure(bytes: Buffer, start: number): JsonSpan {
  let depth = 0;
  let listDepth = 0;
  let listStart = -1;
  let listEnd = -1;
  let elementStart = -1;
  const elements: (readonly [number, number])[] = [];
  let lastKey = '';
  let previous = 0;
  if (bytes[start] === openBracket) {
    listDepth = 1;
    listStart = start + 1;
  }
  for (let at = start; ; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) throw new BrokenInput('truncated', 'ends in the middle', lineAt(bytes, bytes.length));
    if (isSpace(byte)) continue;
    if (byte === quote) {
      const end = stringEnd(bytes, at);
      if (depth === 1 && (previous === openBrace || previous === comma))
        lastKey = end - at < 12 ? bytes.toString('latin1', at + 1, end) : '';
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (listStart < 0 && depth === 2 && byte === openBracket && previous === colon && listKeys.has(lastKey)) {
        listDepth = 2;
        listStart = at + 1;
      } else if (listStart >= 0 && listEnd < 0 && depth === listDepth + 1) elementStart = at;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (listStart >= 0 && listEnd < 0) {
        if (depth === listDepth + 1) elements.push([elementStart, at + 1]);
        if (depth === listDepth) listEnd = at;
      }
      depth -= 1;
      if (depth === 0)
        return { start, end: at + 1, ...(listEnd < 0 ? {} : { list: { start: listStart, end: listEnd, elements } }) };
    }
    previous = byte;
  }
}
