import { Box } from 'ink';
import { memo } from 'react';
import type { ReactElement } from 'react';
import { padEnd } from '../../terminal/wrap.ts';
import { plainSpans } from '../spans.ts';
import { gutter } from '../view-models/division.ts';
import type { Row } from '../view-models/rows.ts';
import { Help } from './help.tsx';
import { Line } from './line.tsx';
import { rowSpans, withFound } from './row-spans.ts';
import { useTheme } from './theme-context.ts';

interface RowLineProps {
  readonly row: Row;
  /** Columns of the text. */
  readonly width: number;
  /** Columns before it, for the cursor. */
  readonly indent?: number;
  readonly isSelected?: boolean;
  /** Columns that are scrolled off to the left. */
  readonly left?: number;
  /** A highlighted word. */
  readonly found?: string;
}

/**
 * A row of a list, a table or a text, with room for the cursor before it. One that did not change is not drawn again.
 */
export const RowLine = memo(function RowLine(props: RowLineProps): ReactElement {
  const { row, width, indent = gutter, isSelected = false, left = 0, found = '' } = props;
  const theme = useTheme();
  if (row.type === 'key') return <Help help={row} width={width} indent={indent} found={found} />;
  const spans = withFound(rowSpans(row, width, theme), found);
  if (isSelected) return <SelectedLine text={plainSpans(spans)} width={width} left={left} />;
  return (
    <Box paddingLeft={indent}>
      <Line spans={spans} width={width} left={left} />
    </Box>
  );
});

interface SelectedLineProps {
  readonly text: string;
  readonly width: number;
  readonly left: number;
}

/** The line under the cursor: reversed over its whole width, and marked for where there is no colour. */
function SelectedLine({ text, width, left }: SelectedLineProps): ReactElement {
  const { cursor } = useTheme();
  return (
    <Box>
      <Line spans={[{ text: padEnd(cursor, gutter), style: 'reversed' }]} width={gutter} />
      <Line spans={[{ text: padEnd(text, left + width), style: 'reversed' }]} width={width} left={left} />
    </Box>
  );
}
