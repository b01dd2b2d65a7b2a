import { fileURLToPath } from 'node:url';
import { measure, ratioTable } from './measure.ts';

/** How long the program takes to start, beside kubectl and bare Node, all in one run. */
const program = fileURLToPath(new URL('../bin/kubectl-csi', import.meta.url));
const against = 'kubectl version --client';

const measured = await measure(
  [
    { name: 'node (empty program)', command: process.execPath, words: ['--eval', '0'] },
    { name: against, command: 'kubectl', words: ['version', '--client'] },
    { name: 'kubectl-csi --help', command: program, words: ['--help'] },
    { name: 'kubectl-csi explain sc-missing', command: program, words: ['explain', 'sc-missing'] },
    { name: 'kubectl-csi causes -o name', command: program, words: ['causes', '-o', 'name'] },
  ],
  20,
);
process.stdout.write(`${ratioTable(measured, against)}\n`);
