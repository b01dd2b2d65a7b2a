import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measure, ratioTable } from './measure.ts';

/** How long the program takes to start, beside kubectl and bare Node, all in one run; and the executable, where npm run build:exe made one. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const executable = fileURLToPath(new URL('../exe/kubectl-csi', import.meta.url));
const against = 'kubectl version --client';
/** Nothing can be kept below a file, so every run is a first one. */
const firstRun = { XDG_CACHE_HOME: '/dev/null/nowhere' };

const measured = await measure(
  [
    { name: 'node (empty program)', command: process.execPath, words: ['--eval', '0'] },
    { name: against, command: 'kubectl', words: ['version', '--client'] },
    { name: 'kubectl-csi --help', command: program, words: ['--help'] },
    { name: 'kubectl-csi explain sc-missing', command: program, words: ['explain', 'sc-missing'] },
    {
      name: 'kubectl-csi explain sc-missing, a first run',
      command: program,
      words: ['explain', 'sc-missing'],
      env: firstRun,
    },
    { name: 'kubectl-csi causes -o name', command: program, words: ['causes', '-o', 'name'] },
    ...(existsSync(executable)
      ? [
          { name: 'the executable, --help', command: executable, words: ['--help'] },
          { name: 'the executable, explain sc-missing', command: executable, words: ['explain', 'sc-missing'] },
        ]
      : []),
  ],
  20,
);
process.stdout.write(`${ratioTable(measured, against)}\n`);
