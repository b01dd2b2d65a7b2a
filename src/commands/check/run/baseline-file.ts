import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { EnvironmentError, UserError } from '../../../core/kube/errors.ts';
import type { BaselineEntry, JudgedFinding } from '../../../core/report/check.ts';
import { parseBaseline, renderBaseline } from '../baseline.ts';

export function readBaseline(file: string): BaselineEntry[] {
  const entries = parseBaseline(readText(file));
  if (entries === undefined) throw new UserError(`${file} is not a baseline`, `--write-baseline ${file} writes one`);
  return entries;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UserError(
      `the baseline ${file} cannot be read: ${isMissing ? 'it does not exist' : (error as Error).message}`,
      isMissing ? `--write-baseline ${file} writes it` : undefined,
      { cause: error },
    );
  }
}

export async function writeBaseline(file: string, findings: readonly JudgedFinding[]): Promise<void> {
  await writeFile(file, renderBaseline(findings)).catch((error: unknown) => {
    throw new EnvironmentError(`the baseline ${file} cannot be written: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  });
}
