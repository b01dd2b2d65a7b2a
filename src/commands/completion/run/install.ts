import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { EnvironmentError, UserError } from '../../../core/kube/errors.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import { readInstalled } from '../../../cli/installation.ts';
import { complain, print } from '../../../terminal/output.ts';

interface InstallFlags {
  readonly dir?: string | undefined;
  readonly 'dry-run': boolean;
}

const plugin = 'kubectl-csi';
const completer = 'kubectl_complete-csi';
/** The line that every version of our file has, by which it is recognised. */
const mark = '# kubectl runs this at every Tab after `kubectl csi`';

/**
 * Puts the file that kubectl looks for on the PATH, next to the plugin. A copy and not a link: it finds the program
 * through the PATH, and a link into a plugin manager's store would break with the next upgrade.
 */
export async function installCompletion(flags: InstallFlags): Promise<ExitCode> {
  const path = searchPath();
  const directory = flags.dir === undefined ? directoryOfPlugin(path) : givenDirectory(flags.dir);
  const target = join(directory, completer);
  const content = readOurs(`bin/${completer}`);
  const found = compare(target, content);
  if (found === 'foreign')
    throw new EnvironmentError(
      `the file ${target} exists and was not written by kubectl csi, so it is not replaced`,
      'Move it away, or choose another directory on the PATH with --dir',
    );
  if (found === 'same') await print(`${target} is already installed`);
  else {
    if (!flags['dry-run']) place(target, content);
    const done = found === 'older' ? 'replaced by the one of this version' : 'written';
    await print(`${target} ${flags['dry-run'] ? 'would be' : 'was'} ${done}`);
  }
  if (!path.some((entry) => isSame(entry, directory)))
    await complain(`${directory} is not on the PATH, so kubectl does not find it there`);
  if (found !== 'same' && !flags['dry-run'])
    await complain(
      'kubectl now completes "kubectl csi" in shells where completion for kubectl is set up (kubectl completion --help).',
    );
  return exitCodes.ok;
}

const searchPath = (): string[] => (process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '');

function directoryOfPlugin(path: readonly string[]): string {
  const found = path.find((entry) => isExecutable(join(entry, plugin)));
  if (found === undefined)
    throw new UserError(
      `${plugin} is not on the PATH, so the directory for ${completer} is not known`,
      'Choose a directory on the PATH with --dir',
    );
  return resolve(found);
}

function givenDirectory(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UserError(`the path ${directory} is not a directory`, 'Choose a directory on the PATH with --dir');
  return resolve(directory);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function readOurs(source: string): string {
  try {
    return readInstalled(source);
  } catch (error) {
    throw new EnvironmentError(`the file ${source} is missing from this installation`, 'Reinstall kubectl-csi', {
      cause: error,
    });
  }
}

function compare(target: string, content: string): 'absent' | 'same' | 'older' | 'foreign' {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return 'absent';
  // A broken link does not show whose file it was, and a pipe or a device would be read without end.
  if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) return 'foreign';
  try {
    const found = readFileSync(target, 'utf8');
    if (found === content) return 'same';
    return found.includes(mark) ? 'older' : 'foreign';
  } catch {
    return 'foreign';
  }
}

/**
 * Written to a temporary file and renamed, so that kubectl never runs half a file and a failure leaves nothing behind.
 */
function place(target: string, content: string): void {
  const temporary = `${target}.${process.pid}`;
  try {
    writeFileSync(temporary, content, { flag: 'wx' });
    chmodSync(temporary, 0o755);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
        ? 'this user may not write there'
        : (code ?? String(error));
    throw new EnvironmentError(`cannot write ${target}: ${why}`, 'Choose another directory on the PATH with --dir', {
      cause: error,
    });
  }
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
