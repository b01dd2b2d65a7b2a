import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { EnvironmentError, UserError } from '../../../core/kube/errors.ts';
import type { BaselineEntry, JudgedFinding } from '../../../core/report/check.ts';
import { parseBaseline, renderBaseline } from '../baseline.ts';

export function readBaseline(file: string): BaselineEntry[] {
  const entries = parseBaseline(readText(file));
  if (entries === undefined)
    throw new UserError(`the file ${file} is not a baseline`, `Write one with --write-baseline ${file}`);
  return entries;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UserError(
      isMissing
        ? `the baseline ${file} does not exist`
        : `cannot read the baseline ${file}: ${(error as Error).message}`,
      isMissing ? `Write it with --write-baseline ${file}` : undefined,
      { cause: error },
    );
  }
}

export async function writeBaseline(file: string, findings: readonly JudgedFinding[]): Promise<void> {
  await writeFile(file, renderBaseline(findings)).catch((error: unknown) => {
    throw new EnvironmentError(`cannot write the baseline ${file}: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  });
}
