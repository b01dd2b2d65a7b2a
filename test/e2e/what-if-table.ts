import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from './run-what-if-scenarios.ts';

const page = join(import.meta.dirname, '../../docs/what-if.md');
const begin = '<!-- compared: begin -->';
const end = '<!-- compared: end -->';

/** The comparison in words, and in the page if that is wanted. */
export function saveComparisons(comparisons: readonly Comparison[], isSaved: boolean): string {
  const rows = comparisons.flatMap((one) => one.rows);
  const right = rows.filter(isRight).length;
  const numbers = `${right} of ${rows.length} pods, claims, volumes and snapshots of ${comparisons.length} operations were as foretold`;
  if (isSaved) {
    const text = readFileSync(page, 'utf8');
    const [before = '', after = ''] = [text.split(begin)[0], text.split(end)[1]];
    writeFileSync(page, `${before}${begin}\n${numbers}.\n\n${tableOf(comparisons)}\n${end}${after}`);
  }
  return `${numbers}\n${tableOf(comparisons)}`;
}

function isRight({ foretold, real }: Comparison['rows'][number]): boolean {
  if (foretold.startsWith('on one of ')) return foretold.slice(10).split(', ').includes(real.replace(/^on /, ''));
  return foretold === real;
}

function tableOf(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ words, rows: each }) =>
    each.map(
      (row) => `| \`${words}\` | ${row.object} | ${row.foretold} | ${row.real} | ${isRight(row) ? 'yes' : '**no**'} |`,
    ),
  );
  return ['| operation | object | foretold | real | right |', '|---|---|---|---|---|', ...rows].join('\n');
}
