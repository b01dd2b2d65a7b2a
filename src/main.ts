import { runProgram } from './cli/program.ts';
import { commands } from './commands/index.ts';

void runProgram(process.argv.slice(2), commands);
