import { EnvironmentError, UserError } from '../core/kube/errors.ts';
import { canonicalArguments, splitArguments } from './arguments.ts';
import type { ArgumentProblem, FlagShape } from './arguments.ts';
import { bareConfig } from './bare-config.ts';
import type { CommandTable } from './base-command.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { failureOf } from './failures.ts';
import { manifest } from './manifest.ts';
import type { ManifestCommand } from './manifest.ts';
import { unknownName } from './near-names.ts';
import { complain, print } from '../terminal/output.ts';

/** What the program does for a shell or for itself, by a first word that no user types. */
export type ServiceTable = Readonly<Record<string, (words: readonly string[]) => Promise<ExitCode>>>;

/** Runs one command line from beginning to end. The only place that sets the exit code and ends the process. */
export async function runProgram(
  argv: readonly string[],
  commands: CommandTable,
  services: ServiceTable,
): Promise<void> {
  const line: CommandLine = { commandId: undefined, verbosity: 0 };
  const end = async (error: unknown): Promise<void> => {
    const failure = failureOf(error, line.commandId, line.verbosity);
    process.exitCode = failure.exitCode;
    // An error may quote a server, a plugin or a file.
    const { sanitise } = await import('../terminal/sanitise.ts');
    await complain(sanitise(failure.lines.join('\n'), { newlines: true })).catch(() => undefined);
    process.exit();
  };
  // A stream that fails while nobody awaits it, and whatever else escapes a promise, still ends in one sentence.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.on(
    'uncaughtException',
    (error: NodeJS.ErrnoException) => void end(error.syscall === 'write' ? unwritable(error) : error),
  );
  process.on('unhandledRejection', (error) => void end(error));
  try {
    process.exitCode = await (services[argv[0] ?? '']?.(argv.slice(1)) ?? dispatch(argv, commands, line));
  } catch (error) {
    return end(error);
  }
  // Both streams are flushed by now; idle connections to a cluster need not be waited for.
  process.exit();
}

interface CommandLine {
  commandId: string | undefined;
  verbosity: number;
}

const helpFlag: FlagShape = { name: 'help', type: 'boolean', char: 'h' };
const versionFlag: FlagShape = { name: 'version', type: 'boolean' };

async function dispatch(argv: readonly string[], commands: CommandTable, line: CommandLine): Promise<ExitCode> {
  const everyFlag = Object.values(manifest.commands).flatMap((command) => Object.values(command.flags));
  const loose = splitArguments(argv, [...everyFlag, helpFlag, versionFlag]);
  line.verbosity = Number(loose.values.get('v')?.at(-1) ?? 0) || 0;
  const wantsHelp = loose.values.get('help')?.at(-1) === 'true' || loose.words[0] === 'help';
  const words = loose.words[0] === 'help' ? loose.words.slice(1) : loose.words;
  const command = findCommand(words);
  line.commandId = command?.id;
  if (command === undefined) {
    if (words[0] !== undefined)
      throw await unknownName(
        'command',
        words[0],
        Object.keys(manifest.commands),
        `the commands are ${Object.keys(manifest.commands).join(', ')}`,
      );
    if (loose.values.get('version')?.at(-1) === 'true' && !wantsHelp) return show(`kubectl-csi ${manifest.version}`);
    if (!wantsHelp && loose.problems[0] !== undefined)
      throw await argumentError(loose.problems[0], [...everyFlag, helpFlag, versionFlag]);
    const { renderRootHelp } = await import('./help.ts');
    return show(renderRootHelp(manifest));
  }
  if (wantsHelp) {
    const { renderCommandHelp } = await import('./help.ts');
    return show(renderCommandHelp(command));
  }
  return runCommand(command, commands, argv, line);
}

async function runCommand(
  command: ManifestCommand,
  commands: CommandTable,
  argv: readonly string[],
  line: CommandLine,
): Promise<ExitCode> {
  const flags = Object.values(command.flags);
  const split = splitArguments(argv, flags);
  const problem = split.problems[0];
  if (problem !== undefined) throw await argumentError(problem, flags);
  const written = split.values.get('v')?.at(-1) ?? '0';
  if (!/^\d+$/.test(written)) throw new UserError(`-v takes a number from 0 to 9, not "${written}"`);
  line.verbosity = Number(written);
  const words = split.words.slice(command.id.split(' ').length);
  const load = commands[command.id];
  if (load === undefined) throw new Error(`the manifest names a command that the program does not have: ${command.id}`);
  const { default: CommandClass } = await load();
  return new CommandClass(canonicalArguments({ ...split, words }, flags), bareConfig(manifest.version)).run();
}

/** The longest command whose words the line begins with. */
function findCommand(words: readonly string[]): ManifestCommand | undefined {
  for (let length = Math.min(words.length, 2); length > 0; length -= 1) {
    const id = words.slice(0, length).join(' ');
    if (Object.hasOwn(manifest.commands, id)) return manifest.commands[id];
  }
  return undefined;
}

async function argumentError(problem: ArgumentProblem, flags: readonly FlagShape[]): Promise<UserError> {
  if (problem.type === 'missingValue') return new UserError(`${problem.flag} needs a value`);
  if (problem.type === 'notBoolean') return new UserError(`${problem.flag} is true or false, not "${problem.value}"`);
  const { nearNames } = await import('../core/kube/names.ts');
  const near = problem.flag.startsWith('--')
    ? nearNames(
        problem.flag.slice(2),
        flags.map((flag) => flag.name),
      )
    : [];
  return new UserError(
    `unknown flag ${problem.flag}`,
    near.length > 0 ? `did you mean ${near.map((name) => `--${name}`).join(' or ')}?` : undefined,
  );
}

async function show(text: string): Promise<ExitCode> {
  await print(text);
  return exitCodes.ok;
}

function unwritable(error: NodeJS.ErrnoException): EnvironmentError {
  return new EnvironmentError(`the output cannot be written: ${error.message}`);
}
