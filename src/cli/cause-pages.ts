import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError } from '../model/errors.ts';
import { installationRoot } from './installation.ts';
import { unknownName } from './near-names.ts';

export interface CausePage {
  readonly cause: string;
  readonly markdown: string;
}

const directory = (): string => join(installationRoot(), 'docs', 'causes');

export async function causeNames(): Promise<string[]> {
  try {
    const files = await readdir(directory());
    return files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length)).sort();
  } catch (error) {
    throw new EnvironmentError(`the pages of the causes are missing: ${(error as Error).message}`, 'install kubectl-csi again', { cause: error });
  }
}

export async function readCausePage(cause: string): Promise<CausePage> {
  const names = await causeNames();
  // Only a name from the list ever becomes part of a path.
  if (!names.includes(cause)) throw await unknownName('cause', cause, names, 'kubectl csi causes lists them all');
  return { cause, markdown: await readFile(join(directory(), `${cause}.md`), 'utf8') };
}

/** What a page says in its first sentence, which stands below the title. */
export function firstSentence(markdown: string): string {
  const paragraph = markdown.split(/\n\s*\n/).find((block) => block.trim() !== '' && !block.trimStart().startsWith('#')) ?? '';
  const text = paragraph.replace(/\s+/g, ' ').trim();
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
