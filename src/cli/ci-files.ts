import { appendFile, writeFile } from 'node:fs/promises';
import { EnvironmentError } from '../core/kube/errors.ts';
import { complain } from '../terminal/output.ts';
import { sanitise } from '../terminal/sanitise.ts';

/** `--junit-file`: a second form of the report, from the same read of the cluster. */
export async function writeJunitFile(path: string, report: string): Promise<void> {
  await writeFile(path, report).catch((error: unknown) => {
    throw new EnvironmentError(
      `cannot write the JUnit report: ${sanitise((error as Error).message)}`,
      'Pass a file in a directory that exists and that you may write to',
    );
  });
}

/** The page that GitHub shows for a job. A report that cannot be added there is still printed, so this is no error. */
export async function addToJobSummary(page: string): Promise<void> {
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (!file) return;
  await appendFile(file, page).catch((error: unknown) =>
    complain(sanitise(`cannot write the job summary: ${(error as Error).message}`)),
  );
}
