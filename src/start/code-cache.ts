import { decodeKeptCode, encodeKeptCode } from './kept-code.ts';
import type { KeptCode } from './kept-code.ts';
import { isPrivate, isPrivateDirectory, lstat, mayCreateBelow, readTrusted } from './trusted-files.ts';

/** Where the compiled code of one command is kept. */
interface Place {
  /** The user's cache directory, which other programs share. */
  readonly base: string;
  /**
   * For each build, processor and Node separately: V8 compares its version and the length of the text, but not the
   * text.
   */
  readonly build: string;
  readonly command: string;
}

/** These services run in a second thread of a command, whose main thread removes the mark of both. */
const threadCommands = ['__tui', '__serve'];
const markPattern = /^running\.(\d+)$/;
const unfinishedPattern = /\.\d+$/;
const unfinishedMs = 60_000;
const oldBuildMs = 30 * 24 * 3600 * 1000;

/**
 * Compiled code in the user's own cache directory. It is used only where no other user can write: directories and files
 * of this user, without rights for others, and no links. A run that uses it leaves a mark, `running.PID`, with the name
 * of its command, and removes the mark when it ends. A mark of a process that is gone was left by a crash: the code of
 * that command is deleted.
 */
export class CodeCache {
  /** Whether an earlier run of this command crashed with code that it had loaded: this one compiles everything. */
  readonly isAfterCrash: boolean;
  readonly #place: Place;
  readonly #all: string;
  readonly #build: string;
  readonly #directory: string;
  readonly #mark: string;
  readonly #isUsable: boolean;
  /** Of this command's directory when the run began. */
  #names: readonly string[] = [];
  #isMarked = false;

  private constructor(place: Place) {
    this.#place = place;
    this.#all = place.base + '/kubectl-csi';
    this.#build = this.#all + '/' + place.build;
    this.#directory = this.#build + '/' + place.command;
    this.#mark = this.#build + '/running.' + process.pid;
    this.#isUsable = !this.#isForeign();
    this.isAfterCrash = this.#isUsable && this.#open();
  }

  /** Undefined where there is no cache directory, or it is not this user's. */
  static open(build: string, command: string): CodeCache | undefined {
    const base = cacheBase();
    if (base === undefined) return undefined;
    try {
      const cache = new CodeCache({ base: base, build: build, command: command });
      return cache.#isUsable ? cache : undefined;
    } catch (_) {
      return undefined;
    }
  }

