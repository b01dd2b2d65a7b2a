import { ownChecks } from '../core/report/check.ts';
import { EnvironmentError } from '../core/kube/errors.ts';
import { ownRefusals } from '../core/report/preflight.ts';
import { listInstalled, readInstalled } from './installation.ts';
import { asSentence } from '../core/kube/sentence.ts';
import { unknownName } from './near-names.ts';

export interface CausePage {
  readonly cause: string;
  readonly markdown: string;
}

const directory = 'docs/causes';

export function causeNames(): string[] {
  try {
    return listInstalled(directory)
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.slice(0, -'.md'.length))
      .sort();
  } catch (error) {
    throw new EnvironmentError(`the cause pages are missing: ${(error as Error).message}`, 'Reinstall kubectl-csi', {
      cause: error,
    });
  }
}

export async function readCausePage(cause: string): Promise<CausePage> {
  const own = ownPage(cause);
  if (own !== undefined) return { cause, markdown: own };
  const names = causeNames();
  // Only a name from the list ever becomes part of a path.
  if (!names.includes(cause))
    throw await unknownName(
      'cause',
      cause,
      [...names, ...ownIds],
      'Run kubectl csi causes to list them all, or kubectl csi causes --search WORD',
    );
  return { cause, markdown: readPage(cause) };
}

const ownIds: readonly string[] = [...ownChecks, ...ownRefusals].map(({ id }) => id);

/** A page for the ids that only `check` or `preflight` report and that have no file. */
function ownPage(id: string): string | undefined {
  const check = ownChecks.find((own) => own.id === id);
  const own = check ?? ownRefusals.find((refusal) => refusal.id === id);
  if (!own) return undefined;
  const command = check ? 'check' : 'preflight';
  const about = check
    ? '`kubectl csi check` reports it in addition to what is stuck. ' +
      'Its output names the objects, and with `-o wide` shows the evidence and the fix. ' +
      '`--ignore` leaves it out.'
    : '`kubectl csi preflight` reports it before anything is applied, with the evidence, the line and the fix.';
  return `# ${id}\n\n${asSentence(own.summary)}\n\n${about} Only \`${command}\` reports it, so \`kubectl csi causes\` does not list it.\n`;
}

/** Every page, by the name of its cause. */
export function readPages(): Map<string, string> {
  return new Map(causeNames().map((name) => [name, readPage(name)]));
}

/** The first sentence of each page, by the name of its cause. */
export function readSentences(): Map<string, string> {
  return new Map(causeNames().map((name) => [name, firstSentence(readPage(name))]));
}

const readPage = (cause: string): string => readInstalled(`${directory}/${cause}.md`);

/** The first sentence of a page, below its title. */
export function firstSentence(markdown: string): string {
  const paragraph =
    markdown.split(/\n\s*\n/).find((block) => block.trim() !== '' && !block.trimStart().startsWith('#')) ?? '';
  const text = paragraph.replace(/\s+/g, ' ').trim();
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
