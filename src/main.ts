import { runProgram } from './cli/program.ts';
import { commands, services } from './commands/index.ts';

/** Asked at the end (src/start.ts). */
export { endedByBug } from './cli/program.ts';

void runProgram(process.argv.slice(2), commands, services);
