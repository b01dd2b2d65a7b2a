import { useAnimation, useInput, useStdout, useWindowSize } from 'ink';
import { useEffect, useInsertionEffect, useMemo, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { keyNames } from '../input/key-names.ts';
import { pressKey } from '../input/press-key.ts';
import type { Session } from '../session.ts';
import type { State } from '../state/state.ts';
import { createTuiTheme } from '../theme.ts';
import type { Look } from '../theme.ts';
import { screenOf } from '../view-models/screen.ts';
import { clusterTime } from '../view-models/viewport.ts';
import type { Viewport } from '../view-models/viewport.ts';
import { ScreenView } from './screen.tsx';
import { ThemeContext } from './theme-context.ts';

interface AppProps {
  readonly session: Session;
  readonly look: Look;
  /** Makes Ink draw everything again. */
  readonly forgetFrame: () => void;
}

/** Shows the state of a session, and hands it the keys. */
export function App({ session, look, forgetFrame }: AppProps): ReactElement {
  const state = useSyncExternalStore(session.subscribe, session.state);
  const viewport = useViewport(state, look);
  const theme = useMemo(() => createTuiTheme(look), [look]);
  useWholeFrame(viewport, forgetFrame);
  const screen = screenOf(state, viewport);
  useInput((input, key) => {
    // Keys that were pressed quickly, or pasted, arrive together; each acts on the screen that the one before left.
    for (const name of keyNames(input, key)) {
      const current = session.state();
      for (const action of pressKey(current, screenOf(current, viewport), name)) session.dispatch(action);
    }
  });
  useEffect(() => session.want(screen.wants), [session, screen]);
  return (
    <ThemeContext value={theme}>
      <ScreenView screen={screen} />
    </ThemeContext>
  );
}

const secondMs = 1000;

/** The size of the terminal, and the time for ages: it advances while what is shown is live. */
function useViewport(state: State, look: Look): Viewport {
  const { columns, rows } = useWindowSize();
  useAnimation({ interval: secondMs, isActive: state.frame?.freshness.state === 'live' });
  const now = clusterTime(state, performance.now());
  return useMemo(() => ({ columns, rows, look, now }), [columns, rows, look, now]);
}

/** Not `CSI 2 J`, which some terminals answer by scrolling the old screen into their history. */
const eraseFromCorner = '\u001b[H\u001b[J';

/**
 * Draws the first frame, and the first one of a new size, whole and from the corner. Ink draws from where the cursor is
 * and only what has changed, but the alternate screen keeps the cursor where the shell had it, and a resize moves both
 * the cursor and what is on the screen. An insertion effect runs before Ink writes the frame.
 */
function useWholeFrame({ columns, rows }: Viewport, forgetFrame: () => void): void {
  const { stdout } = useStdout();
  useInsertionEffect(() => {
    forgetFrame();
    stdout.write(eraseFromCorner);
  }, [stdout, forgetFrame, columns, rows]);
}
