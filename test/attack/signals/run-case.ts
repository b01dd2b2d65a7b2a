import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { programPath } from '../../kit/run-program.ts';

/** A command line that a signal reaches. */
export interface Victim {
  readonly name: string;
  readonly words: (place: Place) => readonly string[];
  /** It never ends without a signal. */
  readonly waits: boolean;
  /** It prints nothing before it ends, so there is no first output to wait for. */
  readonly isSilent?: true;
  readonly kubeconfig?: (place: Place) => string;
  /** Run in a terminal of its own. */
  readonly terminal?: true;
  /** What may be in its directory afterwards. */
  readonly mayLeave?: RegExp;
}

export interface Place {
  /** The directory of this case: its temporary files, and what it writes. */
  readonly directory: string;
  readonly kubeconfig: string;
  readonly sockets: string;
}

export type Moment = { readonly afterMs: number } | 'first output';

export interface Case {
  readonly victim: Victim;
  readonly signal: NodeJS.Signals | 'reader gone';
  readonly moment: Moment;
  /** The signal comes twice, as from a user who is in a hurry. */
  readonly twice?: true;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** What the case itself puts into its directory. */
const ownFiles: readonly string[] = ['tmp', 'pid', 'kubeconfig'];
/** How long a command may clean up after a signal, on a machine that is busy. */
const patienceMs = 60_000;

export function nameOf({ victim, signal, moment, twice }: Case): string {
  const when = moment === 'first output' ? 'at the first output' : `after ${moment.afterMs} ms`;
  return `${victim.name}: ${signal}${twice === true ? ' twice' : ''} ${when}`;
}

/** What did not hold; undefined if everything did. */
export async function runCase(one: Case, cluster: Omit<Place, 'directory'>): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-signal-'));
  try {
    const temporary = join(directory, 'tmp');
    mkdirSync(temporary);
    const ended = await interrupt(one, { ...cluster, directory }, temporary);
    const left = [...readdirSync(temporary), ...readdirSync(directory)].filter(
      (name) => !ownFiles.includes(name) && one.victim.mayLeave?.test(name) !== true,
    );
    const problem =
      ended === undefined
        ? 'did not end'
        : (wrongEnd(one, ended) ??
          wrongWords(ended) ??
          (one.victim.terminal === true ? wrongTerminal(ended) : undefined) ??
          (left.length > 0 ? `left files: ${left.join(' ')}` : undefined) ??
          (await survivors(directory)));
    return problem === undefined ? undefined : `${nameOf(one)}: ${problem}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function interrupt(one: Case, place: Place, temporary: string): Promise<Ended | undefined> {
  const { victim, moment } = one;
  const child = start(victim, place, temporary);
  const ended = whenEnded(child);
  if (victim.terminal === true) await untilStarted(place);
  const first = new Promise<void>((resolve) => {
    child.stdout?.once('data', () => resolve());
    child.stderr?.once('data', () => resolve());
  });
  await Promise.race([moment === 'first output' ? first : pause(moment.afterMs), ended]);
  send(one, child, place);
  if (one.twice === true) {
    await pause(20);
    send(one, child, place);
  }
  const result = await Promise.race([ended, pause(patienceMs, undefined, { ref: false })]);
  if (result === undefined) child.kill('SIGKILL');
  return result;
}

function start(victim: Victim, place: Place, temporary: string): ChildProcess {
  const words = victim.words(place);
  const env = {
    ...process.env,
    TMPDIR: temporary,
    KUBECONFIG: victim.kubeconfig?.(place) ?? place.kubeconfig,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLUMNS: undefined,
  };
  if (victim.terminal !== true) return spawn(programPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  // The shell becomes the program, so the number that it writes is the program's.
  const line = `echo $$ > '${place.directory}/pid'; exec '${programPath}' ${words.join(' ')}`;
  return spawn('script', ['-qefc', line, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The shell of the terminal has become the program. */
async function untilStarted({ directory }: Place): Promise<void> {
  while (!readText(join(directory, 'pid')).endsWith('\n')) await pause(10);
}

function send({ victim, signal }: Case, child: ChildProcess, { directory }: Place): void {
  if (signal === 'reader gone') return void child.stdout?.destroy();
  if (victim.terminal !== true) return void child.kill(signal);
  try {
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8')), signal);
  } catch {
    child.kill(signal);
  }
}

function whenEnded(child: ChildProcess): Promise<Ended> {
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve) =>
    child.on('exit', (code, signal) => setTimeout(() => resolve({ code, signal, output, errors }), 20)),
  );
}

/** Either the signal ended it, or the exit code says so; a command that had ended before has an exit code of its own. */
function wrongEnd({ victim, signal }: Case, ended: Ended): string | undefined {
  const said = `ended with ${ended.signal ?? ended.code}; stderr ${JSON.stringify(ended.errors.slice(-200))}`;
  const isOwn = ended.code !== null && [0, 1, 3].includes(ended.code);
  if (signal === 'reader gone') return isOwn ? undefined : said;
  const isBySignal = ended.signal === signal || ended.code === 128 + constants.signals[signal];
  return isBySignal || (isOwn && !victim.waits) ? undefined : said;
}

function wrongWords({ output, errors }: Ended): string | undefined {
  const [found] = /^\s+at .*$|this is a bug|Unhandled|uncaught|EPIPE/im.exec(`${output}\n${errors}`) ?? [];
  return found === undefined ? undefined : `printed ${JSON.stringify(found)}`;
}

/** The alternate screen, the cursor and the mouse are as they were: what was switched last is the usual state. */
function wrongTerminal({ output }: Ended): string | undefined {
  const lastOf = (mode: string): string | undefined => output.match(new RegExp(`\\x1b\\[\\?${mode}[hl]`, 'g'))?.at(-1);
  if (lastOf('1049')?.endsWith('h') === true) return 'left the alternate screen on';
  if (lastOf('25')?.endsWith('l') === true) return 'left the cursor hidden';
  const mouse = ['1000', '1002', '1003', '1006', '2004'].find((mode) => lastOf(mode)?.endsWith('h') === true);
  return mouse === undefined ? undefined : `left terminal mode ${mouse} on`;
}

/** Processes that still carry the directory of the case in their environment. */
async function survivors(directory: string): Promise<string | undefined> {
  let found: string[] = [];
  for (let tries = 0; tries < 20; tries += 1) {
    found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && contains(`/proc/${name}/environ`, directory));
    if (found.length === 0) return undefined;
    await pause(100);
  }
  const names = found.map((pid) => readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return `left processes: ${names.join('; ')}`;
}

function contains(path: string, text: string): boolean {
  return readText(path).includes(text);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
