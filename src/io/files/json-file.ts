import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readOnlyDocument } from './json-documents.ts';
import { readJsonInPieces } from './json-pieces.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

/** From this size on, reading in pieces saves memory. */
const large = 4_000_000;

/**
 * Reads the usual dump, a plain file with one JSON document, straight into strings, so that its bytes and its text are
 * not in memory together. Undefined for any other file, also for one that cannot be read: the caller reports that.
 */
export async function readJsonFile(path: string, keeps: KeepsKind): Promise<ParsedDocument | undefined> {
  try {
    const { size, isPlain } = lookAt(path);
    if (!isPlain || !beginsAsJson(path)) return undefined;
    // A large file in another layout is checked for its depth first, by the caller.
    if (size > large) return await readJsonInPieces(path, keeps);
    return readOnlyDocument(readFileSync(path, 'utf8'), keeps);
  } catch {
    return undefined;
  }
}

/** A pipe can be read only once, so only regular files are tried. */
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
