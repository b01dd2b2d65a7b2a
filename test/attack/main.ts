import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Limits, Outcome, Suite } from './suite.ts';

const usage = `Attacks the built program, one suite after the other. Needs dist/ (npm run build).

  npm run attack -- [flags]

  --only REGEX   the suites whose name or file matches
  --seconds N    suites that generate their cases stop after N seconds each
  --list         print the suites, and stop
`;

/** Failures of one suite that are printed in full; the rest is counted. */
const printedFailures = 20;
const began = performance.now();
const say = (line: string): void =>
  void process.stdout.write(`${String(Math.round((performance.now() - began) / 1000)).padStart(4)} s  ${line}\n`);

interface Row extends Outcome {
  readonly name: string;
  readonly seconds: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values: flags } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (flags.help === true) return print(usage, 0);
  const suites = await loadSuites(new RegExp(flags.only));
  if (flags.list === true) return print(suites.map(({ name }) => `${name}\n`).join(''), 0);
  if (suites.length === 0) return print(`no suite matches ${flags.only}\n`, 2);
  if (!existsSync(new URL('../../dist/main.cjs', import.meta.url)))
    return print('dist/ is missing: run npm run build first\n', 4);
  const seconds = Number(flags.seconds);
  const limits: Limits = seconds > 0 ? { seconds } : {};
  const rows: Row[] = [];
  for (const suite of suites) rows.push(await run(suite, limits));
  return print(`\n${table(rows)}`, rows.some(({ failures }) => failures.length > 0) ? 1 : 0);
}

function print(text: string, exitCode: number): number {
  process.stdout.write(text);
  return exitCode;
}

async function loadSuites(only: RegExp): Promise<Suite[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.attack.ts')).sort();
  const suites = await Promise.all(files.map(async (file) => ({ file, suite: (await import(`./${file}`)) as Suite })));
  return suites.filter(({ file, suite }) => only.test(suite.name) || only.test(file)).map(({ suite }) => suite);
}

/** A suite that throws has failed; the suites after it still run. */
async function run({ name, attack }: Suite, limits: Limits): Promise<Row> {
  const from = performance.now();
  const report = (line: string): void => say(`${name}: ${line}`);
  report('begins');
  const outcome = await attack(report, limits).catch((error: unknown): Outcome => ({
    cases: 0,
    failures: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }));
  for (const failure of outcome.failures.slice(0, printedFailures)) report(`FAILED  ${failure}`);
  if (outcome.failures.length > printedFailures)
    report(`FAILED  and ${outcome.failures.length - printedFailures} more`);
  if (outcome.skipped !== undefined) report(`skipped: ${outcome.skipped}`);
  return { ...outcome, name, seconds: (performance.now() - from) / 1000 };
}

function table(rows: readonly Row[]): string {
  const lines = [
    ['suite', 'cases', 'failures', 'seconds', ''],
    ...rows.map(({ name, cases, failures, seconds, skipped }) => [
      name,
      String(cases),
      String(failures.length),
      seconds.toFixed(1),
      skipped === undefined ? '' : `skipped: ${skipped}`,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(([name = '', ...rest]) =>
      [name.padEnd(widths[0] ?? 0), ...rest.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))]
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