  /** What this user's earlier runs compiled. A file that does not pass is deleted. */
  read(pack: string): KeptCode | undefined {
    if (this.#names.indexOf(pack) < 0) return undefined;
    const path = this.#directory + '/' + pack;
    const file = readTrusted(path, isPrivate);
    const kept = file && decodeKeptCode(file, this.#label(pack));
    if (kept !== undefined && this.#leaveMark()) return kept;
    if (kept === undefined) deleteQuietly(path);
    return undefined;
  }

  write(pack: string, kept: KeptCode): void {
    const fs = process.getBuiltinModule('node:fs');
    if (!mayCreateBelow(this.#place.base)) return;
    const isNew = createDirectory(this.#directory);
    if (this.#isForeign()) return;
    if (isNew) deleteOld(this.#all, /^/, oldBuildMs);
    deleteOld(this.#directory, unfinishedPattern, unfinishedMs);
    const unfinished = this.#directory + '/' + pack + '.' + process.pid;
    try {
      fs.writeFileSync(unfinished, encodeKeptCode(kept, this.#label(pack)), { mode: 0o600, flag: 'wx' });
      fs.renameSync(unfinished, this.#directory + '/' + pack);
    } catch (error) {
      deleteQuietly(unfinished);
      throw error;
    }
  }

  /** At the end of a run that did not crash. The mark can also be one that only the second thread left. */
  release(): void {
    if (!threadCommands.includes(this.#place.command)) deleteQuietly(this.#mark);
  }

  /** At the end of a run that crashed, so that nothing of what it ran is used again. */
  discard(): void {
    if (this.#isMarked) deleteQuietly(this.#directory);
    this.release();
  }

  #label(pack: string): string {
    return this.#place.build + '/' + this.#place.command + '/' + pack;
  }

  /** Lists what there is, after code of crashed runs is deleted; returns whether this command was one of them. */
  #open(): boolean {
    const fs = process.getBuiltinModule('node:fs');
    if (lstat(this.#build) === undefined) return false;
    const crashed = fs.readdirSync(this.#build).filter((name) => this.#isLeftByCrash(name));
    const commands = crashed
      .map((name) => this.#takeMark(name))
      .join('\n')
      .split('\n');
    const isAfterCrash = commands.indexOf(this.#place.command) >= 0;
    if (isPrivateDirectory(this.#directory)) this.#names = fs.readdirSync(this.#directory);
    return isAfterCrash;
  }

  /** A number is used again, so a mark with this process's own is an earlier one's, unless another thread left it. */
  #isLeftByCrash(name: string): boolean {
    const [, digits] = markPattern.exec(name) || [];
    if (digits === undefined) return false;
    const pid = Number(digits);
    return pid === process.pid ? !threadCommands.includes(this.#place.command) : !isAlive(pid);
  }

  /** Deletes the code that the crashed run had loaded, then its mark. */
  #takeMark(name: string): string {
    const content = readTrusted(this.#build + '/' + name, isPrivate);
    const commands = content === undefined ? '' : content.toString();
    commands
      .split('\n')
      .filter((command) => /^[a-z_-]+$/.test(command))
      .forEach((command) => deleteQuietly(this.#build + '/' + command));
    deleteQuietly(this.#build + '/' + name);
    return commands;
  }

  /** Without a mark, code is not loaded: a crash could not be noticed. */
  #leaveMark(): boolean {
    if (this.#isMarked) return true;
    try {
      process.getBuiltinModule('node:fs').appendFileSync(this.#mark, this.#place.command + '\n', { mode: 0o600 });
      this.#isMarked = true;
    } catch (_) {
      // The directory is read-only.
    }
    return this.#isMarked;
  }

  /** Whether a directory that exists is not this user's alone. */
  #isForeign(): boolean {
    if (lstat(this.#place.base) !== undefined && !mayCreateBelow(this.#place.base)) return true;
    return [this.#all, this.#build, this.#directory].some(
      (directory) => lstat(directory) !== undefined && !isPrivateDirectory(directory),
    );
  }
}

/** A relative path is ignored, as the XDG specification demands. */
function cacheBase(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME, USERPROFILE } = process.env;
  const home = HOME || USERPROFILE;
  const usual = home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache');
  return [XDG_CACHE_HOME, LOCALAPPDATA, usual].filter((path) => path && /^([/\\]|[A-Za-z]:)/.test(path))[0];
}

/**
 * Returns whether it had to be created. Not `recursive`: Node then tries endlessly in /proc, where nothing can be
 * created.
 */
function createDirectory(path: string): boolean {
  if (lstat(path) !== undefined) return false;
  const parent = path.replace(/[/\\]+[^/\\]*[/\\]*$/, '');
  if (parent !== '' && parent !== path) createDirectory(parent);
  try {
    process.getBuiltinModule('node:fs').mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another run was faster.
    if (lstat(path) === undefined) throw error;
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (_) {
    return false;
  }
}

/** Deletes what a killed run had not finished writing, and builds that have not added a command for a month. */
function deleteOld(directory: string, pattern: RegExp, ageMs: number): void {
  const fs = process.getBuiltinModule('node:fs');
  fs.readdirSync(directory)
    .filter((name) => pattern.test(name))
    .map((name) => directory + '/' + name)
    .forEach((path) => {
      const stats = lstat(path);
      if (stats !== undefined && Date.now() - stats.mtimeMs > ageMs) deleteQuietly(path);
    });
}

function deleteQuietly(path: string): void {
  try {
    process.getBuiltinModule('node:fs').rmSync(path, { recursive: true, force: true });
  } catch (_) {
    // It stays, and does not pass the next time either.
  }
}
