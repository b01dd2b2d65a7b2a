import { createTheme } from '../terminal/theme.ts';
import type { Theme } from '../terminal/theme.ts';
import { displayWidth, padEnd } from '../terminal/wrap.ts';

export interface Look {
  readonly colour: boolean;
  readonly ascii: boolean;
}

/** The theme of the reports, and what only a screen with a cursor needs. */
export interface TuiTheme extends Theme {
  readonly cursor: string;
  readonly folded: string;
  readonly unfolded: string;
  readonly divider: string;
  readonly ellipsis: string;
  /** A whole line that stands out: the one under the cursor, or a warning. */
  readonly band: (line: string, width: number) => string;
  /** A found word. */
  readonly found: (text: string) => string;
}

const sgr = /\u001b\[[\d;]*m/g;

/** The line as it reads without colour. */
export function plainText(line: string): string {
  return line.replace(sgr, '');
}

export function createTuiTheme({ colour, ascii }: Look): TuiTheme {
  return {
    ...createTheme({ colour, ascii }),
    cursor: '>',
    folded: ascii ? '+' : '▸',
    unfolded: ascii ? '-' : '▾',
    divider: ascii ? '|' : '│',
    ellipsis: ascii ? '...' : '…',
    // Reversed video takes the terminal's own two colours, so that it is read on a light and on a dark ground.
    band: colour ? (line, width) => `\u001b[7m${padEnd(plainText(line), width)}\u001b[27m` : (line) => plainText(line),
    found: colour ? (text) => `\u001b[7m${text}\u001b[27m` : (text) => text,
  };
}

/** The line within so many columns; colours survive the cut. */
export function cutLine(line: string, width: number, { ellipsis }: Pick<TuiTheme, 'ellipsis'>): string {
  if (displayWidth(plainText(line)) <= width) return line;
  const room = Math.max(0, width - displayWidth(ellipsis));
  let kept = '';
  let used = 0;
  let isPainted = false;
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    if (part.startsWith('\u001b')) {
      kept += part;
      isPainted = part !== '\u001b[0m';
      continue;
    }
    for (const character of part) {
      const columns = displayWidth(character);
      if (used + columns > room)
        return `${kept}${ellipsis}${isPainted ? '\u001b[0m' : ''}`.slice(0, room === 0 ? width : undefined);
      kept += character;
      used += columns;
    }
  }
  return kept;
}
