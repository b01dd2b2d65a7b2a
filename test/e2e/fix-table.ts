import type { FixResult } from './fix-result.ts';

/** One line of the table in docs/fixes.md. */
export interface FixRow {
  readonly scenario: string;
  readonly cause: string;
  readonly fix: string;
  readonly how: string;
  readonly healed: string;
  readonly predicted: string;
}

export interface FixNumbers {
  readonly fixes: number;
  /** Run as printed; some with what a person knows. */
  readonly executed: number;
  readonly withPerson: number;
  readonly played: number;
  /** Fixes without a command, which a person carried out. */
  readonly byPerson: number;
  /** Fixes that were not carried out. */
  readonly left: number;
  readonly healed: number;
  readonly predictions: number;
  readonly predicted: number;
}

export function rowOf(result: FixResult): FixRow {
  const { scenario, cause, fix, how, reason, predicted } = result;
  return {
    scenario,
    cause,
    fix: cell(firstSentence(fix)),
    how: cell(reason === undefined ? how : `${how}: ${reason}`),
    healed: cell(healedText(result)),
    predicted: predictedText(predicted),
  };
}

function healedText({ healedAfter, reached, lingered, lingers, problem, how }: FixResult): string {
  if (problem !== undefined) return `no: ${problem}`;
  if (healedAfter === undefined) return how === 'weak' || how === 'not run' ? '' : 'no';
  const state = reached === undefined || reached === 'healthy' ? '' : ` (${reached})`;
  const late = lingered === undefined ? '' : `; the old cause for ${lingered} s: ${lingers ?? ''}`;
  return `${healedAfter} s${state}${late}`;
}

function predictedText(predicted: boolean | undefined): string {
  if (predicted === undefined) return '';
  return predicted ? 'yes' : 'no';
}

/** Up to the first full stop that ends a sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.:](?=\s+[A-Z"]|$)/s.exec(text)?.[0] ?? text;
}

/** A cell is one line, without the machine that ran it. */
function cell(text: string): string {
  return text
    .replaceAll(/\/\S*?kubectl-csi-e2e-\w+/g, '/run/e2e')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

export function numbersOf(rows: readonly FixRow[]): FixNumbers {
  const count = (matches: (row: FixRow) => boolean): number => rows.filter(matches).length;
  return {
    fixes: rows.length,
    executed: count(({ how }) => /^(executed|human)/.test(how)),
    withPerson: count(({ how }) => how.startsWith('human')),
    played: count(({ how }) => how.startsWith('played')),
    byPerson: count(({ how }) => how.startsWith('person')),
    left: count(({ how }) => /^(weak|not run)/.test(how)),
    healed: count(({ healed }) => /^\d+ s/.test(healed)),
    predictions: count(({ predicted }) => predicted !== ''),
    predicted: count(({ predicted }) => predicted === 'yes'),
  };
}

export function showNumbers(numbers: FixNumbers): string {
  const { fixes, executed, withPerson, played, byPerson, left, healed, predictions, predicted } = numbers;
  return (
    `${fixes} first fixes: ${executed} executed as printed (${withPerson} of them with a person), ${played} played, ` +
    `${byPerson} done by a person, ${left} not carried out; ${healed} healed; ${predicted} of ${predictions} predictions correct`
  );
}

const begin = '<!-- results -->';
const end = '<!-- end of results -->';
const heading = '| scenario | cause | first fix | carried out | healed after | predicted |\n|---|---|---|---|---|---|';

/** The rows of the table in a page. */
export function readTable(page: string): readonly FixRow[] {
  const table = page.slice(page.indexOf(begin), page.indexOf(end));
  return table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !heading.startsWith(line))
    .map((line) => {
      const [scenario = '', cause = '', fix = '', how = '', healed = '', predicted = ''] = line
        .slice(2, -1)
        .split(/ \|(?: |$)/)
        .map((text) => text.trim());
      return { scenario, cause, fix, how, healed, predicted };
    });
}

/** The page with these rows instead of what its table says of the same scenarios, in the order of `names`. */
export function writeTable(page: string, rows: readonly FixRow[], names: readonly string[]): string {
  const known = new Map([...readTable(page), ...rows].map((row) => [row.scenario, row]));
  const ordered = names.flatMap((name) => known.get(name) ?? []);
  const lines = ordered.map(
    ({ scenario, cause, fix, how, healed, predicted }) =>
      `| ${[scenario, cause, fix, how, healed, predicted].join(' | ')} |`,
  );
  const text = [begin, `${showNumbers(numbersOf(ordered))}.`, '', heading, ...lines, end].join('\n');
  return page.slice(0, page.indexOf(begin)) + text + page.slice(page.indexOf(end) + end.length);
}
