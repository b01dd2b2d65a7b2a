import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { KeyRow } from '../view-models/rows.ts';
import { Line } from './line.tsx';
import { withFound } from './row-spans.ts';

interface HelpProps {
  readonly help: KeyRow;
  readonly width: number;
  readonly indent: number;
  /** A highlighted word. */
  readonly found: string;
}

/** A line of the help: the keys, and what they do. */
export function Help({ help: { names, namesWidth, does }, width, indent, found }: HelpProps): ReactElement {
  return (
    <Box paddingLeft={indent + 2}>
      <Box width={namesWidth + 2} flexShrink={0}>
        <Line spans={withFound([{ text: names }], found)} width={namesWidth} />
      </Box>
      <Line spans={withFound([{ text: does }], found)} width={width - namesWidth - 4} />
    </Box>
  );
}
