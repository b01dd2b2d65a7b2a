import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory in which the first test file that reads all scenarios leaves them for the others of this run. */
export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-scenarios-'));
  process.env['KUBECTL_CSI_TEST_SCENARIOS'] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
