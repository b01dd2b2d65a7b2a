import { Box, Text, Transform } from 'ink';
import type { ReactElement } from 'react';
import { cutSpans } from '../spans.ts';
import type { Span } from '../spans.ts';
import { useTheme } from './theme-context.ts';

export interface LineProps {
  readonly spans: readonly Span[];
  readonly width: number;
  /** Columns that are scrolled off to the left. */
  readonly left?: number;
}

/** One line of exactly one row, cut where it does not fit. */
export function Line({ spans, width, left = 0 }: LineProps): ReactElement {
  const { ellipsis } = useTheme();
  const shown = cutSpans(spans, left + width, ellipsis);
  const line = <Text wrap="truncate">{shown.some(({ text }) => text !== '') ? shown.map(toStyled) : ' '}</Text>;
  if (left === 0) return line;
  return (
    <Box width={width} height={1} overflow="hidden" contentOffsetX={left}>
      <Box width={left + width} flexShrink={0}>
        {line}
      </Box>
    </Box>
  );
}

function toStyled(span: Span, index: number): ReactElement {
  return <Styled key={index} span={span} />;
}

/** Ink's own colour properties follow what chalk detects; here the flags and the theme decide whether there is colour. */
function Styled({ span: { text, style } }: { readonly span: Span }): ReactElement {
  const { draw } = useTheme();
  if (style === undefined) return <Text>{text}</Text>;
  return <Transform transform={(drawn) => draw(style, drawn)}>{text}</Transform>;
}
