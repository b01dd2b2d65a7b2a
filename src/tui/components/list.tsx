import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { gutter } from '../view-models/division.ts';
import type { Row } from '../view-models/rows.ts';
import { RowLine } from './row.tsx';

export interface ListProps {
  /** The lines above the rows. */
  readonly notes: readonly Row[];
  /** Only the rows on the screen. */
  readonly rows: readonly Row[];
  /** The row under the cursor; -1 where there is none. */
  readonly selected: number;
  /** The text if there are no rows. */
  readonly empty: readonly string[];
  readonly width: number;
  readonly height: number;
  /** Columns that are scrolled off to the left. */
  readonly left: number;
}

/** Lines to choose from. */
export function List({ notes, rows, selected, empty, width, height, left }: ListProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0} width={width + gutter} height={height}>
      <Rows rows={notes} width={width} left={0} />
      <Rows rows={rows} width={width} left={left} selected={selected} />
      <Empty lines={empty} />
    </Box>
  );
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly width: number;
  readonly left: number;
  readonly selected?: number;
}

export function Rows({ rows, width, left, selected = -1 }: RowsProps): readonly ReactElement[] {
  return rows.map((row, index) => (
    <RowLine key={index} row={row} width={width} left={left} isSelected={index === selected} />
  ));
}

/** The text if there are no rows. */
export function Empty({ lines }: { readonly lines: readonly string[] }): ReactElement | null {
  if (lines.length === 0) return null;
  return (
    <Box paddingLeft={gutter}>
      <Text>{lines.join('\n')}</Text>
    </Box>
  );
}
