import { Box } from 'ink';
import type { ReactElement } from 'react';
import { gutter } from '../view-models/division.ts';
import type { Row } from '../view-models/rows.ts';
import { Empty } from './list.tsx';
import { RowLine } from './row.tsx';

interface PaneProps {
  /** Only the rows on the screen. */
  readonly rows: readonly Row[];
  /** The word of the search. */
  readonly found: string;
  readonly empty: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Something to read. */
export function Pane({ rows, found, empty, width, height }: PaneProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0} width={width + gutter} height={height}>
      {rows.map((row, index) => (
        <RowLine key={index} row={row} width={width} found={found} />
      ))}
      <Empty lines={empty} />
    </Box>
  );
}
