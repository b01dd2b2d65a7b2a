import { createTheme } from '../terminal/theme.ts';
import type { Style, Theme } from '../terminal/theme.ts';

export interface Look {
  readonly colour: boolean;
  readonly ascii: boolean;
}

/** How a piece of a line is drawn: in a style of the reports, or reversed, as the line under the cursor. */
export type SpanStyle = Style | 'reversed';

/** The theme of the reports, and what only a screen with a cursor needs. */
export interface TuiTheme extends Theme {
  readonly cursor: string;
  readonly folded: string;
  readonly unfolded: string;
  readonly divider: string;
  readonly ellipsis: string;
  readonly draw: (style: SpanStyle | undefined, text: string) => string;
}

export function createTuiTheme({ colour, ascii }: Look): TuiTheme {
  const theme = createTheme({ colour, ascii });
  // Reverse video swaps the terminal's own two colours, so it is readable on light and dark backgrounds.
  const reverse = (text: string): string => (colour ? `\u001b[7m${text}\u001b[27m` : text);
  return {
    ...theme,
    cursor: '>',
    folded: ascii ? '+' : '▸',
    unfolded: ascii ? '-' : '▾',
    divider: ascii ? '|' : '│',
    ellipsis: ascii ? '...' : '…',
    draw: (style, text) => {
      if (style === undefined) return text;
      return style === 'reversed' ? reverse(text) : theme.paint(style, text);
    },
  };
}
