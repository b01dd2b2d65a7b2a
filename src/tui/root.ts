import { render } from 'ink';
import type { Instance } from 'ink';
import { createElement } from 'react';
import { App } from './components/app.tsx';
import type { Place, TuiPorts } from './ports.ts';
import { Session } from './session.ts';
import type { Look } from './theme.ts';

interface TuiOptions {
  readonly ports: TuiPorts;
  readonly place: Place;
  readonly look: Look;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Ends it from outside. */
  readonly signal?: AbortSignal;
}

/** Runs until the user quits. Every ending restores the terminal. */
export async function runTui(options: TuiOptions): Promise<'quit' | 'interrupted'> {
  const { ports, place, stdout, signal } = options;
  if (signal?.aborted === true) return 'interrupted';
  const { promise: ending, resolve: quit, reject: crash } = Promise.withResolvers<'quit' | 'interrupted'>();
  const interrupt = (): void => quit('interrupted');
  const session = new Session({ ports, place, quit, copy: (text) => void stdout.write(copySequence(text)) });
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  signal?.addEventListener('abort', interrupt, { once: true });
  const screen = drawScreen(session, options);
  screen.waitUntilExit().catch(crash);
  try {
    void session.open(place);
    return await ending;
  } finally {
    screen.unmount();
    process.off('uncaughtException', crash).off('unhandledRejection', crash);
    signal?.removeEventListener('abort', interrupt);
    await session.end();
  }
}

/** Ink draws at most this often. A key is drawn immediately unless something else was drawn just before. */
const framesPerSecond = 120;

function drawScreen(session: Session, { look, stdin, stdout }: TuiOptions): Instance {
  let screen: Instance | undefined;
  const forgetFrame = (): void => screen?.clear();
  screen = render(createElement(App, { session, look, forgetFrame }), {
    stdin,
    stdout,
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: framesPerSecond,
    // Where CI is set, Ink would not treat the terminal as one; that there is a terminal was checked before.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return screen;
}

/** OSC 52: into the clipboard of the terminal, also through ssh. */
function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}
