import { Box } from 'ink';
import type { ReactElement } from 'react';
import { gutter } from '../view-models/division.ts';
import type { CellRow } from '../view-models/rows.ts';
import { Empty, Rows } from './list.tsx';
import type { ListProps } from './list.tsx';
import { RowLine } from './row.tsx';

interface TableProps extends ListProps {
  readonly titles: CellRow;
}

/** Lines to choose from, in columns: the titles stay above the rows, and scroll sideways with them. */
export function Table({ notes, titles, rows, selected, empty, width, height, left }: TableProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0} width={width + gutter} height={height}>
      <Rows rows={notes} width={width} left={0} />
      <RowLine row={titles} width={width} left={left} />
      <Rows rows={rows} width={width} left={left} selected={selected} />
      <Empty lines={empty} />
    </Box>
  );
}
