import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readOnlyDocument } from './json-documents.ts';
import { readJsonInPieces } from './json-pieces.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

/** From here on it pays to read in pieces. */
const large = 4_000_000;

/**
 * The usual dump: a plain file that is one JSON document. It is read straight into strings, so that its bytes never lie
 * beside its text in memory. Undefined for whatever else it is, also for what cannot be read: that is told elsewhere.
 */
export async function readJsonFile(path: string, keeps: KeepsKind): Promise<ParsedDocument | undefined> {
  try {
    const { size, isPlain } = lookAt(path);
    if (!isPlain || !beginsAsJson(path)) return undefined;
    return (
      (size > large ? await readJsonInPieces(path, keeps).catch(() => undefined) : undefined) ??
      readOnlyDocument(readFileSync(path, 'utf8'), keeps)
    );
  } catch {
    return undefined;
  }
}

/** What comes through a pipe comes only once, and is not to be touched. */
function lookAt(path: string): { readonly size: number; readonly isPlain: boolean } {
  const stats = statSync(path);
  return { size: stats.size, isPlain: stats.isFile() };
}

function beginsAsJson(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const opening = Buffer.alloc(64);
    return /^\s*[[{]/.test(opening.toString('latin1', 0, readSync(file, opening)));
  } finally {
    closeSync(file);
  }
}
