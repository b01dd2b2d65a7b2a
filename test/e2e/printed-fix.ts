import { readKubectl } from '../../src/core/engine/fixes/kubectl-line.ts';
import { readShellLines } from '../../src/core/engine/fixes/shell-line.ts';
import type { ShellProgram } from '../../src/core/engine/fixes/shell-line.ts';
import { commandsOf } from '../../src/core/report/fix-commands.ts';
import type { FixOutcome, ReportItem } from '../../src/core/report/report.ts';

/** The first fix of an answer, as a person reads it. */
export interface PrintedFix {
  readonly text: string;
  readonly commands: readonly string[];
  /** What the program says the fix leads to. */
  readonly after?: FixOutcome;
}

export function firstFixOf({ findings }: Pick<ReportItem, 'findings'>): PrintedFix | undefined {
  const fix = findings.find(({ role }) => role === 'cause')?.fix[0];
  return fix && { text: fix.text, commands: commandsOf(fix), ...(fix.after && { after: fix.after }) };
}

const placeholder = /PLACEHOLDER_[A-Z]+(?:_[A-Z]+)*/g;

/** The commands as a person enters them, who replaces every placeholder that has a value. */
export function fillPlaceholders(
  commands: readonly string[],
  values: Readonly<Record<string, string>>,
): { readonly commands: readonly string[]; readonly unfilled: readonly string[]; readonly filled: number } {
  const unfilled = new Set<string>();
  let filled = 0;
  const replaced = commands.map((command) =>
    command.replaceAll(placeholder, (name) => {
      const value = values[name];
      if (value === undefined) unfilled.add(name);
      else filled += 1;
      return value ?? name;
    }),
  );
  return { commands: replaced, unfilled: [...unfilled], filled };
}

const readingVerbs: ReadonlySet<string> = new Set([
  'get',
  'describe',
  'logs',
  'wait',
  'auth can-i',
  'rollout status',
  'rollout history',
  'apply view-last-applied',
  'csi',
  'top',
  'explain',
  'events',
  'api-resources',
]);

/** Whether a command changes nothing in the cluster. What cannot be read counts as a change. */
export function onlyLooks(command: string): boolean {
  return readShellLines(command)?.every((line) => line.every(isReading)) === true;
}

function isReading({ words }: ShellProgram): boolean {
  const call = readKubectl(words);
  if (call === undefined) return ['grep', 'head', 'tail', 'sort', 'column', 'echo', 'cat'].includes(words[0] ?? '');
  return readingVerbs.has(call.verb) || (call.verb === 'patch' && call.flags.has('local'));
}

/** Whether a command waits for somebody to type. */
export function opensEditor(command: string): boolean {
  return (
    readShellLines(command)?.some((line) => line.some(({ words }) => readKubectl(words)?.verb === 'edit')) === true
  );
}
