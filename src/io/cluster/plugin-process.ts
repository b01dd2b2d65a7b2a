import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { startEndingWithThisProcess } from './end-with-this-process.ts';
import type { ConnectionEnvironment } from './flags.ts';

export interface Finished {
  readonly code: number | string;
  readonly output: string;
  /** The end of its standard error. */
  readonly words: string;
}

export interface PluginCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
  readonly isInteractive: boolean;
}

const usualLimit = 120_000;
/** A credential with a long chain of certificates has some kilobytes. */
const mostOutput = 4_000_000;

/** Runs a credential plugin to its end; one that hangs or does not stop printing is ended. */
export function runPlugin(call: PluginCall, environment: ConnectionEnvironment): Promise<Finished> {
  const limit = environment.pluginLimitMs ?? usualLimit;
  return new Promise((resolve, reject) => {
    const child = startEndingWithThisProcess(() =>
      spawn(call.command, [...call.args], {
        env: call.variables,
        stdio: [call.isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
        windowsHide: true,
      }),
    );
    const output: Buffer[] = [];
    let size = 0;
    let words = '';
    const finish = (code: number | string): void => {
      clearTimeout(timer);
      resolve({ code, output: Buffer.concat(output).toString(), words: lastWords(words) });
    };
    const end = (reason: string): void => {
      child.kill('SIGKILL');
      // Programs that the plugin started may hold the pipes open.
      child.stdout?.destroy();
      child.stderr?.destroy();
      finish(reason);
    };
    // A person who logs in may take longer.
    const timer = call.isInteractive
      ? undefined
      : setTimeout(() => end(`no answer within ${Math.round(limit / 100) / 10} s`), limit);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostOutput) end('more output than a credential has');
      else output.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-4000);
      environment.onPluginMessage?.(chunk.toString());
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => finish(code ?? `signal ${signal}`));
  });
}

/** As Go finds a command: in the PATH of this program, not in that of the plugin, and never in a relative directory. */
export function findCommand(command: string, path: string | undefined): string | undefined {
  if (/[\\/]/.test(command) || process.platform === 'win32') return command;
  return (path ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, command))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The last two lines of standard error, where programs print what went wrong. */
function lastWords(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(-2).join(' ').slice(-300);
}
