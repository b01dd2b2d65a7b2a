import { Box, Text, Transform } from 'ink';
import type { ReactElement } from 'react';
import { cutSpans } from '../spans.ts';
import type { Span } from '../spans.ts';
import type { SpanStyle } from '../theme.ts';
import { useTheme } from './theme-context.ts';

interface LineProps {
  readonly spans: readonly Span[];
  readonly width: number;
  /** Columns that are scrolled off to the left. */
  readonly left?: number;
}

/** One line of exactly one row, cut where it does not fit. */
export function Line({ spans, width, left = 0 }: LineProps): ReactElement {
  const { ellipsis } = useTheme();
  const shown = cutSpans(spans, left + width, ellipsis);
  const line = <Text wrap="truncate">{shown.some(({ text }) => text !== '') ? shown.map(piece) : ' '}</Text>;
  if (left === 0) return line;
  return (
    <Box width={width} height={1} overflow="hidden" contentOffsetX={left}>
      <Box width={left + width} flexShrink={0}>
        {line}
      </Box>
    </Box>
  );
}

function piece({ text, style }: Span, index: number): string | ReactElement {
  return style === undefined ? text : <Styled key={index} text={text} style={style} />;
}

/**
 * Ink's own colour properties follow what chalk detects; here the flags and the theme decide whether there is colour.
 */
function Styled({ text, style }: { readonly text: string; readonly style: SpanStyle }): ReactElement {
  const { draw } = useTheme();
  return <Transform transform={(drawn) => draw(style, drawn)}>{text}</Transform>;
}
