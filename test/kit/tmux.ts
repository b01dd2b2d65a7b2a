import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why tmux cannot be used here; undefined if it can. */
export function whyNoTmux(): string | undefined {
  const { error } = spawnSync('tmux', ['-V']);
  return error === undefined ? undefined : 'tmux, in which the program would be run, is not installed';
}

/** A terminal with a shell, which the test types into and looks at. */
export class Tmux {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async start(
    size: { readonly columns: number; readonly rows: number },
    env: Readonly<Record<string, string>>,
  ): Promise<Tmux> {
    const tmux = new Tmux(await mkdtemp(join(tmpdir(), 'tmux-')));
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    await tmux.#call(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'test',
      '-x',
      String(size.columns),
      '-y',
      String(size.rows),
      ...variables,
      'sh',
    );
    return tmux;
  }

  async #call(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-S', join(this.#directory, 'socket'), ...words]);
    return stdout;
  }

  /** Keys by their names in tmux: `Enter`, `Escape`, `C-c`, `j`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#call('send-keys', '-t', 'test', key);
  }

  async type(text: string): Promise<void> {
    await this.#call('send-keys', '-t', 'test', '-l', text);
  }

  async screen(): Promise<string> {
    return (await this.#call('capture-pane', '-p', '-t', 'test'))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#call('resize-window', '-t', 'test', '-x', String(columns), '-y', String(rows));
  }

  /** Whether the alternate screen is shown, and whether the cursor is. */
  async modes(): Promise<{ readonly isAlternate: boolean; readonly hasCursor: boolean }> {
    const [alternate, cursor] = (
      await this.#call('display-message', '-p', '-t', 'test', '#{alternate_on} #{cursor_flag}')
    )
      .trim()
      .split(' ');
    return { isAlternate: alternate === '1', hasCursor: cursor === '1' };
  }

  /** Waits until it appears, and returns the screen. */
  async sees(expected: RegExp, withinMs = 60_000): Promise<string> {
    const end = performance.now() + withinMs;
    for (;;) {
      const screen = await this.screen();
      if (expected.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`${String(expected)} did not appear; the screen was:\n${screen}`);
      await pause(100);
    }
  }

  async close(): Promise<void> {
    await this.#call('kill-server').catch(() => undefined);
    await rm(this.#directory, { recursive: true, force: true });
  }
}
