import { runProgram } from './cli/program.ts';
import { commands, services } from './commands/index.ts';

void runProgram(process.argv.slice(2), commands, services);
