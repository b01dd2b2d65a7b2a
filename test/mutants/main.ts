import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { operators } from './operators.ts';
import type { Operator } from './operators.ts';

/**
 * Breaks the rules in many ways, one at a time, in a copy of the sources, and asks the tests whether they notice. Ends with 1 when
 * fewer than nine of ten are noticed. `npm run mutants [-- WORD]`: only operators whose name holds the word.
 */
const root = resolve(import.meta.dirname, '../..');
const wanted = process.argv[2] ?? '';
const leastShare = 0.9;
/** What is said of every scenario takes seconds and notices most; the other suites are asked only where it notices nothing. */
const said = ['test/evidence.test.ts'];
const others = ['test/scenarios.test.ts', 'test/fixes.test.ts'];

interface Mutant {
  readonly operator: Operator;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function sourceFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('index.ts'))
    .map((name) => join(directory, name))
    .sort();
}

/** The places of an operator, evenly spread over all that it could change, and the same in every run. */
function mutantsOf(operator: Operator, files: readonly string[]): Mutant[] {
  const places = files
    .filter((file) => operator.files?.test(file) ?? true)
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(operator.pattern)].map((match) => ({ file, text, index: match.index, match }));
    });
  const step = Math.max(1, Math.floor(places.length / operator.take));
  return places
    .filter((_place, index) => index % step === Math.floor(step / 2))
    .slice(0, operator.take)
    .map(({ file, text, index, match }) => ({
      operator,
      file,
      line: text.slice(0, index).split('\n').length,
      text: text.slice(0, index) + operator.replace(match[0], ...match.slice(1)) + text.slice(index + match[0].length),
    }));
}

const files = sourceFiles(join(root, 'src/core/causes'));
const mutants = operators.filter(({ name }) => name.includes(wanted)).flatMap((operator) => mutantsOf(operator, files));
const copy = mkdtempSync(join(tmpdir(), 'kubectl-csi-mutants-'));
let noticed = 0;
try {
  for (const name of [
    'src',
    'test',
    'docs',
    'oclif.manifest.json',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (!passes(said) || !passes(others)) throw new Error('the tests fail without any change: repair them first');
  for (const mutant of mutants) {
    const path = join(copy, relative(root, mutant.file));
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, mutant.text);
    const isNoticed = !passes(said) || !passes(others, scenarioOf(mutant.file)) || !passes(others);
    writeFileSync(path, original);
    if (isNoticed) noticed += 1;
    const place = `${relative(root, mutant.file)}:${mutant.line}`;
    process.stdout.write(`${isNoticed ? 'noticed ' : 'MISSED  '} ${mutant.operator.name}  ${place}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${noticed} of ${mutants.length} noticed\n`);
process.exitCode = noticed >= mutants.length * leastShare ? 0 : 1;

/** The scenarios named after the changed file take seconds; all of them take a minute. */
function scenarioOf(file: string): string {
  return basename(file, '.ts');
}

/** The first failure is enough. A word limits the run to the scenarios whose name contains it. */
function passes(suites: readonly string[], scenario?: string): boolean {
  const { status } = spawnSync(
    process.execPath,
    [join(copy, 'node_modules/vitest/vitest.mjs'), 'run', ...suites, '--bail=1', '--reporter=dot', '--passWithNoTests'],
    {
      cwd: copy,
      env: { ...process.env, FUZZ_RUNS: '1', CI: 'true', ...(scenario === undefined ? {} : { SCENARIO: scenario }) },
      stdio: 'ignore',
    },
  );
  return status === 0;
}
