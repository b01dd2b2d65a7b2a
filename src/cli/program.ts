import type { Config } from '@oclif/core/config';
import { EnvironmentError, UserError } from '../core/kube/errors.ts';
import { complain, print } from '../terminal/output.ts';
import { canonicalArguments } from './arguments.ts';
import type { ArgumentProblem, FlagShape } from './arguments.ts';
import type { CommandTable } from './base-command.ts';
import { readCommandLine } from './command-line.ts';
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { failureOf } from './failures.ts';
import { manifest } from './manifest.ts';
import type { ManifestCommand } from './manifest.ts';
import { unknownName } from './near-names.ts';

/** Internal entry points for a shell or for the program, by a first word that no user types. */
export type ServiceTable = Readonly<Record<string, (words: readonly string[]) => Promise<ExitCode>>>;

/** What is known about the run when an error is reported. */
interface Progress {
  commandId: string | undefined;
  verbosity: number;
}

let hasBug = false;

/**
 * Whether the run ended with an error that is a bug. Compiled code that it loaded is then not used again
 * (src/start.ts).
 */
export function endedByBug(): boolean {
  return hasBug;
}

/** Runs one command line from beginning to end. The only place that sets the exit code and ends the process. */
export async function runProgram(
  argv: readonly string[],
  commands: CommandTable,
  services: ServiceTable,
): Promise<void> {
  const progress: Progress = { commandId: undefined, verbosity: 0 };
  const end = (error: unknown): Promise<void> => endWithError(error, progress);
  // An error of a stream that is not awaited, or any other error that escapes a promise, is reported like the rest.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.on(
    'uncaughtException',
    (error: NodeJS.ErrnoException) => void end(error.syscall === 'write' ? unwritable(error) : error),
  );
  process.on('unhandledRejection', (error) => void end(error));
  try {
    process.exitCode = await (services[argv[0] ?? '']?.(argv.slice(1)) ?? dispatch(argv, commands, progress));
  } catch (error) {
    return end(error);
  }
  // Both streams are flushed by now; idle connections to a cluster need not be waited for.
  process.exit();
}

async function endWithError(error: unknown, { commandId, verbosity }: Progress): Promise<void> {
  const failure = failureOf(error, commandId, verbosity);
  process.exitCode = failure.exitCode;
  hasBug ||= failure.isBug;
  // An error may quote a server, a plugin or a file.
  const { sanitise } = await import('../terminal/sanitise.ts');
  await complain(sanitise(failure.lines.join('\n'), { newlines: true })).catch(() => undefined);
  process.exit();
}

async function dispatch(argv: readonly string[], commands: CommandTable, progress: Progress): Promise<ExitCode> {
  const line = readCommandLine(argv, manifest);
  const { command, any } = line;
  progress.commandId = command?.id;
  progress.verbosity = Number(any.values.get('v')?.at(-1) ?? 0) || 0;
  const wantsHelp = line.isHelp || isOn(line, 'help');
  if (command === undefined) return answerWithoutCommand(line, wantsHelp);
  if (wantsHelp) {
    const { renderCommandHelp } = await import('./help.ts');
    return show(renderCommandHelp(command));
  }
  return runCommand(command, line, commands, progress);
}

/** The version, the help, or what is wrong with a line that names no command. */
async function answerWithoutCommand(line: CommandLine, wantsHelp: boolean): Promise<ExitCode> {
  const [word] = line.words;
  const names = Object.keys(manifest.commands);
  if (word !== undefined)
    throw await unknownName('command', word, names, 'Run kubectl csi --help to list the commands');
  if (isOn(line, 'version') && !wantsHelp) return show(`kubectl-csi ${manifest.version}`);
  const [problem] = line.any.problems;
  if (!wantsHelp && problem !== undefined) throw await argumentError(problem, line.anyFlags);
  const { renderRootHelp } = await import('./help.ts');
  return show(renderRootHelp(manifest));
}

function isOn({ any }: CommandLine, flag: string): boolean {
  return any.values.get(flag)?.at(-1) === 'true';
}

async function runCommand(
  command: ManifestCommand,
  { own, words }: CommandLine,
  commands: CommandTable,
  progress: Progress,
): Promise<ExitCode> {
  const flags = Object.values(command.flags);
  const [problem] = own.problems;
  if (problem !== undefined) throw await argumentError(problem, flags);
  const verbosity = own.values.get('v')?.at(-1) ?? '0';
  if (!/^\d+$/.test(verbosity)) throw new UserError(`-v must be a number from 0 to 9, not "${verbosity}"`);
  progress.verbosity = Number(verbosity);
  // oclif splits the line once more: it gives each flag its type, its default and its allowed values. It is handed the
  // canonical form, because it does not read all that pflag does (`-Awn shop`, `--watch=false`).
  return commandRunner(commands)(command.id, canonicalArguments(words, own.values, flags));
}

/** Runs another command of the program with arguments that oclif parses. */
type RunCommand = (id: string, argv: string[]) => Promise<ExitCode>;

function commandRunner(commands: CommandTable): RunCommand {
  const run: RunCommand = async (id, argv) => {
    const load = commands[id];
    if (load === undefined) throw new Error(`the manifest names a command that the program does not have: ${id}`);
    const { default: CommandClass } = await load();
    return new CommandClass(argv, bareConfig(manifest.version, run)).run();
  };
  return run;
}

/**
 * The part of oclif's Config that a running command uses. Loading the real one searches for plugins, themes, a shell
 * and the package file, which takes longer than the rest of the start and finds nothing here.
 */
export function bareConfig(version: string, runCommand?: RunCommand): Config {
  return {
    bin: 'kubectl csi',
    name: 'kubectl-csi',
    version,
    topicSeparator: ' ',
    runCommand,
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVarKeys: () => [],
  } as unknown as Config;
}

async function argumentError(problem: ArgumentProblem, flags: readonly FlagShape[]): Promise<UserError> {
  if (problem.type === 'missingValue') return new UserError(`${problem.flag} needs a value`);
  if (problem.type === 'notBoolean')
    return new UserError(`${problem.flag} must be true or false, not "${problem.value}"`);
  const near = await nearFlags(problem.flag, flags);
  return new UserError(
    `unknown flag ${problem.flag}`,
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : undefined,
  );
}

async function nearFlags(written: string, flags: readonly FlagShape[]): Promise<string[]> {
  if (!written.startsWith('--')) return [];
  const { nearNames } = await import('../core/kube/names.ts');
  const names = flags.map(({ name }) => name);
  return nearNames(written.slice(2), names).map((name) => `--${name}`);
}

async function show(text: string): Promise<ExitCode> {
  await print(text);
  return exitCodes.ok;
}

function unwritable(error: NodeJS.ErrnoException): EnvironmentError {
  return new EnvironmentError(`cannot write the output: ${error.message}`);
}
