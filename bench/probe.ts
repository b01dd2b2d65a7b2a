import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { healthy, startDriver } from '../test/kit/csi-driver.ts';
import { measure, ratioTable } from './measure.ts';

/** A cold probe of one driver on this machine, beside bare Node and, where it is installed, grpcurl, all in one run. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const proto = fileURLToPath(new URL('../proto', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
const socket = join(directory, 'csi.sock');
const driver = await startDriver(socket, healthy);
const against = 'node (empty program)';
try {
  const measured = await measure(
    [
      { name: against, command: process.execPath, words: ['--eval', '0'] },
      { name: 'grpcurl csi.v1.Identity/Probe', command: 'grpcurl', words: ['-plaintext', '-unix', '-import-path', proto, '-proto', 'csi.proto', socket, 'csi.v1.Identity/Probe'] },
      { name: 'kubectl-csi probe (three calls)', command: program, words: ['probe', socket] },
      { name: 'kubectl-csi probe of a missing socket', command: program, words: ['probe', join(directory, 'none.sock')] },
    ],
    20,
  );
  process.stdout.write(`${ratioTable(measured, against)}\n`);
} finally {
  driver.stop();
  await rm(directory, { recursive: true, force: true });
}
