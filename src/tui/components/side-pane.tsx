import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { dividerWidth } from '../view-models/division.ts';
import type { Row } from '../view-models/rows.ts';
import { Line } from './line.tsx';
import { RowLine } from './row.tsx';
import { useTheme } from './theme-context.ts';

interface SidePaneProps {
  readonly rows: readonly Row[];
  /** How many lines have no room. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** The pane next to the list or text, without a cursor. */
export function SidePane({ rows, left, width, height }: SidePaneProps): ReactElement {
  return (
    <Box width={width + dividerWidth} height={height} flexShrink={0}>
      <Divider height={height} />
      <Box flexDirection="column">
        {rows.map((row, index) => (
          <RowLine key={index} row={row} width={width} indent={0} />
        ))}
        {left > 0 && <Line spans={[{ text: `${left} more lines`, style: 'faint' }]} width={width} />}
      </Box>
    </Box>
  );
}

function Divider({ height }: { readonly height: number }): ReactElement {
  const { divider } = useTheme();
  return (
    <Box width={dividerWidth} flexShrink={0} paddingLeft={1}>
      <Text>{Array.from({ length: height }, () => divider).join('\n')}</Text>
    </Box>
  );
}
