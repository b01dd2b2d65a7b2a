import { EnvironmentError } from '../core/kube/errors.ts';
import { defuse } from './defuse.ts';

/** How wide a terminal or pipe is, and what it can show. */
interface ScreenTraits {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii: boolean;
}

export type ColourChoice = 'auto' | 'always' | 'never';

/** The screen of standard output, with colours as --color demands. */
export function stdoutScreen(choice: string): ScreenTraits {
  return screenOf(choice, process.env, process.stdout);
}

export function screenOf(
  choice: string,
  env: NodeJS.ProcessEnv,
  stream: { readonly isTTY?: boolean; readonly columns?: number },
): ScreenTraits {
  return {
    width: stream.columns || columnsOf(env),
    colour: wantsColour(choice, env, stream.isTTY === true),
    ascii: lacksUnicode(env),
  };
}

/** A pipe has no width; `watch` and other programs set COLUMNS to theirs. */
function columnsOf({ COLUMNS: columns = '' }: NodeJS.ProcessEnv): number {
  return /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : 80;
}

/** The flag decides, then NO_COLOR (any value), then FORCE_COLOR, then whether the output is a terminal. */
function wantsColour(choice: string, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

function lacksUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

/** Resolves when everything is written. A reader that is gone (`| head`) is no error. */
function write(stream: NodeJS.WritableStream, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE')
        reject(new EnvironmentError(`cannot write the output: ${error.message}`));
      else resolve();
    });
  });
}

/** Prints a result. Nothing in it is a command of a CI system. */
export const print = (text: string): Promise<void> => write(process.stdout, ended(defuse(text)));
/** Prints workflow commands that `github.ts` wrote: the only text that a CI system may obey. */
export const printWorkflow = (text: string): Promise<void> => write(process.stdout, ended(text));
export const complain = (text: string): Promise<void> => write(process.stderr, `${defuse(text)}\n`);
const ended = (text: string): string => (text.endsWith('\n') || text === '' ? text : `${text}\n`);
export const printBytes = (bytes: Uint8Array): Promise<void> => write(process.stdout, bytes);
