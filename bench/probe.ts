import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBinaries, missingBinaries, pathOf } from '../test/e2e/binaries.ts';
import { grpcurl } from '../test/e2e/versions.ts';
import { healthy, startDriver } from '../test/kit/csi-driver.ts';
import { measure, ratioTable } from './measure.ts';

/** A cold probe of one driver on this machine, beside grpcurl and bare Node, all in one run. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const proto = fileURLToPath(new URL('../proto', import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const empty = 'node (empty program)';
const rival = 'grpcurl csi.v1.Identity/Probe (one call)';
const calls = ['GetPluginInfo', 'GetPluginCapabilities', 'Probe'];

const rivalPath = await findGrpcurl();
const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-bench-'));
const socket = join(directory, 'csi.sock');
const rivalWords = ['-plaintext', '-unix', '-import-path', proto, '-proto', 'csi.proto', socket];
const driver = await startDriver(socket, healthy);
try {
  const measured = await measure(
    [
      { name: empty, command: process.execPath, words: ['--eval', '0'] },
      ...(rivalPath === undefined
        ? []
        : [
            { name: rival, command: rivalPath, words: [...rivalWords, 'csi.v1.Identity/Probe'] },
            // It makes one call a run; the shell takes a millisecond.
            {
              name: 'grpcurl, the same three calls in turn',
              command: 'sh',
              words: [
                '-c',
                calls.map((call) => `"$0" "$@" csi.v1.Identity/${call}`).join('; '),
                rivalPath,
                ...rivalWords,
              ],
            },
          ]),
      { name: 'kubectl-csi probe (three calls)', command: program, words: ['probe', socket] },
      {
        name: 'kubectl-csi probe of a missing socket',
        command: program,
        words: ['probe', join(directory, 'none.sock')],
      },
    ],
    20,
  );
  process.stdout.write(`${ratioTable(measured, rivalPath === undefined ? empty : rival)}\n`);
} finally {
  driver.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Built from its pinned module into the cache on the first run; a machine without Go measures the rest. */
async function findGrpcurl(): Promise<string | undefined> {
  if (missingBinaries([grpcurl]).length > 0 && spawnSync('go', ['version']).status !== 0) {
    say('grpcurl is left out: it is not in the cache, and there is no go to build it');
    return undefined;
  }
  try {
    await buildBinaries([grpcurl], say);
    return pathOf(grpcurl);
  } catch (error) {
    say(`grpcurl is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
