import { Box, Text, useInput } from 'ink';
import { createElement as h } from 'react';
import type { ReactElement } from 'react';
import { keyNames } from '../key-names.ts';
import type { ScreenModel } from '../view-models/frame.ts';

export interface AppProps {
  readonly screen: ScreenModel;
  readonly columns: number;
  readonly onKey: (name: string) => void;
}

/** The whole screen: what stands above, the list with what is beside it, what stands below. */
export function App({ screen, columns, onKey }: AppProps): ReactElement {
  useInput((input, key) => keyNames(input, key).forEach(onKey));
  return h(
    Box,
    { flexDirection: 'column', width: columns },
    h(Lines, { lines: screen.top }),
    h(Body, { screen }),
    h(Lines, { lines: screen.foot }),
  );
}

function Body({ screen }: { readonly screen: ScreenModel }): ReactElement {
  const { body, beside, bodyWidth, divider } = screen;
  if (beside.length === 0) return h(Lines, { lines: body });
  return h(
    Box,
    {},
    h(Box, { width: bodyWidth }, h(Lines, { lines: body })),
    h(Box, { width: 3 }, h(Lines, { lines: body.map(() => ` ${divider}`) })),
    h(Box, {}, h(Lines, { lines: beside })),
  );
}

/** Lines that fit already: Ink has nothing to wrap. */
function Lines({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return h(Text, { wrap: 'truncate' }, lines.map((line) => (line === '' ? ' ' : line)).join('\n'));
}
