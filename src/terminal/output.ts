import { EnvironmentError } from '../core/kube/errors.ts';

/** How text is laid out on this terminal or pipe. */
export interface Screen {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii: boolean;
}

export type ColourChoice = 'auto' | 'always' | 'never';

export function screenOf(
  choice: ColourChoice,
  env: NodeJS.ProcessEnv,
  stream: { readonly isTTY?: boolean; readonly columns?: number },
): Screen {
  return {
    width: stream.columns || columnsOf(env),
    colour: wantsColour(choice, env, stream.isTTY === true),
    ascii: lacksUnicode(env),
  };
}

/** A pipe has no width of its own; `watch` and others say in COLUMNS how wide they show it. */
function columnsOf({ COLUMNS: columns = '' }: NodeJS.ProcessEnv): number {
  return /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : 80;
}

/** The flag decides; then NO_COLOR (any value), then FORCE_COLOR, then whether someone is looking. */
function wantsColour(choice: ColourChoice, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
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

/** Writes all of it before it answers. A reader that went away (`| head`) is no error. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE')
        reject(new EnvironmentError(`the output cannot be written: ${error.message}`));
      else resolve();
    });
  });
}

export const print = (text: string): Promise<void> =>
  write(process.stdout, text.endsWith('\n') || text === '' ? text : `${text}\n`);
export const complain = (text: string): Promise<void> => write(process.stderr, `${text}\n`);
