import { displayWidth } from '../terminal/wrap.ts';
import { plainText } from './theme.ts';

const synchronised = { begin: '\u001b[?2026h', end: '\u001b[?2026l' };
const eraseRest = '\u001b[K';

/** A terminal as Ink sees it, and the screen that is behind it. */
export interface LineScreen {
  readonly stream: NodeJS.WriteStream;
  /** What is on the screen is not known any more. */
  forget(): void;
  close(): void;
}

/**
 * Takes whole frames from Ink and writes the lines that differ. Ink's own ways to a terminal either clear it for every
 * frame that fills it, scrollback included, or (6.8, incrementalRendering) lose count of the lines of one that ends in a line break.
 */
export function createLineScreen(stdout: NodeJS.WriteStream): LineScreen {
  let known: readonly string[] = [];
  let isOpen = true;
  const draw = (frame: string): void => {
    if (!isOpen) return;
    const columns = stdout.columns || 80;
    const lines = frame.split('\n').slice(0, stdout.rows || 24);
    const changes = Array.from({ length: Math.max(lines.length, known.length) }, (_, row) =>
      lines[row] === known[row] ? '' : `\u001b[${row + 1};1H${lineOf(lines[row] ?? '', columns)}`,
    ).join('');
    known = lines;
    if (changes !== '') stdout.write(`${synchronised.begin}${changes}${synchronised.end}`);
  };
  const stream = {
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    isTTY: true,
    write: (frame: string, ...rest: readonly unknown[]) => {
      if (frame !== '') draw(frame);
      const written = rest.at(-1);
      if (typeof written === 'function') written();
      return true;
    },
    on: () => stream,
    off: () => stream,
  };
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    forget: () => {
      known = [];
    },
    close: () => {
      isOpen = false;
    },
  };
}

/** Erasing behind a line that fills the screen would take its last character away. */
function lineOf(line: string, columns: number): string {
  return `${line}\u001b[0m${displayWidth(plainText(line)) < columns ? eraseRest : ''}`;
}
