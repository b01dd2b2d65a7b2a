import { render } from 'ink';
import { createElement } from 'react';
import { App } from './components/app.ts';
import { createLineScreen } from './line-screen.ts';
import type { State } from './state/state.ts';
import { screenModel } from './view-models/frame.ts';
import type { ScreenModel } from './view-models/frame.ts';

export interface Terminal {
  draw(state: State): void;
  /** Into the clipboard of whoever sits in front of it, through any number of ssh sessions (OSC 52). */
  copy(text: string): void;
  close(): void;
}

interface TerminalOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly onKey: (name: string) => void;
  readonly onResize: (columns: number, rows: number) => void;
}

const enter = '\u001b[?1049h\u001b[2J\u001b[H\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const wipe = '\u001b[2J';

/** Takes the terminal's second screen, and gives back the first one however the program ends. */
export function openTerminal({ stdin, stdout, onKey, onResize }: TerminalOptions): Terminal {
  const screen = createLineScreen(stdout);
  const tree = (model: ScreenModel, columns: number) => createElement(App, { screen: model, columns, onKey });
  let isOpen = true;
  const restore = (): void => {
    if (!isOpen) return;
    isOpen = false;
    screen.close();
    stdout.write(leave);
  };
  process.on('exit', restore);
  stdout.write(enter);
  // In debug mode Ink writes every frame whole and at once, and leaves the cursor alone.
  const instance = render(tree(emptyScreen, 80), {
    stdin,
    stdout: screen.stream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const resized = (): void => {
    screen.forget();
    stdout.write(wipe);
    onResize(stdout.columns || 80, stdout.rows || 24);
  };
  stdout.on('resize', resized);
  return {
    draw: (state) => instance.rerender(tree(screenModel(state), state.size.columns)),
    copy: (text) => void stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
    close: () => {
      stdout.off('resize', resized);
      screen.close();
      instance.unmount();
      restore();
      process.off('exit', restore);
    },
  };
}

const emptyScreen: ScreenModel = { top: [], body: [], bodyWidth: 0, beside: [], divider: '', foot: [] };
